// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace bifocal::test {

/// How a program ended and what it wrote.
struct Exit {
    int code = 0;  ///< 128 + the signal's number when a signal ended it
    std::string out;
    std::string err;
};

/// Where the program's standard error goes; on a terminal it draws progress lines.
enum class ErrorStream : std::uint8_t { Pipe = 1, Terminal };

/// A running program. Threads: compatible. Owns: the process, killed and reaped by the destructor.
class Process {
public:
    using Environment = std::vector<std::pair<std::string, std::string>>;

    /// Starts words[0], a path, with the other words; `environment` is set on top of our own.
    Process(std::vector<std::string> words,
            const Environment& environment,
            ErrorStream errorStream = ErrorStream::Pipe);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    void signal(int number) const;

    /// Waits until what was written to standard error so far satisfies `isEnough`; false when the
    /// program closed it before.
    bool awaitError(const std::function<bool(const std::string&)>& isEnough);

    Exit wait();

private:
    void read(int handle, std::string& to);

    pid_t id_ = -1;
    std::mutex mutex_;  ///< guards the next three
    std::condition_variable changed_;
    Exit exit_;
    int openStreams_ = 2;
    std::thread outReader_;
    std::thread errReader_;
};

/// Starts and waits.
Exit run(std::vector<std::string> words, const Process::Environment& environment);

}  // namespace bifocal::test
