// SPDX-License-Identifier: Apache-2.0
#include "core/base/posix.h"
#include "core/library/internal/file_stamp.h"
#include "core/library/walk.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace bifocal {
namespace {

constexpr std::size_t kPieceBytes = 1 << 18;

/// The same bytes on every machine.
ContentKey keyFrom(XXH128_hash_t hash) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    ContentKey key;
    static_assert(sizeof(canonical.digest) == sizeof(key.bytes));
    std::memcpy(key.bytes.data(), canonical.digest, sizeof(canonical.digest));
    return key;
}

}  // namespace

Result<FileStamp> stampOf(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return systemError(path, "stat");
    }
    return stampFrom(status);
}

Result<ContentKey> contentKeyOf(const std::filesystem::path& path, const std::stop_token& stop) {
    // Not blocking, so that a pipe that took a picture's name cannot hold us.
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
        return systemError(path, "open");
    }
    if (!S_ISREG(status.st_mode)) {
        return Error{ErrorCode::InvalidArgument, path.string() + ": is not a regular file"};
    }
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    std::vector<std::uint8_t> piece(kPieceBytes);
    while (true) {
        if (stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, path.string() + ": reading was cancelled"};
        }
        const ssize_t count = ::read(file.get(), piece.data(), piece.size());
        if (count < 0 && errno != EINTR) {
            return systemError(path, "read");
        }
        if (count == 0) {
            return keyFrom(XXH3_128bits_digest(&state));
        }
        if (count > 0) {
            XXH3_128bits_update(&state, piece.data(), static_cast<std::size_t>(count));
        }
    }
}

ContentKey contentKeyOf(std::span<const std::uint8_t> bytes) {
    return keyFrom(XXH3_128bits(bytes.data(), bytes.size()));
}

}  // namespace bifocal
