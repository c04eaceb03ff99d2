// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/task_slab.h"

#include <utility>

namespace bifocal::schedule {

std::uint32_t TaskSlab::reserve() {
    if (firstFree_ == kNone) {
        grow();
    }
    const std::uint32_t slot = firstFree_;
    firstFree_ = states_[slot].next;
    if (firstFree_ != kNone) {
        fetch(firstFree_);
    }
    states_[slot].next = kReserved;
    return slot;
}

void TaskSlab::queue(std::uint32_t slot) {
    BIFOCAL_ASSERT(slot < states_.size() && states_[slot].next == kReserved);
    states_[slot].next = kQueued;
    states_[slot].request = at(slot).spec.request;
    ++size_;
}

QueuedTask& TaskSlab::take(std::uint32_t slot) {
    BIFOCAL_ASSERT(slot < states_.size() && isQueued(slot));
    State& state = states_[slot];
    state.next = kTaken;
    state.generation = state.generation == UINT32_MAX ? 1 : state.generation + 1;
    --size_;
    return at(slot);
}

void TaskSlab::free(std::uint32_t slot) {
    BIFOCAL_ASSERT(slot < states_.size() && states_[slot].next == kTaken);
    states_[slot].next = firstFree_;
    firstFree_ = slot;
}

QueuedTask TaskSlab::remove(std::uint32_t slot) {
    QueuedTask task = std::move(take(slot));
    free(slot);
    return task;
}

std::vector<std::uint32_t> TaskSlab::slotsOf(RequestId request) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t slot = 0; slot < states_.size(); ++slot) {
        if (states_[slot].request == request && isQueued(slot)) {
            found.push_back(slot);
        }
    }
    return found;
}

std::vector<std::uint32_t> TaskSlab::allSlots() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t slot = 0; slot < states_.size(); ++slot) {
        if (isQueued(slot)) {
            found.push_back(slot);
        }
    }
    return found;
}

/// The lowest slot comes first, so that a short queue touches few of them.
void TaskSlab::grow() {
    const auto first = static_cast<std::uint32_t>(states_.size());
    BIFOCAL_ASSERT(first + kBlockSize <= kMaxSlots);
    blocks_.push_back(std::make_unique<Block>());
    states_.resize(std::size_t{first} + kBlockSize);
    for (std::uint32_t slot = first + kBlockSize; slot-- > first;) {
        states_[slot].next = firstFree_;
        firstFree_ = slot;
    }
}

}  // namespace bifocal::schedule
