// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/base/tracer.h"
#include "core/schedule/batching.h"
#include "core/schedule/memory_budget.h"
#include "core/schedule/memory_ledger.h"
#include "core/schedule/model_cache.h"
#include "core/schedule/policy.h"
#include "core/schedule/task.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bifocal::schedule {

/// One thread of a lane.
struct WorkerConfig {
    Urgency mostUrgent = Urgency::Interactive;  ///< serves classes from here …
    Urgency leastUrgent = Urgency::Batch;       ///< … to here, most urgent first
    int nice = 0;  ///< of the operating system, as far as it allows it; 19 for batch workers
                   ///< (architecture §4: the one preemption a CPU gives for nothing)
};

/// A queue per class and the threads that serve it.
struct LaneConfig {
    const char* name = "";  ///< "text", "image", "pool": a literal, spans keep it by pointer
    std::vector<WorkerConfig> workers;
    std::uint32_t readyCap = 4096;  ///< per class; beyond it enqueue answers Busy
    BatchRule batching;             ///< of tasks that can be joined
};

/// What can be changed while a scheduler runs. Threads: value.
struct Tuning {
    PolicyConfig policy;
    double guaranteedShare = 0.05;  ///< φ, see SchedulerConfig
    BatchRule batching;             ///< of every lane
};

struct SchedulerConfig {
    std::vector<LaneConfig> lanes;
    std::uint64_t memoryBudgetBytes = 0;  ///< of the ledger; 0: half of the machine's memory
    std::uint32_t maxSlots = 0;           ///< extra cap on runs at once; 0: none
    /// φ, 0 to 0.5: the share of a lane's device time that each less urgent class gets while it has
    /// work, whatever is more urgent. Work with A device-seconds of its class before it begins
    /// within (A + (1 + φ)·q) / φ, q the longest time the lane is not interrupted.
    double guaranteedShare = 0.05;
    /// The budget at this moment, when other programs use the same memory; empty: it stays. Never
    /// above memoryBudgetBytes. Read again before work is admitted when the last reading is older
    /// than MemoryBudget::kMaxAge, and that often while work waits for memory: never when there is
    /// nothing to do. Above it nothing is admitted, and models that nobody uses go; what runs goes
    /// on, for it holds all it will ever need and gives it back soonest that way.
    MemoryBudget::Read readBudget{};
};

/// What the profiler draws. Threads: value.
struct LaneStats {
    std::string name;
    std::array<std::uint32_t, 3> ready{};    ///< by class, Interactive first
    std::array<std::uint32_t, 3> running{};  ///< by class
    std::uint64_t completedCount = 0;
    std::uint64_t abandonedCount = 0;
    std::uint64_t guardTurnCount = 0;   ///< runs that passed more urgent work, by the share
    std::uint64_t suspensionCount = 0;  ///< runs that stepped aside at a boundary
    std::array<double, 3> credits{};    ///< by class, device-seconds; see guaranteedShare
};

struct SchedulerStats {
    std::vector<LaneStats> lanes;
    MemoryLedger::Snapshot memory;
    const char* policy = "";
};

/// Lanes of workers that serve Interactive before Prefetch before Batch, and inside a class in the
/// order of the policy; a task runs when its bytes fit the ledger. One that is first and does not
/// fit keeps its place: until it fits, nothing of its class or of a less urgent one is given bytes
/// or a slot on any lane.
/// Invariants: (1) a worker never begins a task, or the next segment of one, while a task of a more
/// urgent class that it serves is ready and fits, but for the turns of the guaranteed share and
/// policies without class order; (2) exactly one of run() and abandon() per accepted task; (3)
/// callbacks run with no lock held; (4) a sleeping worker wakes only for work or shutdown, and to
/// read the budget again while its work waits for memory; (5) the ledger is back at its persistent
/// bytes when nothing runs. Every run leaves two spans in the tracer, Queue (enqueue → start) and
/// Execute; a run that stepped aside leaves one Execute span for each stretch. Threads: safe. The
/// destructor abandons what is queued (Shutdown), waits for what runs, and joins.
class Scheduler {
public:
    Scheduler() = default;
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;
    virtual ~Scheduler() = default;

    /// Takes the work on success; on failure nothing is called and the caller still has it.
    /// Never blocks. Busy (ready queue full, with a time to retry after), ResourceExhausted (more
    /// bytes than the budget could ever hold), Cancelled (stop was requested already, or the
    /// scheduler is being destroyed), InvalidArgument (no such lane, or none of its workers serves
    /// the class).
    virtual Result<TaskId> enqueue(const TaskSpec& spec, std::shared_ptr<Work> work) = 0;

    /// Removes a queued task and calls its abandon(Cancelled) before returning: true. False when it
    /// runs already (its stop token is the way) or is over.
    virtual bool cancel(TaskId id) = 0;
    /// The same for every queued task of a request; returns how many were removed. Work without a
    /// request (id 0) is not found.
    virtual std::size_t cancelRequest(RequestId request) = 0;

    /// Serves everything, also what is queued already, in another order: nothing is lost, nothing
    /// runs twice, and what runs goes on. InvalidArgument as makePolicy(), or for φ outside 0 to
    /// 0.5; nothing has changed then.
    virtual Result<void> retune(const Tuning& tuning) = 0;

    virtual MemoryLedger& ledger() = 0;
    /// Models that may go when their memory is needed. Requires: no pin outlives the scheduler.
    virtual ModelCache& models() = 0;
    virtual SchedulerStats stats() const = 0;
};

/// Starts the workers. `clock` and `tracer` must outlive the scheduler. Requires: 1 to 256 lanes,
/// every one with a worker, every worker with a range of classes that is not empty.
std::unique_ptr<Scheduler> makeScheduler(const SchedulerConfig& config,
                                         std::unique_ptr<Policy> policy,
                                         const Clock& clock,
                                         Tracer& tracer);

/// Work from two callables, for callers without state of their own.
std::shared_ptr<Work> makeWork(std::function<void(const WorkerContext&)> run,
                               std::function<void(Abandoned)> abandon);

}  // namespace bifocal::schedule
