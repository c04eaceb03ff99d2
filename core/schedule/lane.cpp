// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/lane.h"

#include "core/base/assert.h"
#include "core/schedule/internal/lock_soon.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace bifocal::schedule {

namespace {

constexpr unsigned kGenerationShift = 32;
constexpr unsigned kLaneShift = TaskSlab::kSlotBits;
constexpr std::uint64_t kLaneMask = 0xFF;
constexpr std::uint64_t kSlotMask = TaskSlab::kMaxSlots - 1;

TaskId makeId(std::uint32_t generation, std::uint32_t lane, std::uint32_t slot) {
    return TaskId{(std::uint64_t{generation} << kGenerationShift) |
                  (std::uint64_t{lane} << kLaneShift) | slot};
}

std::uint32_t slotOf(TaskId id) {
    return static_cast<std::uint32_t>(id.value & kSlotMask);
}

std::uint32_t generationOf(TaskId id) {
    return static_cast<std::uint32_t>(id.value >> kGenerationShift);
}

}  // namespace

Lane::Lane(std::uint32_t index,
           const LaneConfig& config,
           double guaranteedShare,
           std::unique_ptr<Policy> policy,
           Admission& admission,
           MemoryBudget& budget,
           const Clock& clock)
    : index_(index),
      name_(config.name),
      budget_(budget),
      clock_(clock),
      workers_(config.workers.size()),
      core_({config.name,
             index,
             config.readyCap,
             static_cast<std::uint32_t>(config.workers.size()),
             guaranteedShare,
             config.batching},
            std::move(policy),
            admission),
      idleCount_(config.workers.size()) {
    arrivals_.reserve(Inbox::kMaxStock);
    tickets_.reserve(Inbox::kMaxStock);
    BIFOCAL_ASSERT(index <= kLaneMask && !workers_.empty());
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        workers_[i].config = config.workers[i];
        workers_[i].isIdle = true;  // until its thread first asks for work
        const WorkerConfig& worker = workers_[i].config;
        BIFOCAL_ASSERT(worker.mostUrgent <= worker.leastUrgent);
        for (std::size_t cls = LaneCore::indexOf(worker.mostUrgent);
             cls <= LaneCore::indexOf(worker.leastUrgent);
             ++cls) {
            serving_[cls].push_back(&workers_[i]);
        }
    }
    // Work goes to those who can do little else, so that the others stay free for urgent work.
    for (auto& workers : serving_) {
        std::stable_sort(workers.begin(), workers.end(), [](const Worker* a, const Worker* b) {
            return a->config.mostUrgent > b->config.mostUrgent;
        });
    }
}

bool Lane::serves(Urgency urgency) const {
    return !serving_[LaneCore::indexOf(urgency)].empty();
}

Result<TaskId> Lane::enqueue(const TaskSpec& spec, std::shared_ptr<Work> work) {
    const TimePoint now = clock_.now();
    const std::optional<Inbox::Ticket> ticket = inbox_.tryPut(spec, work, now);
    if (!ticket) {
        return enqueueAtOnce(spec, work, now);
    }
    // A worker that was not idle yet looks into the inbox before it sleeps.
    if (idleCount_.load(std::memory_order_relaxed) > 0) {
        Sleepers sleepers{};
        {
            const std::lock_guard lock(mutex_);
            takeArrivals(sleepers);
        }
        notify(sleepers);
    }
    return makeId(ticket->generation, index_, ticket->slot);
}

Result<TaskId> Lane::enqueueAtOnce(const TaskSpec& spec,
                                   std::shared_ptr<Work>& work,
                                   TimePoint now) {
    Sleepers sleepers{};
    std::unique_lock lock(mutex_);
    if (isStopping_) {
        return Error{ErrorCode::Cancelled, std::string(name_) + ": scheduler is stopping"};
    }
    takeArrivals(sleepers);
    const Result<LaneCore::Enqueued> enqueued = core_.enqueue(spec, work, now);
    TaskId id;
    if (enqueued) {
        id = makeId(core_.generationOf(enqueued->slot), index_, enqueued->slot);
        signalForNew(*enqueued, spec.urgency, now, sleepers);
    }
    restock(inbox_.missing());
    lock.unlock();
    notify(sleepers);
    if (!enqueued) {
        return enqueued.error();
    }
    return id;
}

std::optional<QueuedTask> Lane::take(TaskId id) {
    std::optional<QueuedTask> task;
    Sleepers sleepers{};
    {
        const std::lock_guard lock(mutex_);
        takeArrivals(sleepers);
        if (core_.contains(slotOf(id), generationOf(id))) {
            task = core_.remove(slotOf(id));
            ++abandonedCount_;
            // Where a claim stood, the next of its class may fit.
            addSignal(LaneCore::indexOf(task->spec.urgency), sleepers);
        }
    }
    notify(sleepers);
    return task;
}

std::vector<QueuedTask> Lane::takeRequest(RequestId request) {
    std::vector<QueuedTask> tasks;
    Sleepers sleepers{};
    {
        const std::lock_guard lock(mutex_);
        takeArrivals(sleepers);
        for (const std::uint32_t slot : core_.slotsOf(request)) {
            tasks.push_back(core_.remove(slot));
        }
        abandonedCount_ += tasks.size();
        for (std::size_t cls = 0; !tasks.empty() && cls < kClassCount; ++cls) {
            addSignal(cls, sleepers);
        }
    }
    notify(sleepers);
    return tasks;
}

std::vector<QueuedTask> Lane::stop() {
    std::vector<QueuedTask> tasks;
    {
        const std::lock_guard lock(mutex_);
        isStopping_ = true;
        inbox_.close();
        Sleepers sleepers{};  // all are woken below
        takeArrivals(sleepers);
        for (const std::uint32_t slot : core_.allSlots()) {
            tasks.push_back(core_.remove(slot));
        }
        abandonedCount_ += tasks.size();
    }
    for (Worker& worker : workers_) {
        worker.wake.notify_one();
    }
    return tasks;
}

Run* Lane::takeSuspended() {
    const std::lock_guard lock(mutex_);
    Run* run = core_.takeSuspended();
    if (run != nullptr) {
        ++running_[LaneCore::indexOf(run->urgency)];  // until finish()
    }
    return run;
}

std::optional<Decision> Lane::next(std::uint32_t worker, EndedRun ended, TimePoint now) {
    Worker& self = workers_[worker];
    Sleepers sleepers{};
    Decision decision;
    budget_.refresh(now);
    {
        auto lock = lockSoon(mutex_);
        takeBack(ended, now);
        bool wasSignalled = self.isIdle && self.isSignalled;
        bool hasAskedForRoom = false;
        wakeUp(self);
        while (!isStopping_) {
            takeArrivals(sleepers);
            decision = core_.next(servedBy(self), now);
            if (decision.kind != Decision::Kind::Wait) {
                break;
            }
            if (sleepers != Sleepers{}) {  // before this one sleeps
                lock.unlock();
                notify(std::exchange(sleepers, {}));
                lock.lock();
                now = clock_.now();
                continue;
            }
            if (hasClaimFor(self)) {
                if (!std::exchange(hasAskedForRoom, true) && askForRoom(lock)) {
                    now = clock_.now();
                    continue;
                }
                // It may wait for nothing but what other programs give back, and nobody tells.
                if (budget_.isLive()) {
                    decision.until = std::min(decision.until, now + MemoryBudget::kMaxAge);
                }
            }
            waitForSignal(self, lock, decision.until, now);
            wasSignalled = true;
            hasAskedForRoom = false;
            now = clock_.now();
            if (budget_.isLive()) {
                lock.unlock();
                budget_.refresh(now);
                lock.lock();
            }
        }
        if (isStopping_) {
            return std::nullopt;
        }
        begin(decision);
        signalForTheRest(self, decision, wasSignalled, sleepers);
    }
    notify(sleepers);
    return decision;
}

std::optional<Decision> Lane::boundary(std::uint32_t worker, Run& run, TimePoint now) {
    Sleepers sleepers{};
    Decision decision;
    {
        const std::lock_guard lock(mutex_);
        if (isStopping_ || LaneCore::allStopped(run)) {
            return std::nullopt;
        }
        takeArrivals(sleepers);
        decision = core_.boundary(run, servedBy(workers_[worker]), now);
        if (decision.kind == Decision::Kind::Run && decision.run != &run) {
            begin(decision);
            --running_[LaneCore::indexOf(run.urgency)];  // suspended
        }
    }
    notify(sleepers);
    return decision;
}

std::optional<LaneCore::Dead> Lane::takeDead() {
    const std::lock_guard lock(mutex_);
    auto dead = core_.takeDead();
    abandonedCount_ += dead ? 1 : 0;
    return dead;
}

void Lane::finish(EndedRun ended, TimePoint now) {
    const std::lock_guard lock(mutex_);
    takeBack(ended, now);
}

void Lane::wakeFor(Urgency urgency) {
    Worker* sleeper = nullptr;
    {
        const std::lock_guard lock(mutex_);
        sleeper = signalOneFor(LaneCore::indexOf(urgency));
    }
    if (sleeper != nullptr) {
        sleeper->wake.notify_one();
    }
}

void Lane::reconfigure(std::unique_ptr<Policy> policy,
                       double guaranteedShare,
                       const BatchRule& batching) {
    Sleepers sleepers{};
    {
        const std::lock_guard lock(mutex_);
        takeArrivals(sleepers);
        core_.reconfigure(std::move(policy), guaranteedShare, batching);
        // Who sleeps until a time of the old order has to ask again.
        for (Worker& worker : workers_) {
            worker.isSignalled = worker.isSignalled || worker.isIdle;
        }
    }
    for (Worker& worker : workers_) {
        worker.wake.notify_one();
    }
}

const char* Lane::policyName() const {
    const std::lock_guard lock(mutex_);
    return core_.policy().name();
}

LaneStats Lane::stats() const {
    LaneStats stats;
    stats.name = name_;
    const std::lock_guard lock(mutex_);
    const Inbox::Counts arrived = inbox_.counts();
    for (std::size_t cls = 0; cls < kClassCount; ++cls) {
        stats.ready[cls] = core_.readyCount(cls) + arrived[cls];
        stats.credits[cls] = core_.arbiter().credit(cls);
    }
    stats.running = running_;
    stats.completedCount = completedCount_;
    stats.abandonedCount = abandonedCount_;
    stats.guardTurnCount = core_.guardTurnCount();
    stats.suspensionCount = core_.suspensionCount();
    return stats;
}

std::uint32_t Lane::laneOf(TaskId id) {
    return static_cast<std::uint32_t>((id.value >> kLaneShift) & kLaneMask);
}

void Lane::notify(const Sleepers& sleepers) {
    for (Worker* sleeper : sleepers) {
        if (sleeper != nullptr) {
            sleeper->wake.notify_one();
        }
    }
}

void Lane::waitForSignal(Worker& self,
                         std::unique_lock<std::mutex>& lock,
                         TimePoint until,
                         TimePoint now) {
    const auto isAwake = [this, &self] { return self.isSignalled || isStopping_; };
    self.isIdle = true;
    self.isSignalled = false;
    ++idleCount_;
    if (inbox_.counts() != Inbox::Counts{}) {
        wakeUp(self);  // its producer may not have seen that this worker is idle
        return;
    }
    if (until == TimePoint::max()) {
        self.wake.wait(lock, isAwake);
    } else {
        self.wake.wait_until(lock, std::chrono::steady_clock::now() + (until - now), isAwake);
    }
    wakeUp(self);
}

void Lane::takeArrivals(Sleepers& sleepers) {
    if (inbox_.isEmpty()) {
        return;
    }
    const std::size_t missing = inbox_.take(arrivals_);
    for (const Inbox::Ticket& ticket : arrivals_) {
        ticket.task->fetch();  // they come from another core
    }
    for (const Inbox::Ticket& ticket : arrivals_) {
        const Urgency urgency = ticket.task->spec.urgency;
        signalForNew(core_.enqueue(ticket.slot), urgency, ticket.task->enqueued, sleepers);
    }
    arrivals_.clear();
    if (missing >= Inbox::kMaxStock / 8) {
        restock(missing);
    }
}

// One for each class: it signals the next one when it begins.
void Lane::signalForNew(const LaneCore::Enqueued& enqueued,
                        Urgency urgency,
                        TimePoint now,
                        Sleepers& sleepers) {
    const std::size_t cls = LaneCore::indexOf(urgency);
    if (!enqueued.needsWorker || idleWorkerFor(cls) == nullptr) {
        return;
    }
    // Its claim counts from now on, not from when a worker has woken up to make it. What the claim
    // waits for comes with a signal, if nothing that nobody uses can make room for it.
    if (!core_.claimIfItMustWait(cls, now) || budget_.mayHelp()) {
        addSignal(cls, sleepers);
    }
}

void Lane::restock(std::size_t missing) {
    for (std::size_t i = 0; !isStopping_ && i < missing; ++i) {
        const std::uint32_t slot = core_.reserve();
        tickets_.push_back({&core_.taskIn(slot), slot, core_.generationOf(slot)});
    }
    Inbox::Counts free{};
    for (std::size_t cls = 0; cls < kClassCount; ++cls) {
        free[cls] = core_.freeCount(cls);
    }
    inbox_.restock(tickets_, free);
    tickets_.clear();
}

void Lane::takeBack(EndedRun ended, TimePoint now) {
    if (ended.run != nullptr) {
        --running_[LaneCore::indexOf(ended.run->urgency)];
        (ended.end == RunEnd::Completed ? completedCount_ : abandonedCount_) += ended.run->count;
        core_.finish(*ended.run, now);
    }
}

bool Lane::hasClaimFor(const Worker& worker) const {
    bool hasClaim = false;
    for (std::size_t cls = LaneCore::indexOf(worker.config.mostUrgent);
         cls <= LaneCore::indexOf(worker.config.leastUrgent);
         ++cls) {
        hasClaim = hasClaim || core_.hasClaim(cls);
    }
    return hasClaim;
}

/// What nobody uses goes, for the first claim. False: it lacks nothing; else it was unlocked
/// meanwhile.
bool Lane::askForRoom(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t lacking = core_.lackingBytes();
    if (lacking == 0) {
        return false;
    }
    lock.unlock();
    budget_.makeRoom(lacking);
    lock.lock();
    return true;
}

void Lane::begin(const Decision& decision) {
    if (decision.kind == Decision::Kind::Run) {
        ++running_[LaneCore::indexOf(decision.urgency)];
    }
}

// What is left of the classes that were not looked at goes to the next sleepers. A claim needs that
// only when the signal that this worker used up was perhaps meant for it.
void Lane::signalForTheRest(const Worker& self,
                            const Decision& decision,
                            bool wasSignalled,
                            Sleepers& sleepers) {
    const bool isGuardTurn = decision.kind == Decision::Kind::Run && decision.run->isGuardTurn;
    const std::size_t first =
        LaneCore::indexOf(isGuardTurn ? self.config.mostUrgent : decision.urgency);
    for (std::size_t cls = first;
         idleCount_ > 0 && cls <= LaneCore::indexOf(self.config.leastUrgent);
         ++cls) {
        if (!core_.hasClaim(cls) || wasSignalled) {
            addSignal(cls, sleepers);
        }
    }
}

void Lane::wakeUp(Worker& worker) {
    if (worker.isIdle) {
        worker.isIdle = false;
        --idleCount_;
    }
}

Lane::Worker* Lane::idleWorkerFor(std::size_t cls) {
    if (idleCount_ == 0 || !core_.hasWork(cls)) {
        return nullptr;
    }
    for (Worker* worker : serving_[cls]) {
        if (worker->isIdle && !worker->isSignalled) {
            return worker;
        }
    }
    return nullptr;
}

void Lane::addSignal(std::size_t cls, Sleepers& sleepers) {
    if (sleepers[cls] == nullptr) {
        sleepers[cls] = signalOneFor(cls);
    }
}

Lane::Worker* Lane::signalOneFor(std::size_t cls) {
    Worker* worker = idleWorkerFor(cls);
    if (worker != nullptr) {
        worker->isSignalled = true;
    }
    return worker;
}

}  // namespace bifocal::schedule
