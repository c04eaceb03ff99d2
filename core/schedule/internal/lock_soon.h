// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace bifocal::schedule {

/// Locks a mutex that others hold for less than a microsecond: it looks some times before it has
/// the thread put to sleep, as that and being woken cost both sides some microseconds.
/// Threads: safe.
inline std::unique_lock<std::mutex> lockSoon(std::mutex& mutex) {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
        if (mutex.try_lock()) {
            return {mutex, std::adopt_lock};
        }
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    return std::unique_lock(mutex);
}

}  // namespace bifocal::schedule
