// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

namespace bifocal {

/// A point on a monotonic time line, nanoseconds since an arbitrary start.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::nanoseconds;

/// Where the engine gets its time from, so that tests and the simulator can own it.
/// Threads: safe.
class Clock {
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;

    virtual TimePoint now() const = 0;
};

/// The machine's monotonic clock. Threads: safe.
class SteadyClock final : public Clock {
public:
    TimePoint now() const override { return std::chrono::steady_clock::now(); }
};

/// Time that moves when told to. Threads: safe.
class ManualClock final : public Clock {
public:
    TimePoint now() const override {
        return TimePoint(Duration(nanoseconds_.load(std::memory_order_acquire)));
    }
    void advance(Duration step) { nanoseconds_.fetch_add(step.count(), std::memory_order_acq_rel); }

private:
    std::atomic<Duration::rep> nanoseconds_{0};
};

}  // namespace bifocal
