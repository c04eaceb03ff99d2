// SPDX-License-Identifier: Apache-2.0
#include "core/library/thumbnail_cache.h"

#include "core/base/files.h"
#include "core/base/posix.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace bifocal {
namespace {

// A file is the checksum of its content, then the content: files are not synced, so after a power
// cut one may be short or full of zeros, and must count as not there.
constexpr std::size_t kHeaderBytes = sizeof(std::uint64_t);

// Use is kept in the modification time, since access times are off on many file systems; an hour
// of precision spares a write for each look.
constexpr std::int64_t kTouchSeconds = 3600;

constexpr std::string_view kTemporaryMark = ".part-";

std::uint64_t checksumOf(std::span<const std::uint8_t> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

void touchWhenStale(const std::filesystem::path& file) {
    struct stat status {};
    struct timespec now {};
    if (::stat(file.c_str(), &status) == 0 && ::clock_gettime(CLOCK_REALTIME, &now) == 0 &&
        std::int64_t{now.tv_sec} - std::int64_t{status.st_mtim.tv_sec} > kTouchSeconds) {
        (void)::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
    }
}

bool writeAll(int handle, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(handle, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) {
            return false;
        }
        bytes = bytes.subspan(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    return true;
}

struct CachedFile {
    std::filesystem::path path;
    std::int64_t used = 0;  ///< nanoseconds
    std::uint64_t sizeBytes = 0;
};

/// Files of the cache; what a killed process left half-written an hour ago goes at once.
std::vector<CachedFile> filesUnder(const std::filesystem::path& folder) {
    std::vector<CachedFile> files;
    struct timespec now {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    std::error_code code;
    std::filesystem::recursive_directory_iterator entry(
        folder, std::filesystem::directory_options::skip_permission_denied, code);
    for (; !code && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(code)) {
        const std::filesystem::path& path = entry->path();
        struct stat status {};
        if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
            continue;
        }
        const bool isTemporary = path.filename().native().find(kTemporaryMark) != std::string::npos;
        if (!isTemporary) {
            files.push_back(
                {path,
                 std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
                 static_cast<std::uint64_t>(status.st_size)});
        } else if (now.tv_sec - status.st_mtim.tv_sec > kTouchSeconds) {
            ::unlink(path.c_str());
        }
    }
    return files;
}

}  // namespace

ThumbnailCache::ThumbnailCache(std::filesystem::path folder, std::uint64_t capBytes)
    : folder_(std::move(folder)), capBytes_(capBytes) {}

std::filesystem::path ThumbnailCache::fileOf(const ContentKey& content) const {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string name;
    for (const std::uint8_t byte : content.bytes) {
        name += kDigits[byte >> 4U];
        name += kDigits[byte & 0xFU];
    }
    return folder_ / name.substr(0, 2) / name;
}

std::optional<std::vector<std::uint8_t>> ThumbnailCache::find(const ContentKey& content) const {
    const std::filesystem::path file = fileOf(content);
    Result<std::vector<std::uint8_t>> read = readFile(file, capBytes_);
    if (!read) {
        return std::nullopt;
    }
    std::vector<std::uint8_t> bytes = *std::move(read);
    std::uint64_t checksum = 0;
    if (bytes.size() >= kHeaderBytes) {
        std::memcpy(&checksum, bytes.data(), kHeaderBytes);
    }
    if (bytes.size() < kHeaderBytes ||
        checksum != checksumOf(std::span(bytes).subspan(kHeaderBytes))) {
        ::unlink(file.c_str());
        return std::nullopt;
    }
    touchWhenStale(file);
    bytes.erase(bytes.begin(), bytes.begin() + kHeaderBytes);
    return bytes;
}

Result<void> ThumbnailCache::store(const ContentKey& content,
                                   std::span<const std::uint8_t> encoded) {
    const std::filesystem::path file = fileOf(content);
    BIFOCAL_CHECK(makeDirectories(file.parent_path()));
    std::string temporary = file.string() + std::string(kTemporaryMark) + "XXXXXX";
    const int handle = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (handle < 0) {
        return systemError(file, "create");
    }
    const std::uint64_t checksum = checksumOf(encoded);
    std::array<std::uint8_t, kHeaderBytes> header{};
    std::memcpy(header.data(), &checksum, kHeaderBytes);
    const bool isWritten = writeAll(handle, header) && writeAll(handle, encoded);
    Result<void> outcome;
    if (!isWritten) {
        outcome = systemError(file, "write");
    }
    ::close(handle);
    if (outcome && ::rename(temporary.c_str(), file.c_str()) != 0) {
        outcome = systemError(file, "rename");
    }
    if (!outcome) {
        ::unlink(temporary.c_str());
    }
    return outcome;
}

Result<void> ThumbnailCache::trim() {
    std::vector<CachedFile> files = filesUnder(folder_);
    std::uint64_t totalBytes = 0;
    for (const CachedFile& file : files) {
        totalBytes += file.sizeBytes;
    }
    if (totalBytes <= capBytes_) {
        return {};
    }
    std::ranges::sort(files, [](const CachedFile& left, const CachedFile& right) {
        return left.used != right.used ? left.used < right.used : left.path < right.path;
    });
    for (const CachedFile& file : files) {
        if (totalBytes <= capBytes_) {
            break;
        }
        if (::unlink(file.path.c_str()) != 0 && errno != ENOENT) {
            return systemError(file.path, "remove");
        }
        totalBytes -= file.sizeBytes;
    }
    return {};
}

}  // namespace bifocal
