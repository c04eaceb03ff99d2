// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/detail/input_file.h"

#include "core/base/posix.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bifocal::imaging::detail {
Result<InputFile> InputFile::open(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a named pipe waits for somebody to write to it.
    const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (handle < 0) {
        return systemError(path, "open");
    }
    InputFile file(handle, 0);
    struct stat status {};
    if (::fstat(handle, &status) != 0) {
        return systemError(path, "open");
    }
    if (!S_ISREG(status.st_mode)) {
        return Error{ErrorCode::Unsupported, path.string() + ": is no regular file"};
    }
    file.sizeBytes_ = static_cast<std::uint64_t>(status.st_size);
    return file;
}

InputFile::~InputFile() {
    if (handle_ >= 0) {
        ::close(handle_);
    }
}

std::vector<std::uint8_t> InputFile::head(std::size_t count) const {
    std::vector<std::uint8_t> bytes = readUpTo(count);
    seek(0, SEEK_SET);
    return bytes;
}

std::vector<std::uint8_t> InputFile::readUpTo(std::size_t count) const {
    std::vector<std::uint8_t> bytes(count);
    std::size_t filled = 0;
    while (filled < count) {
        const std::int64_t got = read(std::span(bytes).subspan(filled));
        if (got <= 0) {
            break;
        }
        filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
}

std::int64_t InputFile::read(std::span<std::uint8_t> into) const {
    ssize_t count = 0;
    do {
        count = ::read(handle_, into.data(), into.size());
    } while (count < 0 && errno == EINTR);
    return count;
}

std::int64_t InputFile::seek(std::int64_t offset, int whence) const {
    return ::lseek(handle_, offset, whence);
}

}  // namespace bifocal::imaging::detail
