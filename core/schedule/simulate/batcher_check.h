// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::schedule {

/// One run of joined tasks. Threads: value.
struct BatcherFlush {
    Duration time{0};
    std::size_t size = 0;

    friend bool operator==(const BatcherFlush&, const BatcherFlush&) = default;
};

/// What a lane did with tasks that can be joined. Threads: value.
struct BatcherCheck {
    std::vector<BatcherFlush> flushes;
    std::size_t wrongFlushes = 0;  ///< not at the eighth task or 50 ms after the first of the run
};

/// Tasks that arrive at these times, in order, at a lane with BatchRule::eightOrFiftyMilliseconds()
/// and a device that takes no time, on a virtual clock.
BatcherCheck checkBatcher(std::span<const Duration> arrivals);

/// Poisson arrivals. The same seed gives the same ones.
std::vector<Duration> batcherArrivals(std::uint64_t seed, std::size_t count, double perSecond);

}  // namespace bifocal::schedule
