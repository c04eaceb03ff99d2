// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/assert.h"
#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/schedule/task.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace bifocal::schedule {

/// A task that was accepted: two cache lines, because each is read by another core than wrote it.
/// Threads: value.
struct alignas(64) QueuedTask {
    TaskSpec spec;
    std::shared_ptr<Work> work;  ///< until it is dispatched
    TimePoint enqueued;
    std::uint32_t queue = 0;  ///< of its lane
    std::uint32_t model = 0;  ///< index of its cost model

    /// Takes over what the caller gives.
    void fill(const TaskSpec& ofCaller, std::shared_ptr<Work>& workOfCaller, TimePoint now) {
        spec = ofCaller;
        work = std::move(workOfCaller);
        enqueued = now;
    }
    /// Begins to load it, for somebody who will soon want it.
    void fetch() const {
        __builtin_prefetch(this);
        __builtin_prefetch(&work);  // in the second line
    }
    /// The same for what it points at.
    void fetchOwned() const {
        // A token has nothing but the address of its state. Were it otherwise, a wrong address
        // would load nothing.
        const void* state = nullptr;
        static_assert(sizeof(state) == sizeof(spec.stop));
        std::memcpy(&state, static_cast<const void*>(&spec.stop), sizeof(state));
        __builtin_prefetch(state);
        __builtin_prefetch(work.get());
    }
};
static_assert(sizeof(QueuedTask) == 128);

/// Where the tasks of a lane live, from enqueue to the end of their run, at an address that does
/// not change. A slot is used again with the next generation, so that an old id finds nothing.
/// What is asked about all slots (of which request, of which generation) lies apart from the tasks,
/// close together: a request's tasks are found by looking at 16 bytes a slot, which costs a
/// microsecond for 4,096 and saves every other task two links.
/// Invariants: (1) a slot is free, reserved, queued, or taken by a run; (2) no allocation once it
/// has held as many tasks as it gets. Threads: compatible; a taken task may be used without the
/// others.
class TaskSlab {
public:
    /// Free → reserved: the caller fills the task.
    std::uint32_t reserve();
    /// Reserved → queued.
    void queue(std::uint32_t slot);
    /// Queued → taken: the id is over, the task stays where it is.
    QueuedTask& take(std::uint32_t slot);
    /// Taken → free. Its work and stop token were given up by then.
    void free(std::uint32_t slot);
    /// Queued → free.
    QueuedTask remove(std::uint32_t slot);

    /// Begins to load what is known of a slot, for somebody who will soon want it.
    void fetch(std::uint32_t slot) const {
        taskIn(slot).fetch();
        __builtin_prefetch(&states_[slot]);
    }

    /// Slots of every kind: all are below this number.
    std::size_t slotCount() const { return states_.size(); }
    /// Queued tasks.
    std::size_t size() const { return size_; }
    /// Requires: a task is in the slot.
    const QueuedTask& at(std::uint32_t slot) const { return taskIn(slot); }
    QueuedTask& at(std::uint32_t slot) { return taskIn(slot); }
    std::uint32_t generationOf(std::uint32_t slot) const { return states_[slot].generation; }
    /// Whether a queued task of this generation is in the slot.
    bool contains(std::uint32_t slot, std::uint32_t generation) const {
        return slot < states_.size() && isQueued(slot) && states_[slot].generation == generation;
    }
    /// Slots of a request's queued tasks, in no particular order.
    std::vector<std::uint32_t> slotsOf(RequestId request) const;
    std::vector<std::uint32_t> allSlots() const;

    static constexpr std::uint32_t kSlotBits = 24;
    static constexpr std::uint32_t kMaxSlots = 1U << kSlotBits;

private:
    static constexpr std::uint32_t kBlockSize = 256;
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint32_t kQueued = UINT32_MAX - 1;
    static constexpr std::uint32_t kTaken = UINT32_MAX - 2;
    static constexpr std::uint32_t kReserved = UINT32_MAX - 3;

    struct State {
        RequestId request;
        std::uint32_t generation = 1;  // never 0, so that no id is 0
        std::uint32_t next = kNone;    // kReserved, kQueued, kTaken, or the next free one
    };
    struct Block {
        std::array<QueuedTask, kBlockSize> tasks;
    };

    bool isQueued(std::uint32_t slot) const { return states_[slot].next == kQueued; }
    QueuedTask& taskIn(std::uint32_t slot) const {
        BIFOCAL_ASSERT(slot < states_.size());
        return blocks_[slot / kBlockSize]->tasks[slot % kBlockSize];
    }
    void grow();

    std::vector<State> states_;
    std::vector<std::unique_ptr<Block>> blocks_;
    std::uint32_t firstFree_ = kNone;
    std::size_t size_ = 0;
};

}  // namespace bifocal::schedule
