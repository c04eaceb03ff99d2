// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/queue_bench.h"

#include "core/base/assert.h"
#include "core/base/clock.h"
#include "core/schedule/internal/indexed_heap.h"

#include <random>

namespace bifocal::schedule {

namespace {

template <typename Choose>
double timePairs(IndexedHeap& heap, std::size_t count, Choose choose) {
    std::mt19937_64 random(2);
    std::uint64_t sequence = heap.size();
    const TimePoint begin = SteadyClock().now();
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t handle = choose(random);
        heap.erase(handle);
        heap.push({random(), ++sequence, handle});
    }
    const Duration time = SteadyClock().now() - begin;
    return static_cast<double>(time.count()) / static_cast<double>(count);
}

}  // namespace

QueueTimes timeReadyQueue(std::span<const std::uint64_t> keys, std::size_t operationCount) {
    BIFOCAL_ASSERT(!keys.empty() && keys.size() <= std::size_t{1} << IndexedHeap::kHandleBits &&
                   operationCount > 0);
    IndexedHeap heap;
    for (const std::uint64_t key : keys) {
        const auto handle = static_cast<std::uint32_t>(heap.size());
        heap.push({key, handle, handle});
    }
    QueueTimes times;
    times.popPush = timePairs(
        heap, operationCount, [&heap](std::mt19937_64& /*random*/) { return heap.top().handle; });
    times.erasePush = timePairs(heap, operationCount, [&keys](std::mt19937_64& random) {
        return static_cast<std::uint32_t>(random() % keys.size());
    });
    return times;
}

}  // namespace bifocal::schedule
