// SPDX-License-Identifier: Apache-2.0
#include "core/base/files.h"

#include "core/base/posix.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bifocal {
namespace {

/// An exclusive lock on all of a file, owned by the open file description: it ends with its last
/// handle, so also with the process.
struct flock wholeFile() {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    return range;
}

std::filesystem::path xdgHome(const char* variable, const char* underHome) {
    const char* value =
        std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets it
    if (value != nullptr && value[0] == '/') {
        return std::filesystem::path(value) / "bifocal";
    }
    const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
    return std::filesystem::path(home == nullptr ? "/" : home) / underHome / "bifocal";
}

Result<void> writeAll(int handle,
                      std::span<const std::uint8_t> bytes,
                      const std::filesystem::path& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(handle, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return systemError(path, "write");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Error tooLarge(const std::filesystem::path& path, std::uint64_t limitBytes) {
    return {ErrorCode::ResourceExhausted,
            path.string() + ": more than the limit of " + std::to_string(limitBytes) + " bytes"};
}

/// Bytes read into `into`; 0 at the end of the file.
Result<std::size_t> readSome(int handle,
                             std::span<std::uint8_t> into,
                             const std::filesystem::path& path) {
    while (true) {
        const ssize_t count = ::read(handle, into.data(), into.size());
        if (count >= 0) {
            return static_cast<std::size_t>(count);
        }
        if (errno != EINTR) {
            return systemError(path, "read");
        }
    }
}

/// Those of the file that is replaced; a new file can be read by everybody, as our data is.
mode_t permissionsFor(const std::filesystem::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0644U;
}

/// Without it a crash of the machine may bring the old file back.
Result<void> syncFolderOf(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const FileHandle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems cannot sync a folder and say EINVAL; there is nothing more to be done
    // there.
    if (handle.get() < 0 || (::fsync(handle.get()) != 0 && errno != EINVAL)) {
        return systemError(folder, "sync folder");
    }
    return {};
}

}  // namespace

Result<std::vector<std::uint8_t>> readFile(const std::filesystem::path& path,
                                           std::uint64_t limitBytes) {
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        return systemError(path, "open");
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        return systemError(path, "stat");
    }
    if (S_ISDIR(status.st_mode)) {
        return Error{ErrorCode::InvalidArgument, path.string() + ": is a folder"};
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > limitBytes) {
        return tooLarge(path, limitBytes);
    }
    try {
        // The size is a hint: it is 0 for the kernel's files and may change while we read.
        std::vector<std::uint8_t> bytes(size + 1);
        std::size_t filled = 0;
        while (true) {
            BIFOCAL_TRY(const std::size_t count,
                        readSome(file.get(), std::span(bytes).subspan(filled), path));
            filled += count;
            if (count == 0) {
                break;
            }
            if (filled > limitBytes) {
                return tooLarge(path, limitBytes);
            }
            if (filled == bytes.size()) {
                bytes.resize(filled + std::max<std::size_t>(filled / 2, 4096));
            }
        }
        bytes.resize(filled);
        return bytes;
    } catch (const std::exception&) {  // bad_alloc, or length_error for an absurd size
        return Error{ErrorCode::ResourceExhausted, path.string() + ": read: out of memory"};
    }
}

Result<void> writeFileAtomically(const std::filesystem::path& path,
                                 std::span<const std::uint8_t> bytes) {
    std::string temporary = path.string() + ".XXXXXX";
    FileHandle file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.get() < 0) {
        return systemError(path, "create");
    }
    Result<void> outcome = writeAll(file.get(), bytes, path);
    if (outcome && (::fchmod(file.get(), permissionsFor(path)) != 0 || ::fsync(file.get()) != 0)) {
        outcome = systemError(path, "sync");
    }
    if (outcome && ::rename(temporary.c_str(), path.c_str()) != 0) {
        outcome = systemError(path, "rename");
    }
    if (!outcome) {
        ::unlink(temporary.c_str());
        return outcome;
    }
    return syncFolderOf(path);
}

Result<void> writeFileAtomically(const std::filesystem::path& path, const std::string& text) {
    return writeFileAtomically(
        path, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

Result<void> makeDirectories(const std::filesystem::path& path) {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (code) {
        return Error{ErrorCode::Internal, path.string() + ": create folder: " + code.message()};
    }
    return {};
}

std::filesystem::path dataHome() {
    return xdgHome("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path cacheHome() {
    return xdgHome("XDG_CACHE_HOME", ".cache");
}

std::filesystem::path configHome() {
    return xdgHome("XDG_CONFIG_HOME", ".config");
}

int processId() {
    return ::getpid();
}

Result<FileLock> FileLock::tryAcquire(const std::filesystem::path& path) {
    FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (file.get() < 0) {
        return systemError(path, "open lock");
    }
    struct flock range = wholeFile();
    if (::fcntl(file.get(), F_OFD_SETLK, &range) != 0) {
        if (errno != EAGAIN && errno != EACCES) {
            return systemError(path, "lock");
        }
        const std::optional<int> owner = holder(path);
        return Error{ErrorCode::Busy,
                     path.string() + ": held by process " +
                         (owner ? std::to_string(*owner) : std::string("unknown")),
                     std::chrono::seconds(1)};
    }
    const std::string owner = std::to_string(::getpid()) + "\n";
    if (::ftruncate(file.get(), 0) != 0 ||
        ::pwrite(file.get(), owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size())) {
        return systemError(path, "write lock");
    }
    return FileLock(file.release());
}

Result<void> FileLock::waitUntilFree(const std::filesystem::path& path) {
    const FileHandle file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file.get() < 0) {
        return errno == ENOENT ? Result<void>{} : Result<void>(systemError(path, "open lock"));
    }
    struct flock range = wholeFile();
    while (::fcntl(file.get(), F_OFD_SETLKW, &range) != 0) {
        if (errno != EINTR) {
            return systemError(path, "wait for lock");
        }
    }
    return {};  // closing the handle gives it back
}

std::optional<int> FileLock::holder(const std::filesystem::path& path) {
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        return std::nullopt;
    }
    struct flock range = wholeFile();  // asked about, never taken: asking disturbs nobody
    if (::fcntl(file.get(), F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK) {
        return std::nullopt;
    }
    std::array<char, 32> text{};
    if (::pread(file.get(), text.data(), text.size() - 1, 0) <= 0) {
        return std::nullopt;
    }
    const long owner = std::strtol(text.data(), nullptr, 10);
    return owner > 0 ? std::optional<int>(static_cast<int>(owner)) : std::nullopt;
}

FileLock::FileLock(FileLock&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
}

FileLock::~FileLock() {
    if (handle_ >= 0) {
        ::close(handle_);
    }
}

}  // namespace bifocal
