// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/schedule/task.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace bifocal::schedule {

/// A task that was accepted and has not begun. Threads: value.
struct QueuedTask {
    TaskSpec spec;
    std::shared_ptr<Work> work;
    TimePoint enqueued;
    std::uint32_t queue = 0;  ///< of its lane
};

/// Where the queued tasks of a lane live. A slot is used again with the next generation, so that an
/// old id finds nothing. The tasks of a request are chained, so that they are found without a
/// search. No allocation once it has held as many tasks as it gets.
/// Threads: compatible.
class TaskSlab {
public:
    TaskSlab();

    /// Slot of the new task.
    std::uint32_t insert(const TaskSpec& spec,
                         std::shared_ptr<Work> work,
                         TimePoint enqueued,
                         std::uint32_t queue);
    /// Frees the slot. Requires: a task is in it.
    QueuedTask take(std::uint32_t index);

    std::size_t size() const { return size_; }
    /// Requires: a task is in the slot.
    const QueuedTask& at(std::uint32_t index) const;
    std::uint32_t generationOf(std::uint32_t slot) const { return slots_[slot].generation; }
    /// Whether a task of this generation is in the slot.
    bool contains(std::uint32_t index, std::uint32_t generation) const;
    /// Slots of a request's tasks, in no particular order.
    std::vector<std::uint32_t> slotsOf(RequestId request) const;
    std::vector<std::uint32_t> allSlots() const;

    static constexpr std::uint32_t kSlotBits = 24;
    static constexpr std::uint32_t kMaxSlots = 1U << kSlotBits;

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::size_t kBucketCount = 256;

    struct Slot {
        QueuedTask task;
        std::uint32_t generation = 1;  // never 0, so that no id is 0
        std::uint32_t next = kNone;    // of the request's bucket, or of the free slots
        std::uint32_t previous = kNone;
        bool isUsed = false;
    };

    std::uint32_t& bucketOf(RequestId request) { return buckets_[request.value % kBucketCount]; }

    std::vector<Slot> slots_;
    std::array<std::uint32_t, kBucketCount> buckets_;  // first slot of each chain
    std::uint32_t firstFree_ = kNone;
    std::size_t size_ = 0;
};

}  // namespace bifocal::schedule
