// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal {

/// Whole content of a file, whatever size the system states for it. NotFound, InvalidArgument (a
/// folder), ResourceExhausted (over `limitBytes`, or no memory), Internal (I/O).
Result<std::vector<std::uint8_t>> readFile(const std::filesystem::path& path,
                                           std::uint64_t limitBytes = UINT64_MAX);

/// Writes to a temporary name beside `path`, syncs, renames: a reader sees the old or the new file,
/// after a crash of the machine as well. The permissions of a replaced file are kept.
Result<void> writeFileAtomically(const std::filesystem::path& path,
                                 std::span<const std::uint8_t> bytes);
Result<void> writeFileAtomically(const std::filesystem::path& path, const std::string& text);

/// Makes a directory and its parents; an existing one is fine.
Result<void> makeDirectories(const std::filesystem::path& path);

/// XDG base folders of this program ("bifocal" appended); not created.
std::filesystem::path dataHome();
std::filesystem::path cacheHome();
std::filesystem::path configHome();

/// Id of this process, as FileLock::holder() names it.
int processId();

/// An exclusive advisory lock on a file that holds its owner's process id; freed by the destructor
/// and by the kernel when the process dies.
/// Threads: compatible. Owns: the file handle.
class FileLock {
public:
    /// Busy when another process has it; the message names that process's id.
    static Result<FileLock> tryAcquire(const std::filesystem::path& path);

    /// Blocks until nobody holds the lock (somebody else may be faster afterwards).
    static Result<void> waitUntilFree(const std::filesystem::path& path);

    /// Process id of the holder, if a live process holds the lock.
    static std::optional<int> holder(const std::filesystem::path& path);

    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

private:
    explicit FileLock(int handle) : handle_(handle) {}

    int handle_ = -1;
};

}  // namespace bifocal
