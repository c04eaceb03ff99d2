// SPDX-License-Identifier: Apache-2.0
#include "core/index/internal/storage_file.h"

#include "core/base/posix.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bifocal::index {
namespace {

class PosixStorageFile final : public StorageFile {
public:
    PosixStorageFile(std::filesystem::path path, int handle)
        : path_(std::move(path)), handle_(handle) {}
    PosixStorageFile(const PosixStorageFile&) = delete;
    PosixStorageFile& operator=(const PosixStorageFile&) = delete;
    ~PosixStorageFile() override { ::close(handle_); }

    Result<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const ssize_t count =
                ::pwrite(handle_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (count < 0) {
                if (errno == EINTR) {
                    continue;
                }
                return systemError(path_, "write");
            }
            offset += static_cast<std::uint64_t>(count);
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        }
        return {};
    }

    Result<std::size_t> readAt(std::uint64_t offset, std::span<std::byte> out) const override {
        std::size_t filled = 0;
        while (filled < out.size()) {
            const ssize_t count = ::pread(handle_,
                                          out.data() + filled,
                                          out.size() - filled,
                                          static_cast<off_t>(offset + filled));
            if (count < 0) {
                if (errno == EINTR) {
                    continue;
                }
                return systemError(path_, "read");
            }
            if (count == 0) {
                break;
            }
            filled += static_cast<std::size_t>(count);
        }
        return filled;
    }

    Result<std::uint64_t> sizeBytes() const override {
        struct stat status {};
        if (::fstat(handle_, &status) != 0) {
            return systemError(path_, "stat");
        }
        return static_cast<std::uint64_t>(status.st_size);
    }

    Result<void> resize(std::uint64_t sizeBytes) override {
        if (::ftruncate(handle_, static_cast<off_t>(sizeBytes)) != 0) {
            return systemError(path_, "resize");
        }
        return {};
    }

    Result<void> sync() override {
        if (::fdatasync(handle_) != 0) {
            return systemError(path_, "sync");
        }
        return {};
    }

    Result<std::shared_ptr<const Mapping>> map(std::uint64_t offset,
                                               std::size_t sizeBytes) const override {
        void* address =
            ::mmap(nullptr, sizeBytes, PROT_READ, MAP_SHARED, handle_, static_cast<off_t>(offset));
        if (address == MAP_FAILED) {
            return systemError(path_, "map");
        }
        return std::shared_ptr<const Mapping>(std::make_shared<Mapping>(address, sizeBytes));
    }

    Result<FileIdentity> identity() const override {
        struct stat status {};
        if (::fstat(handle_, &status) != 0) {
            return systemError(path_, "stat");
        }
        return FileIdentity{status.st_dev, status.st_ino};
    }

private:
    std::filesystem::path path_;
    int handle_;
};

int flagsOf(OpenMode mode) {
    switch (mode) {
        case OpenMode::Read: return O_RDONLY | O_CLOEXEC;
        case OpenMode::Write: return O_RDWR | O_CLOEXEC;
        case OpenMode::CreateEmpty: break;
    }
    return O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC;
}

}  // namespace

Mapping::~Mapping() {
    ::munmap(address_, sizeBytes_);
}

Result<std::unique_ptr<StorageFile>> openStorageFile(const std::filesystem::path& path,
                                                     OpenMode mode) {
    const int handle = ::open(path.c_str(), flagsOf(mode), 0644);
    if (handle < 0) {
        return systemError(path, "open");
    }
    std::unique_ptr<StorageFile> file = std::make_unique<PosixStorageFile>(path, handle);
    struct stat status {};
    if (::fstat(handle, &status) != 0) {
        return systemError(path, "stat");
    }
    if (!S_ISREG(status.st_mode)) {
        return Error{ErrorCode::InvalidArgument, path.string() + ": is not a regular file"};
    }
    return file;
}

Result<FileIdentity> identityOf(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return systemError(path, "stat");
    }
    return FileIdentity{status.st_dev, status.st_ino};
}

Result<void> renameDurably(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) {
        return systemError(to, "rename");
    }
    const std::filesystem::path folder = to.has_parent_path() ? to.parent_path() : ".";
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) {
        return systemError(folder, "open");
    }
    // A folder that cannot be synced (some network file systems) still has the rename in order.
    const bool failed = ::fsync(handle) != 0 && errno != EINVAL;
    Result<void> outcome;
    if (failed) {
        outcome = systemError(folder, "sync");
    }
    ::close(handle);
    return outcome;
}

}  // namespace bifocal::index
