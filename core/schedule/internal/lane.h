// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/schedule/internal/admission.h"
#include "core/schedule/internal/inbox.h"
#include "core/schedule/internal/lane_core.h"
#include "core/schedule/memory_budget.h"
#include "core/schedule/scheduler.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace bifocal::schedule {

/// How a run that was begun is over.
enum class RunEnd : std::uint8_t { Completed = 1, Abandoned };

/// A run that is over and was not yet handed back to its lane; none. Threads: value.
struct EndedRun {
    Run* run = nullptr;
    RunEnd end = RunEnd::Completed;
};

/// The decisions of one lane under a mutex, and the sleep of its workers. Producers take that mutex
/// only when a worker is idle, or the inbox has no room; else the next one to take it, for whatever
/// reason, takes over what is in the inbox first.
/// Invariants: (1) while a class has work that could begin and no claim, one of the workers that
/// serve it is not idle, or was signalled, and signals the next one when it begins; (2) no worker
/// sleeps while there is something in the inbox; (3) conditions are signalled, and work is called
/// and destroyed, with no lock held. Threads: safe; next() and boundary() on the lane's workers
/// alone.
class Lane {
public:
    Lane(std::uint32_t index,
         const LaneConfig& config,
         double guaranteedShare,
         std::unique_ptr<Policy> policy,
         Admission& admission,
         MemoryBudget& budget,
         const Clock& clock);

    std::size_t workerCount() const { return workers_.size(); }
    const WorkerConfig& workerConfig(std::uint32_t worker) const { return workers_[worker].config; }
    const char* name() const { return name_; }
    LaneId id() const { return LaneId{index_}; }
    bool serves(Urgency urgency) const;

    Result<TaskId> enqueue(const TaskSpec& spec, std::shared_ptr<Work> work);
    /// The queued task, removed; none when it is not queued.
    std::optional<QueuedTask> take(TaskId id);
    std::vector<QueuedTask> takeRequest(RequestId request);
    /// Removes everything that is queued and ends next() for every worker.
    std::vector<QueuedTask> stop();
    /// After the workers are gone: a run that was suspended, to be abandoned and finished; or none.
    Run* takeSuspended();

    /// Takes back the run that is over, its bytes released, if there is one; then sleeps until
    /// there is something to do. None when the lane was stopped. `now`: when the run was over.
    std::optional<Decision> next(std::uint32_t worker, EndedRun ended, TimePoint now);
    /// See LaneCore::boundary(). None: the lane was stopped, or all members were: abandon them.
    std::optional<Decision> boundary(std::uint32_t worker, Run& run, TimePoint now);
    /// What LaneCore::takeDead() has.
    std::optional<LaneCore::Dead> takeDead();
    /// Takes it back without asking for more.
    void finish(EndedRun ended, TimePoint now);
    /// There may be room for the claim of this class.
    void wakeFor(Urgency urgency);

    /// See LaneCore::reconfigure(); wakes whoever may have something to do then.
    void reconfigure(std::unique_ptr<Policy> policy,
                     double guaranteedShare,
                     const BatchRule& batching);

    LaneStats stats() const;
    const char* policyName() const;

    /// Lane that an id belongs to.
    static std::uint32_t laneOf(TaskId id);

private:
    struct Worker {
        WorkerConfig config;
        std::condition_variable wake;
        bool isIdle = false;
        bool isSignalled = false;
    };
    using Sleepers = std::array<Worker*, kClassCount>;

    static Served servedBy(const Worker& worker) {
        return {worker.config.mostUrgent, worker.config.leastUrgent};
    }
    static void notify(const Sleepers& sleepers);

    Result<TaskId> enqueueAtOnce(const TaskSpec& spec, std::shared_ptr<Work>& work, TimePoint now);

    // With mutex_ held:
    void takeArrivals(Sleepers& sleepers);
    void signalForNew(const LaneCore::Enqueued& enqueued,
                      Urgency urgency,
                      TimePoint now,
                      Sleepers& sleepers);
    void restock(std::size_t missing);
    void takeBack(EndedRun ended, TimePoint now);
    bool hasClaimFor(const Worker& worker) const;
    bool askForRoom(std::unique_lock<std::mutex>& lock);
    void waitForSignal(Worker& self,
                       std::unique_lock<std::mutex>& lock,
                       TimePoint until,
                       TimePoint now);
    void begin(const Decision& decision);
    void signalForTheRest(const Worker& self,
                          const Decision& decision,
                          bool wasSignalled,
                          Sleepers& sleepers);
    void addSignal(std::size_t cls, Sleepers& sleepers);
    void wakeUp(Worker& worker);
    Worker* idleWorkerFor(std::size_t cls);
    Worker* signalOneFor(std::size_t cls);

    const std::uint32_t index_;
    const char* const name_;
    MemoryBudget& budget_;
    const Clock& clock_;
    std::vector<Worker> workers_;
    std::array<std::vector<Worker*>, kClassCount> serving_;  // least versatile first

    // Apart from what is only read, which would otherwise move from core to core with it.
    alignas(64) mutable std::mutex mutex_;  // guards what follows, and isIdle and isSignalled
    LaneCore core_;
    std::vector<Inbox::Ticket> arrivals_;  // empty, but in takeArrivals()
    std::vector<Inbox::Ticket> tickets_;   // empty, but in restock()
    std::array<std::uint32_t, kClassCount> running_{};
    std::uint64_t completedCount_ = 0;
    std::uint64_t abandonedCount_ = 0;
    bool isStopping_ = false;
    std::atomic<std::size_t> idleCount_;  // changed with mutex_ held
    Inbox inbox_;
};

}  // namespace bifocal::schedule
