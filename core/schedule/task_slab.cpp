// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/task_slab.h"

#include "core/base/assert.h"

#include <utility>

namespace bifocal::schedule {

TaskSlab::TaskSlab() {
    buckets_.fill(kNone);
}

std::uint32_t TaskSlab::insert(const TaskSpec& spec,
                               std::shared_ptr<Work> work,
                               TimePoint enqueued,
                               std::uint32_t queue) {
    std::uint32_t index = firstFree_;
    if (index == kNone) {
        BIFOCAL_ASSERT(slots_.size() < kMaxSlots);
        index = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
    } else {
        firstFree_ = slots_[index].next;
    }
    Slot& slot = slots_[index];
    slot.task = QueuedTask{spec, std::move(work), enqueued, queue};
    slot.isUsed = true;
    std::uint32_t& first = bucketOf(spec.request);
    slot.previous = kNone;
    slot.next = first;
    if (first != kNone) {
        slots_[first].previous = index;
    }
    first = index;
    ++size_;
    return index;
}

QueuedTask TaskSlab::take(std::uint32_t index) {
    BIFOCAL_ASSERT(index < slots_.size() && slots_[index].isUsed);
    Slot& slot = slots_[index];
    QueuedTask task = std::move(slot.task);
    slot.task = QueuedTask{};
    if (slot.previous == kNone) {
        bucketOf(task.spec.request) = slot.next;
    } else {
        slots_[slot.previous].next = slot.next;
    }
    if (slot.next != kNone) {
        slots_[slot.next].previous = slot.previous;
    }
    slot.isUsed = false;
    slot.generation = slot.generation == UINT32_MAX ? 1 : slot.generation + 1;
    slot.next = firstFree_;
    firstFree_ = index;
    --size_;
    return task;
}

const QueuedTask& TaskSlab::at(std::uint32_t index) const {
    BIFOCAL_ASSERT(index < slots_.size() && slots_[index].isUsed);
    return slots_[index].task;
}

bool TaskSlab::contains(std::uint32_t index, std::uint32_t generation) const {
    return index < slots_.size() && slots_[index].isUsed && slots_[index].generation == generation;
}

std::vector<std::uint32_t> TaskSlab::slotsOf(RequestId request) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t index = buckets_[request.value % kBucketCount]; index != kNone;
         index = slots_[index].next) {
        if (slots_[index].task.spec.request == request) {
            found.push_back(index);
        }
    }
    return found;
}

std::vector<std::uint32_t> TaskSlab::allSlots() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t index = 0; index < slots_.size(); ++index) {
        if (slots_[index].isUsed) {
            found.push_back(index);
        }
    }
    return found;
}

}  // namespace bifocal::schedule
