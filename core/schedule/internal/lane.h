// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/schedule/internal/admission.h"
#include "core/schedule/internal/indexed_heap.h"
#include "core/schedule/internal/task_slab.h"
#include "core/schedule/scheduler.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace bifocal::schedule {

/// What a worker is to do next. Threads: value.
struct Dispatch {
    QueuedTask task;
    bool isStopped = false;   ///< abandon it: its stop was requested while it was queued
    bool othersWait = false;  ///< ask Admission::firstServable() whom to wake
};

/// The ready queues of one lane and the sleep of its workers.
/// Invariants: (1) a queued task is in exactly one place: the heap of its class, or claimed_ of its
/// class; (2) while a class has work and no claim, no worker that serves it is idle without being
/// signalled; (3) claimed_ of a class is set exactly while Admission holds its claim;
/// (4) conditions are signalled, and work is called and destroyed, with no lock held.
/// Threads: safe; next() and finish() on the lane's workers alone.
class Lane {
public:
    Lane(std::uint32_t index, const LaneConfig& config, Admission& admission);

    std::size_t workerCount() const { return workers_.size(); }
    const WorkerConfig& workerConfig(std::uint32_t worker) const { return workers_[worker].config; }
    const char* name() const { return name_; }
    bool serves(Urgency urgency) const;

    Result<TaskId> enqueue(const TaskSpec& spec,
                           std::shared_ptr<Work> work,
                           std::uint64_t key,
                           TimePoint now);
    /// The queued task, removed; none when it is not queued.
    std::optional<QueuedTask> take(TaskId id);
    std::vector<QueuedTask> takeRequest(RequestId request);
    /// Removes everything and ends next() for every worker.
    std::vector<QueuedTask> stop();

    /// Sleeps until there is something to do; none when the lane was stopped. What is returned
    /// counts as running until finish(), unless it is stopped work.
    std::optional<Dispatch> next(std::uint32_t index);
    void finish(Urgency urgency, Duration time);
    /// There may be room for the claim of this class.
    void wakeFor(Urgency urgency);

    LaneStats stats() const;

    /// Lane that an id belongs to.
    static std::uint32_t laneOf(TaskId id);

private:
    static constexpr std::size_t kClassCount = 3;

    struct Worker {
        WorkerConfig config;
        std::condition_variable wake;
        bool isIdle = false;
        bool isSignalled = false;
    };

    static std::size_t indexOf(Urgency urgency) { return static_cast<std::size_t>(urgency) - 1; }
    Claimant claimant(std::size_t cls) const { return {index_, static_cast<Urgency>(cls + 1)}; }

    // With mutex_ held:
    std::optional<Dispatch> pick(const WorkerConfig& worker);
    std::optional<Dispatch> pickOf(std::size_t cls);
    bool hasWork(std::size_t cls) const { return claimed_[cls] || !heaps_[cls].isEmpty(); }
    QueuedTask remove(std::uint32_t slot);
    bool claimTop(std::size_t cls);
    void wakeUp(Worker& worker);
    Worker* idleWorkerFor(std::size_t cls);
    Worker* signalOneFor(std::size_t cls);
    std::uint32_t readyCount(std::size_t cls) const;
    std::chrono::milliseconds retryAfter() const;

    const std::uint32_t index_;
    const char* const name_;
    const std::uint32_t readyCap_;
    Admission& admission_;
    std::vector<Worker> workers_;
    std::array<std::vector<Worker*>, kClassCount> serving_;  // least versatile first

    mutable std::mutex mutex_;  // guards what follows, and isIdle and isSignalled
    TaskSlab slab_;
    std::array<IndexedHeap, kClassCount> heaps_;
    std::array<std::optional<std::uint32_t>, kClassCount> claimed_;  // waits for room
    std::array<std::uint32_t, kClassCount> running_{};
    std::uint64_t lastSequence_ = 0;
    std::uint64_t completedCount_ = 0;
    std::uint64_t abandonedCount_ = 0;
    Duration typicalTime_{0};  // of one task, decaying mean
    std::size_t idleCount_;
    bool isStopping_ = false;
};

}  // namespace bifocal::schedule
