// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstdint>

namespace bifocal::schedule {

/// How the tasks of one stage and shape are joined into runs of a lane. A run grows in the order of
/// the policy, to the largest allowed size that keeps the deadlines of its members. Threads: value.
struct BatchRule {
    /// Largest run of a class in items, Interactive first; TaskSpec::maxJoined may allow less.
    std::array<std::uint32_t, 3> maxSize{8, 8, 32};
    /// How long the first task of a class waits for companions while its run is not full. An
    /// interactive task should not: it would pay the wait and nothing else.
    std::array<Duration, 3> window{};
    /// Less urgent tasks of the same stage and shape that may ride in an interactive run which is
    /// not full, as long as they lengthen it by no more than a twentieth.
    std::uint32_t maxRiders = 0;

    /// The mission's second source document: runs of 8, or what came in 50 ms, whoever waits.
    static BatchRule eightOrFiftyMilliseconds();
    /// Its first one: half as many as there are multiprocessors (T4: 40, so 20).
    static BatchRule halfOfMultiprocessors(std::uint32_t multiprocessors);
};

/// Runs are padded up to one of these sizes, so that each has a program that is warm.
inline constexpr std::array<std::uint32_t, 6> kRunSizes{1, 2, 4, 8, 16, 32};
inline constexpr std::uint32_t kMaxRunSize = kRunSizes.back();

/// Smallest run size that holds `items`; the largest when none does.
std::uint32_t paddedSize(std::uint32_t items);

}  // namespace bifocal::schedule
