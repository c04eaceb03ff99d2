// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bifocal::detail {

/// Prints the broken promise to standard error and aborts.
[[noreturn]] void assertionFailed(const char* condition, const char* file, int line);

}  // namespace bifocal::detail

/// Checks a promise between our own parts; on in release builds. Input from users, files, models,
/// devices or settings must never be able to reach it.
#define BIFOCAL_ASSERT(condition)                                               \
    do {                                                                        \
        if (!(condition)) {                                                     \
            ::bifocal::detail::assertionFailed(#condition, __FILE__, __LINE__); \
        }                                                                       \
    } while (false)
