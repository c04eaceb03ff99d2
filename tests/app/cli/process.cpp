// SPDX-License-Identifier: Apache-2.0
#include "tests/app/cli/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bifocal::test {
namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// The end that we read from, and the one that the program writes to.
struct Stream {
    int readEnd = -1;
    int writeEnd = -1;
};

Stream makePipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        fail("pipe");
    }
    return {ends[0], ends[1]};
}

Stream makeTerminal() {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    std::array<char, 128> name{};
    if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0 ||
        ::ptsname_r(master, name.data(), name.size()) != 0) {
        fail("terminal");
    }
    const int slave = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0) {
        fail("terminal");
    }
    return {master, slave};
}

/// Our environment with `changes` on top, as "name=value".
std::vector<std::string> mergedEnvironment(const Process::Environment& changes) {
    std::vector<std::string> merged;
    for (const auto& [name, value] : changes) {
        merged.push_back(name);
        merged.back() += '=';
        merged.back() += value;
    }
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        bool isChanged = false;
        for (const auto& change : changes) {
            isChanged =
                isChanged || (text.starts_with(change.first) && text[change.first.size()] == '=');
        }
        if (!isChanged) {
            merged.push_back(text);
        }
    }
    return merged;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

Process::Process(std::vector<std::string> words,
                 const Environment& environment,
                 ErrorStream errorStream) {
    const Stream out = makePipe();
    const Stream err = errorStream == ErrorStream::Terminal ? makeTerminal() : makePipe();
    std::vector<std::string> variables = mergedEnvironment(environment);
    const std::vector<char*> arguments = pointersTo(words);
    const std::vector<char*> entries = pointersTo(variables);
    id_ = ::fork();
    if (id_ < 0) {
        fail("fork");
    }
    if (id_ == 0) {
        ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);  // NOLINT: replaced a moment later
        ::dup2(out.writeEnd, STDOUT_FILENO);
        ::dup2(err.writeEnd, STDERR_FILENO);
        ::execve(arguments[0], arguments.data(), entries.data());
        ::_exit(127);
    }
    ::close(out.writeEnd);
    ::close(err.writeEnd);
    outReader_ = std::thread([this, out] { read(out.readEnd, exit_.out); });
    errReader_ = std::thread([this, err] { read(err.readEnd, exit_.err); });
}

Process::~Process() {
    if (id_ > 0) {
        ::kill(id_, SIGKILL);
        wait();
    }
}

void Process::signal(int number) const {
    if (id_ > 0) {
        ::kill(id_, number);
    }
}

void Process::read(int handle, std::string& to) {
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t count = ::read(handle, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        const std::lock_guard lock(mutex_);
        if (count <= 0) {  // a terminal whose other end is closed answers with an error
            --openStreams_;
            break;
        }
        to.append(buffer.data(), static_cast<std::size_t>(count));
        changed_.notify_all();
    }
    changed_.notify_all();
    ::close(handle);
}

bool Process::awaitError(const std::function<bool(const std::string&)>& isEnough) {
    std::unique_lock lock(mutex_);
    bool isMet = false;
    changed_.wait(lock, [&] {
        isMet = isEnough(exit_.err);
        return isMet || openStreams_ < 2;
    });
    return isMet;
}

Exit Process::wait() {
    if (id_ > 0) {
        int status = 0;
        while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
        }
        id_ = -1;
        outReader_.join();
        errReader_.join();
        exit_.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return exit_;
}

Exit run(std::vector<std::string> words, const Process::Environment& environment) {
    return Process(std::move(words), environment).wait();
}

}  // namespace bifocal::test
