// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

#include <cstdio>
#include <cstdlib>

namespace bifocal {

const char* toString(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument: return "invalid_argument";
        case ErrorCode::NotFound: return "not_found";
        case ErrorCode::AlreadyExists: return "already_exists";
        case ErrorCode::Corruption: return "corruption";
        case ErrorCode::Unsupported: return "unsupported";
        case ErrorCode::ResourceExhausted: return "resource_exhausted";
        case ErrorCode::Busy: return "busy";
        case ErrorCode::Cancelled: return "cancelled";
        case ErrorCode::DeviceLost: return "device_lost";
        case ErrorCode::Internal: return "internal";
    }
    return "internal";
}

namespace detail {

void assertionFailed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, condition);
    std::abort();
}

}  // namespace detail
}  // namespace bifocal
