// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"

#include <cstdint>

#include <sys/stat.h>

namespace bifocal {

inline FileStamp stampFrom(const struct stat& status) {
    return {static_cast<std::uint64_t>(status.st_size),
            std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
            status.st_ino};
}

}  // namespace bifocal
