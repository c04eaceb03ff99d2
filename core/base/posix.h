// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <utility>

#include <unistd.h>

namespace bifocal {

/// What errno says now, as "path: action: reason". NotFound for a file that is absent,
/// ResourceExhausted for no space, memory or handles, else Internal. Threads: safe.
Error systemError(const std::filesystem::path& path, const char* action);
/// The system's words for an errno value. Threads: safe.
std::string systemReason(int code);

/// A POSIX file descriptor that closes itself; below zero: none. Threads: compatible.
class FileHandle {
public:
    explicit FileHandle(int handle) : handle_(handle) {}
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;
    ~FileHandle() {
        if (handle_ >= 0) {
            ::close(handle_);
        }
    }
    int get() const { return handle_; }
    /// The caller closes it from now on.
    int release() { return std::exchange(handle_, -1); }

private:
    int handle_;
};

}  // namespace bifocal
