// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/schedule/batching.h"
#include "core/schedule/internal/admission.h"
#include "core/schedule/internal/class_arbiter.h"
#include "core/schedule/internal/cost_model.h"
#include "core/schedule/internal/indexed_heap.h"
#include "core/schedule/internal/task_slab.h"
#include "core/schedule/policy.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace bifocal::schedule {

/// Tasks that were dispatched together, until they are over. Threads: compatible.
struct Run {
    std::array<QueuedTask*, kMaxRunSize> members{};  ///< in the lane's slab, taken
    std::array<std::uint32_t, kMaxRunSize> slots{};  ///< of members
    std::array<std::uint64_t, kMaxRunSize> keys{};   ///< of the policy, of members
    std::array<std::shared_ptr<Work>, kMaxRunSize> works;
    std::uint32_t count = 0;  ///< of members
    std::uint32_t items = 0;
    std::uint64_t bytes = 0;  ///< reserved for all of them
    Urgency urgency = Urgency::Interactive;
    std::uint32_t model = 0;                ///< index of its cost model
    std::optional<TimePoint> predictedEnd;  ///< as Admission knows it
    Duration served{0};                     ///< device time so far
    TimePoint segmentBegin;                 ///< of the segment that runs
    bool isFresh = true;                    ///< no segment was run yet
    bool isGuardTurn = false;    ///< begun or gone on with before more urgent work, by the share
    bool waitedForRoom = false;  ///< its first member held a claim

    std::span<QueuedTask* const> tasks() const { return {members.data(), count}; }
    /// Ends what the members hold of their callers: their works and stop tokens.
    void giveUp();
};

/// What a worker does next. Threads: value.
struct Decision {
    enum class Kind : std::uint8_t {
        Run = 1,  ///< run the next segment of `run`, then ask boundary() or finish()
        Abandon,  ///< end what takeDead() has, and ask again
        Wait,     ///< nothing before `until`, unless something is enqueued or room comes free
    };
    Kind kind = Kind::Wait;
    Urgency urgency = Urgency::Interactive;  ///< of what is run or ended
    bool othersWait = false;                 ///< ask Admission::firstServable() whom to wake
    bool hasDead = false;                    ///< ask takeDead() before anything else
    schedule::Run* run = nullptr;
    TimePoint at;  ///< when it was made
    TimePoint until = TimePoint::max();
};

/// Range of classes that a worker serves. Threads: value.
struct Served {
    Urgency mostUrgent = Urgency::Interactive;
    Urgency leastUrgent = Urgency::Batch;
};

struct LaneCoreConfig {
    const char* name = "";
    std::uint32_t index = 0;     ///< among the claimants
    std::uint32_t readyCap = 0;  ///< per class
    std::uint32_t workerCount = 1;
    double guaranteedShare = 0;  ///< φ
    BatchRule batching;
    double predictionScale = 1;  ///< see CostModel
};

/// Every decision of a lane: who is next, with whom it is joined, who steps aside. It knows neither
/// threads nor a clock: the product drives it from worker threads, the simulator from its events,
/// and both see the same decisions.
/// Invariants: (1) a queued task is in exactly one place: a heap, or claimed of its class; (2) at
/// most one run of a class is suspended, and goes on before another of its class begins; (3)
/// between next() and finish() a run belongs to one worker, or is suspended; (4) nothing is
/// allocated once it has held as many tasks, stages and runs as it gets. Threads: compatible; one
/// Admission may serve several lanes.
class LaneCore {
public:
    LaneCore(const LaneCoreConfig& config, std::unique_ptr<Policy> policy, Admission& admission);

    struct Enqueued {
        std::uint32_t slot = 0;
        bool needsWorker = false;  ///< there is something to do, or an earlier time to wait for
    };
    /// Slot for a task that its producer fills and enqueue() is told of later.
    std::uint32_t reserve() { return slab_.reserve(); }
    QueuedTask& taskIn(std::uint32_t slot) { return slab_.at(slot); }
    /// The task in a reserved slot is ready. Requires: freeCount() of its class is not 0.
    Enqueued enqueue(std::uint32_t slot);
    /// The same for a task that was not filled in. Busy when the class is full; the caller then
    /// still has the work.
    Result<Enqueued> enqueue(const TaskSpec& spec, std::shared_ptr<Work>& work, TimePoint now);
    std::uint32_t generationOf(std::uint32_t slot) const { return slab_.generationOf(slot); }

    Decision next(Served served, TimePoint now);
    /// The worker's run has reached a boundary and has more to do. It goes on when the decision is
    /// the same run; else it was suspended and the worker does something more urgent. Its members
    /// are to be abandoned, and finish() called, when all were stopped: allStopped().
    Decision boundary(Run& run, Served served, TimePoint now);
    static bool allStopped(const Run& run);
    /// The run is over; its bytes are the caller's to release. It is used again afterwards: what
    /// its members hold was given up.
    void finish(Run& run, TimePoint now);

    bool contains(std::uint32_t slot, std::uint32_t generation) const {
        return slab_.contains(slot, generation);
    }
    /// Tasks that next() or boundary() found stopped, expired or too late: end them, then go on.
    struct Dead {
        QueuedTask task;
        Abandoned why = Abandoned::Cancelled;
    };
    std::optional<Dead> takeDead();
    /// Removes a queued task.
    QueuedTask remove(std::uint32_t slot);
    std::vector<std::uint32_t> slotsOf(RequestId request) const { return slab_.slotsOf(request); }
    std::vector<std::uint32_t> allSlots() const { return slab_.allSlots(); }
    /// Ends what is suspended, as part of shutting down.
    Run* takeSuspended();

    /// Notes a claim for the first task of a class that could begin but must wait for room. True:
    /// it must.
    bool claimIfItMustWait(std::size_t cls, TimePoint now);
    bool hasClaim(std::size_t cls) const { return claimed_[cls].has_value(); }
    std::uint64_t lackingBytes() const { return admission_.lackingBytes(); }
    bool hasWork(std::size_t cls) const;
    std::uint32_t readyCount(std::size_t cls) const { return readyCounts_[cls]; }
    /// Tasks of the class that it has room for.
    std::uint32_t freeCount(std::size_t cls) const { return config_.readyCap - readyCounts_[cls]; }
    /// What a run of this size takes, measured before there is work.
    void learn(const char* stage, std::uint32_t shapeBucket, std::uint32_t items, Duration time);
    /// Another order, share and rule from now on: what is queued gets its new keys in the order of
    /// its arrival, claims and suspended runs stay as they are. Allocates.
    void reconfigure(std::unique_ptr<Policy> policy,
                     double guaranteedShare,
                     const BatchRule& batching);
    const Policy& policy() const { return *policy_; }
    const ClassArbiter& arbiter() const { return arbiter_; }
    std::uint64_t guardTurnCount() const { return guardTurnCount_; }
    std::uint64_t suspensionCount() const { return suspensionCount_; }
    std::uint64_t riderCount() const { return riderCount_; }

    static std::size_t indexOf(Urgency urgency) { return static_cast<std::size_t>(urgency) - 1; }

private:
    /// The tasks of one class that the policy keeps together and that can be joined.
    struct Queue {
        IndexedHeap heap;
        std::size_t cls = 0;
        std::size_t policyQueue = 0;
        std::uint32_t model = 0;  // of its tasks, when they can be joined
        bool isJoinable = false;
        TimePoint waitingSince;  // of its first task, for the batch window
    };
    struct Model {
        const char* stage = "";
        std::uint32_t shapeBucket = 0;
        CostModel cost;
    };

    Decision decide(Served served, TimePoint now);
    Decision decideAtBoundary(Run& run, Served served, TimePoint now);
    std::uint32_t modelFor(const char* stage, std::uint32_t shapeBucket);
    std::size_t queueFor(const TaskSpec& spec, std::uint32_t model);
    std::uint32_t largestRun(const Queue& queue, const TaskSpec& head) const;
    TimePoint ripeAt(const Queue& queue) const;
    ClassArbiter::Flags classesWithWork() const;
    Duration predictedRun(std::uint32_t model, std::uint32_t items) const;
    bool isTooLate(const QueuedTask& task, std::uint32_t items, TimePoint now) const;
    bool isBefore(std::size_t a, std::size_t b, TimePoint now) const;
    std::optional<std::size_t> bestQueue(std::size_t cls, TimePoint now, TimePoint& until) const;

    std::optional<Decision> expire(TimePoint now);
    Decision abandon(std::uint32_t slot, Abandoned why);
    std::optional<Decision> pickAcross(const ClassArbiter::Flags& flags,
                                       TimePoint now,
                                       TimePoint& until);
    std::optional<Decision> pickOf(std::size_t cls, TimePoint now, TimePoint& until);
    std::optional<Decision> dispatch(std::size_t cls, std::size_t index, TimePoint now);
    void fill(Run& run, Queue& queue, std::uint32_t largest, std::uint32_t target, TimePoint now);
    void addRiders(Run& run, const Queue& host, std::uint32_t largest, TimePoint now);
    void fetchNext(const Queue& queue) const;
    void addMember(Run& run, Queue& queue, std::uint32_t slot, std::uint64_t key, TimePoint now);
    void leave(Queue& queue, std::uint32_t slot);
    void repredict(Run& run, TimePoint end);
    void charge(Run& run, const ClassArbiter::Flags& hasWork, TimePoint now);
    Run& takeFreeRun();

    LaneCoreConfig config_;
    std::unique_ptr<Policy> policy_;
    Admission& admission_;
    ClassArbiter arbiter_;
    TaskSlab slab_;
    IndexedHeap expiries_;
    std::vector<Queue> queues_;
    std::vector<Model> models_;
    std::array<std::uint32_t, kClassCount> readyCounts_{};
    std::array<std::optional<std::uint32_t>, kClassCount> claimed_;  // waits for room
    std::array<std::uint64_t, kClassCount> claimedKeys_{};           // of claimed_
    std::array<Run*, kClassCount> suspended_{};
    std::vector<Dead> dead_;
    std::vector<std::unique_ptr<Run>> runs_;  // one for each worker, one for each suspended class
    std::vector<Run*> freeRuns_;
    std::uint64_t lastSequence_ = 0;
    std::uint64_t guardTurnCount_ = 0;
    std::uint64_t suspensionCount_ = 0;
    std::uint64_t riderCount_ = 0;
};

}  // namespace bifocal::schedule
