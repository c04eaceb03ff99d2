// SPDX-License-Identifier: Apache-2.0
#include "core/base/posix.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace bifocal {
namespace {

ErrorCode kindOf(int code) {
    switch (code) {
        case ENOENT:
        case ENOTDIR: return ErrorCode::NotFound;
        case ENOSPC:
        case EDQUOT:
        case EFBIG:  // the process's limit on file sizes
        case ENOMEM:
        case EMFILE:
        case ENFILE: return ErrorCode::ResourceExhausted;
        default: return ErrorCode::Internal;
    }
}

}  // namespace

Error systemError(const std::filesystem::path& path, const char* action) {
    const int code = errno;
    return {kindOf(code), path.string() + ": " + action + ": " + systemReason(code)};
}

std::string systemReason(int code) {
    std::array<char, 128> text{};
    return strerror_r(code, text.data(), text.size());
}

}  // namespace bifocal
