// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bifocal::schedule {

/// What the ready queue of a lane costs on this machine, in nanoseconds. Threads: value.
struct QueueTimes {
    double popPush = 0;    ///< the first one out and a new one in
    double erasePush = 0;  ///< any one out, by its handle, and a new one in
};

/// Fills a ready queue with these keys and then does each pair of operations `operationCount`
/// times, so that its size stays. Requires: keys, and no more than 2^24 of them.
/// Threads: compatible.
QueueTimes timeReadyQueue(std::span<const std::uint64_t> keys, std::size_t operationCount);

}  // namespace bifocal::schedule
