// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

namespace bifocal::imaging::detail {

/// An open regular file. Nothing is mapped into memory: a file that another program shortens while
/// it is read gives an error and no SIGBUS. Threads: compatible. Owns: the file handle.
class InputFile {
public:
    /// NotFound; Unsupported for what is no regular file (a pipe would block for ever); Internal.
    static Result<InputFile> open(const std::filesystem::path& path);

    InputFile(InputFile&& other) noexcept
        : handle_(std::exchange(other.handle_, -1)), sizeBytes_(other.sizeBytes_) {}
    InputFile& operator=(InputFile&& other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(sizeBytes_, other.sizeBytes_);
        return *this;
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile();

    std::uint64_t sizeBytes() const { return sizeBytes_; }

    /// The first bytes, at most `count`; the position is the beginning again afterwards.
    std::vector<std::uint8_t> head(std::size_t count) const;

    /// `count` bytes from the position on, fewer when the file ends or cannot be read.
    std::vector<std::uint8_t> readUpTo(std::size_t count) const;

    /// As POSIX read and lseek, retried when a signal interrupts; −1 on failure.
    std::int64_t read(std::span<std::uint8_t> into) const;
    std::int64_t seek(std::int64_t offset, int whence) const;

private:
    InputFile(int handle, std::uint64_t sizeBytes) : handle_(handle), sizeBytes_(sizeBytes) {}

    int handle_ = -1;
    std::uint64_t sizeBytes_ = 0;
};

}  // namespace bifocal::imaging::detail
