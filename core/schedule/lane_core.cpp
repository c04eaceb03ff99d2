// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/lane_core.h"

#include "core/base/assert.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace bifocal::schedule {

namespace {

/// The unsigned number that stands where a time stands among times.
std::uint64_t orderOf(TimePoint time) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    return static_cast<std::uint64_t>(time.time_since_epoch().count()) ^ kSign;
}

}  // namespace

LaneCore::LaneCore(const LaneCoreConfig& config,
                   std::unique_ptr<Policy> policy,
                   Admission& admission)
    : config_(config),
      policy_(std::move(policy)),
      admission_(admission),
      arbiter_(config.guaranteedShare) {
    BIFOCAL_ASSERT(policy_ != nullptr);
    const std::uint64_t runCount = config.workerCount + kClassCount;
    BIFOCAL_ASSERT((config.readyCap + 1ULL) * kClassCount + (runCount + 16) * kMaxRunSize <
                   TaskSlab::kMaxSlots);
    for (std::uint64_t i = 0; i < runCount; ++i) {
        freeRuns_.push_back(runs_.emplace_back(std::make_unique<Run>()).get());
    }
}

void Run::giveUp() {
    for (std::uint32_t i = 0; i < count; ++i) {
        works[i].reset();
        members[i]->spec.stop = {};
    }
}

Result<LaneCore::Enqueued> LaneCore::enqueue(const TaskSpec& spec,
                                             std::shared_ptr<Work>& work,
                                             TimePoint now) {
    const std::size_t cls = indexOf(spec.urgency);
    if (freeCount(cls) == 0) {
        const Duration cost =
            models_[modelFor(spec.stage, spec.shapeBucket)].cost.mean(spec.itemCount);
        return Error{ErrorCode::Busy,
                     std::string(config_.name) + ": ready queue of class " +
                         toString(spec.urgency) + " is full",
                     std::max(std::chrono::ceil<std::chrono::milliseconds>(cost),
                              std::chrono::milliseconds(1))};
    }
    const std::uint32_t slot = slab_.reserve();
    slab_.at(slot).fill(spec, work, now);
    return enqueue(slot);
}

LaneCore::Enqueued LaneCore::enqueue(std::uint32_t slot) {
    QueuedTask& task = slab_.at(slot);
    TaskSpec& spec = task.spec;
    const TimePoint now = task.enqueued;
    const std::size_t cls = indexOf(spec.urgency);
    BIFOCAL_ASSERT(freeCount(cls) > 0);
    slab_.queue(slot);
    task.model = modelFor(spec.stage, spec.shapeBucket);
    spec.predictedCost = models_[task.model].cost.mean(spec.itemCount);
    task.queue = static_cast<std::uint32_t>(queueFor(spec, task.model));
    Queue& queue = queues_[task.queue];
    if (queue.heap.isEmpty()) {
        queue.waitingSince = now;
    }
    // At once for all slots: whichever comes later must not need an allocation.
    queue.heap.makeRoomFor(slab_.slotCount());
    queue.heap.push({policy_->key(spec, now), ++lastSequence_, slot});
    const bool isEarliestExpiry =
        spec.expiry && (expiries_.isEmpty() || orderOf(*spec.expiry) < expiries_.top().key);
    if (spec.expiry) {
        expiries_.push({orderOf(*spec.expiry), lastSequence_, slot});
    }
    ++readyCounts_[cls];
    const bool isFirstOrFull = ripeAt(queue) <= now || queue.heap.size() == 1;
    return {slot, isEarliestExpiry || (!claimed_[cls] && isFirstOrFull)};
}

Decision LaneCore::next(Served served, TimePoint now) {
    Decision decision = decide(served, now);
    decision.at = now;
    decision.hasDead = !dead_.empty();
    return decision;
}

Decision LaneCore::boundary(Run& run, Served served, TimePoint now) {
    Decision decision = decideAtBoundary(run, served, now);
    decision.at = now;
    decision.hasDead = !dead_.empty();
    return decision;
}

Decision LaneCore::decide(Served served, TimePoint now) {
    if (const auto expired = expire(now)) {
        return *expired;
    }
    Decision wait;
    wait.until = expiries_.isEmpty() ? TimePoint::max()
                                     : slab_.at(expiries_.top().handle).spec.expiry.value();
    ClassArbiter::Flags flags = classesWithWork();
    for (std::size_t cls = 0; cls < kClassCount; ++cls) {
        flags[cls] =
            flags[cls] && cls >= indexOf(served.mostUrgent) && cls <= indexOf(served.leastUrgent);
    }
    if (policy_->classOrder() == ClassOrder::Ignored) {
        if (const auto decision = pickAcross(flags, now, wait.until)) {
            return *decision;
        }
        return wait;
    }
    const ClassArbiter::Order order = arbiter_.order(flags, policy_->classOrder());
    for (std::size_t i = 0; i < order.count; ++i) {
        const std::size_t cls = order.classes[i];
        const auto decision = pickOf(cls, now, wait.until);
        if (!decision) {
            continue;
        }
        const bool passesUrgentWork =
            i < order.guardCount && std::any_of(flags.begin(),
                                                flags.begin() + static_cast<std::ptrdiff_t>(cls),
                                                [](bool hasWork) { return hasWork; });
        if (decision->kind == Decision::Kind::Run && passesUrgentWork) {
            decision->run->isGuardTurn = true;
            ++guardTurnCount_;
        }
        return *decision;
    }
    return wait;
}

Decision LaneCore::decideAtBoundary(Run& run, Served served, TimePoint now) {
    const std::size_t cls = indexOf(run.urgency);
    ClassArbiter::Flags flags = classesWithWork();
    flags[cls] = true;
    charge(run, flags, now);
    Decision goOn;
    goOn.kind = Decision::Kind::Run;
    goOn.run = &run;
    goOn.urgency = run.urgency;
    if (policy_->classOrder() == ClassOrder::Ignored || suspended_[cls] != nullptr) {
        return goOn;
    }
    const ClassArbiter::Order order = arbiter_.order(flags, policy_->classOrder());
    for (std::size_t i = 0; i < order.count && order.classes[i] != cls; ++i) {
        const std::size_t other = order.classes[i];
        if (other < indexOf(served.mostUrgent) || other > indexOf(served.leastUrgent)) {
            continue;
        }
        TimePoint until = TimePoint::max();
        const auto decision = pickOf(other, now, until);
        if (decision && decision->kind == Decision::Kind::Run) {
            suspended_[cls] = &run;
            run.isGuardTurn = false;
            repredict(run, TimePoint::max());
            ++suspensionCount_;
        }
        if (decision) {
            return *decision;
        }
    }
    const bool passesUrgentWork =
        arbiter_.hasGuardTurn(cls) && std::any_of(flags.begin(),
                                                  flags.begin() + static_cast<std::ptrdiff_t>(cls),
                                                  [](bool hasWork) { return hasWork; });
    if (passesUrgentWork && !run.isGuardTurn) {
        run.isGuardTurn = true;
        ++guardTurnCount_;
    }
    return goOn;
}

bool LaneCore::allStopped(const Run& run) {
    const auto tasks = run.tasks();
    return std::all_of(tasks.begin(), tasks.end(), [](const QueuedTask* task) {
        return task->spec.stop.stop_requested();
    });
}

void LaneCore::finish(Run& run, TimePoint now) {
    charge(run, classesWithWork(), now);
    models_[run.model].cost.observe(run.items, run.served);
    for (std::uint32_t i = 0; i < run.count; ++i) {
        slab_.free(run.slots[i]);
    }
    freeRuns_.push_back(&run);
}

void LaneCore::charge(Run& run, const ClassArbiter::Flags& hasWork, TimePoint now) {
    const Duration time = now - run.segmentBegin;
    arbiter_.charge(indexOf(run.urgency), time, hasWork);
    run.served += time;
    run.segmentBegin = now;
}

QueuedTask LaneCore::remove(std::uint32_t slot) {
    const QueuedTask& task = slab_.at(slot);
    const std::size_t cls = indexOf(task.spec.urgency);
    Queue& queue = queues_[task.queue];
    if (claimed_[cls] == slot) {
        admission_.withdraw({config_.index, task.spec.urgency});
        claimed_[cls].reset();
    } else {
        queue.heap.erase(slot);
    }
    leave(queue, slot);
    return slab_.remove(slot);
}

Run* LaneCore::takeSuspended() {
    for (Run*& run : suspended_) {
        if (run != nullptr) {
            return std::exchange(run, nullptr);
        }
    }
    return nullptr;
}

std::optional<LaneCore::Dead> LaneCore::takeDead() {
    if (dead_.empty()) {
        return std::nullopt;
    }
    Dead dead = std::move(dead_.back());
    dead_.pop_back();
    return dead;
}

bool LaneCore::claimIfItMustWait(std::size_t cls, TimePoint now) {
    TimePoint until = TimePoint::max();
    const std::optional<std::size_t> index = bestQueue(cls, now, until);
    if (claimed_[cls] || suspended_[cls] != nullptr || !index) {
        return claimed_[cls].has_value();
    }
    const auto [key, sequence, slot] = queues_[*index].heap.top();
    const TaskSpec& spec = slab_.at(slot).spec;
    if (!admission_.claimIfItMustWait({config_.index, spec.urgency}, spec.bytes)) {
        return false;
    }
    queues_[*index].heap.erase(slot);
    claimed_[cls] = slot;
    claimedKeys_[cls] = key;
    return true;
}

void LaneCore::reconfigure(std::unique_ptr<Policy> policy,
                           double guaranteedShare,
                           const BatchRule& batching) {
    BIFOCAL_ASSERT(policy != nullptr);
    std::vector<IndexedHeap::Entry> queued;
    for (Queue& queue : queues_) {
        while (!queue.heap.isEmpty()) {
            queued.push_back(queue.heap.top());
            queue.heap.erase(queued.back().handle);
        }
    }
    std::sort(queued.begin(), queued.end(), [](const auto& a, const auto& b) {
        return a.sequence < b.sequence;
    });
    policy_ = std::move(policy);
    config_.batching = batching;
    config_.guaranteedShare = guaranteedShare;
    arbiter_.setShare(guaranteedShare);
    queues_.clear();
    for (const std::optional<std::uint32_t>& slot : claimed_) {
        if (slot) {
            QueuedTask& task = slab_.at(*slot);
            task.queue = static_cast<std::uint32_t>(queueFor(task.spec, task.model));
        }
    }
    for (const auto& [key, sequence, slot] : queued) {
        QueuedTask& task = slab_.at(slot);
        task.queue = static_cast<std::uint32_t>(queueFor(task.spec, task.model));
        Queue& queue = queues_[task.queue];
        queue.waitingSince = queue.heap.isEmpty() ? task.enqueued : queue.waitingSince;
        queue.heap.makeRoomFor(slab_.slotCount());
        queue.heap.push({policy_->key(task.spec, task.enqueued), sequence, slot});
    }
}

bool LaneCore::hasWork(std::size_t cls) const {
    return readyCounts_[cls] > 0 || suspended_[cls] != nullptr;
}

void LaneCore::learn(const char* stage,
                     std::uint32_t shapeBucket,
                     std::uint32_t items,
                     Duration time) {
    models_[modelFor(stage, shapeBucket)].cost.observe(items, time);
}

std::uint32_t LaneCore::modelFor(const char* stage, std::uint32_t shapeBucket) {
    for (std::uint32_t i = 0; i < models_.size(); ++i) {
        if (models_[i].stage == stage && models_[i].shapeBucket == shapeBucket) {
            return i;
        }
    }
    models_.push_back({stage, shapeBucket, CostModel(config_.predictionScale)});
    return static_cast<std::uint32_t>(models_.size() - 1);
}

std::size_t LaneCore::queueFor(const TaskSpec& spec, std::uint32_t model) {
    const std::size_t cls = indexOf(spec.urgency);
    const std::size_t policyQueue = policy_->queueOf(spec);
    const bool isJoinable = spec.maxJoined > 1;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        const Queue& queue = queues_[i];
        if (queue.cls == cls && queue.policyQueue == policyQueue &&
            queue.isJoinable == isJoinable && (!isJoinable || queue.model == model)) {
            return i;
        }
    }
    Queue& queue = queues_.emplace_back();
    queue.cls = cls;
    queue.policyQueue = policyQueue;
    queue.model = model;
    queue.isJoinable = isJoinable;
    return queues_.size() - 1;
}

std::uint32_t LaneCore::largestRun(const Queue& queue, const TaskSpec& head) const {
    return queue.isJoinable
               ? std::min({config_.batching.maxSize[queue.cls], head.maxJoined, kMaxRunSize})
               : 1;
}

TimePoint LaneCore::ripeAt(const Queue& queue) const {
    const Duration window = config_.batching.window[queue.cls];
    if (!queue.isJoinable || window == Duration(0) || queue.heap.isEmpty()) {
        return TimePoint::min();
    }
    const TaskSpec& head = slab_.at(queue.heap.top().handle).spec;
    // Items, as far as the number of tasks tells.
    const bool isFull = queue.heap.size() * head.itemCount >= largestRun(queue, head);
    return isFull ? TimePoint::min() : queue.waitingSince + window;
}

ClassArbiter::Flags LaneCore::classesWithWork() const {
    ClassArbiter::Flags flags{};
    for (std::size_t cls = 0; cls < kClassCount; ++cls) {
        flags[cls] = hasWork(cls);
    }
    return flags;
}

std::optional<Decision> LaneCore::expire(TimePoint now) {
    if (expiries_.isEmpty() || expiries_.top().key > orderOf(now)) {
        return std::nullopt;
    }
    return abandon(expiries_.top().handle, Abandoned::Expired);
}

Decision LaneCore::abandon(std::uint32_t slot, Abandoned why) {
    Decision decision;
    decision.kind = Decision::Kind::Abandon;
    decision.urgency = slab_.at(slot).spec.urgency;
    decision.othersWait = claimed_[indexOf(decision.urgency)] == slot;
    dead_.push_back({remove(slot), why});
    return decision;
}

std::optional<Decision> LaneCore::pickAcross(const ClassArbiter::Flags& flags,
                                             TimePoint now,
                                             TimePoint& until) {
    std::optional<std::size_t> best;
    for (std::size_t cls = 0; cls < kClassCount; ++cls) {
        if (!flags[cls]) {
            continue;
        }
        if (suspended_[cls] != nullptr || claimed_[cls]) {
            return pickOf(cls, now, until);
        }
        const TimePoint opens = policy_->mayBeginAt(static_cast<Urgency>(cls + 1), now);
        if (opens > now) {
            until = std::min(until, opens);
            continue;
        }
        const std::optional<std::size_t> candidate = bestQueue(cls, now, until);
        if (candidate && (!best || isBefore(*candidate, *best, now))) {
            best = candidate;
        }
    }
    return best ? dispatch(queues_[*best].cls, *best, now) : std::nullopt;
}

std::optional<Decision> LaneCore::pickOf(std::size_t cls, TimePoint now, TimePoint& until) {
    const TimePoint opens = policy_->mayBeginAt(static_cast<Urgency>(cls + 1), now);
    if (opens > now) {
        until = std::min(until, opens);
        return std::nullopt;
    }
    if (suspended_[cls] != nullptr) {
        Decision decision;
        decision.kind = Decision::Kind::Run;
        decision.run = std::exchange(suspended_[cls], nullptr);
        decision.urgency = decision.run->urgency;
        decision.run->segmentBegin = now;
        const Duration left =
            models_[decision.run->model].cost.p95(decision.run->items) - decision.run->served;
        repredict(*decision.run, now + std::max(left, Duration(0)));
        return decision;
    }
    if (claimed_[cls]) {
        return dispatch(cls, slab_.at(*claimed_[cls]).queue, now);
    }
    const std::optional<std::size_t> queue = bestQueue(cls, now, until);
    return queue ? dispatch(cls, *queue, now) : std::nullopt;
}

bool LaneCore::isBefore(std::size_t a, std::size_t b, TimePoint now) const {
    const auto headOf = [this](std::size_t index) {
        const IndexedHeap::Entry& top = queues_[index].heap.top();
        return QueueHead{top.key, top.sequence, queues_[index].policyQueue};
    };
    return policy_->goesBefore(headOf(a), headOf(b), now);
}

std::optional<std::size_t> LaneCore::bestQueue(std::size_t cls,
                                               TimePoint now,
                                               TimePoint& until) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        const Queue& queue = queues_[i];
        if (queue.cls != cls || queue.heap.isEmpty()) {
            continue;
        }
        const TimePoint ripe = ripeAt(queue);
        if (ripe > now) {
            until = std::min(until, ripe);
        } else if (!best || isBefore(i, *best, now)) {
            best = i;
        }
    }
    return best;
}

std::optional<Decision> LaneCore::dispatch(std::size_t cls, std::size_t index, TimePoint now) {
    Queue& queue = queues_[index];
    const bool isClaimed = claimed_[cls].has_value();
    const std::uint32_t slot = isClaimed ? *claimed_[cls] : queue.heap.top().handle;
    const std::uint64_t key = isClaimed ? claimedKeys_[cls] : queue.heap.top().key;
    const QueuedTask& task = slab_.at(slot);
    const TaskSpec& spec = task.spec;
    if (spec.stop.stop_requested()) {
        return abandon(slot, Abandoned::Cancelled);
    }
    const std::uint32_t waiting =
        static_cast<std::uint32_t>(queue.heap.size()) + (isClaimed ? 1 : 0);
    const std::uint32_t target =
        std::max(std::min(waiting, largestRun(queue, spec)), spec.itemCount);
    if (isTooLate(task, target, now)) {
        return abandon(slot, Abandoned::Expired);
    }
    std::optional<Prediction> prediction;
    Admitted admitted = Admitted::Yes;
    if (admission_.takesRoom(spec.bytes)) {
        if (const Duration time = predictedRun(task.model, target); time > Duration(0)) {
            prediction = Prediction{now, time};
        }
        admitted = admission_.tryAdmit({config_.index, spec.urgency}, spec.bytes, prediction);
    }
    if (admitted == Admitted::No) {
        if (!isClaimed) {
            queue.heap.erase(slot);
            claimed_[cls] = slot;
            claimedKeys_[cls] = key;
        }
        return std::nullopt;
    }
    if (isClaimed) {
        claimed_[cls].reset();  // the claim was served
    } else {
        queue.heap.erase(slot);
    }
    Run& run = takeFreeRun();
    run.urgency = spec.urgency;
    run.model = task.model;
    run.segmentBegin = now;
    run.predictedEnd = prediction ? std::optional(prediction->end()) : std::nullopt;
    const std::uint32_t largest = largestRun(queue, spec);
    run.waitedForRoom = isClaimed;
    addMember(run, queue, slot, key, now);
    fill(run, queue, largest, target, now);
    fetchNext(queue);
    Decision decision;
    decision.kind = Decision::Kind::Run;
    decision.run = &run;
    decision.urgency = run.urgency;
    decision.othersWait = admitted == Admitted::YesOthersWait;
    return decision;
}

void LaneCore::fill(
    Run& run, Queue& queue, std::uint32_t largest, std::uint32_t target, TimePoint now) {
    const CostModel& cost = models_[run.model].cost;
    TimePoint due = run.members[0]->spec.deadline.value_or(TimePoint::max());
    while (run.items < largest && run.count < kMaxRunSize && !queue.heap.isEmpty()) {
        const auto [key, sequence, slot] = queue.heap.top();
        const QueuedTask& task = slab_.at(slot);
        const TaskSpec& spec = task.spec;
        const bool isStopped = spec.stop.stop_requested();
        if (isStopped || isTooLate(task, target, now)) {
            dead_.push_back({remove(slot), isStopped ? Abandoned::Cancelled : Abandoned::Expired});
            continue;
        }
        const std::uint32_t items = run.items + spec.itemCount;
        const TimePoint dueThen = std::min(due, spec.deadline.value_or(TimePoint::max()));
        const bool makesLate = now + cost.p95(paddedSize(items)) > dueThen &&
                               now + cost.p95(paddedSize(run.items)) <= due;
        const bool isCostly = spec.bytes > 0 && run.bytes == 0;  // the head took no slot
        if (items > largest || makesLate || isCostly ||
            !admission_.tryExtend(spec.bytes, run.predictedEnd)) {
            break;
        }
        due = dueThen;
        queue.heap.erase(slot);
        addMember(run, queue, slot, key, now);
    }
    if (run.urgency == Urgency::Interactive && config_.batching.maxRiders > 0 && queue.isJoinable) {
        addRiders(run, queue, largest, now);
    }
}

void LaneCore::addRiders(Run& run, const Queue& host, std::uint32_t largest, TimePoint now) {
    constexpr double kLongest = 1.05;
    const std::size_t batch = indexOf(Urgency::Batch);
    const auto guest = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& queue) {
        return queue.cls == batch && queue.isJoinable && queue.model == host.model &&
               !queue.heap.isEmpty();
    });
    if (guest == queues_.end()) {
        return;
    }
    const CostModel& cost = models_[run.model].cost;
    const auto limit = cost.mean(paddedSize(run.items)) * kLongest;
    const std::uint32_t room = std::min(largest, run.items + config_.batching.maxRiders);
    while (!guest->heap.isEmpty()) {
        const auto [key, sequence, slot] = guest->heap.top();
        const TaskSpec& spec = slab_.at(slot).spec;
        const std::uint32_t items = run.items + spec.itemCount;
        if (items > room || run.count == kMaxRunSize || spec.stop.stop_requested() ||
            cost.mean(paddedSize(items)) > limit || (spec.bytes > 0 && run.bytes == 0) ||
            !admission_.tryExtend(spec.bytes, run.predictedEnd)) {
            break;
        }
        guest->heap.erase(slot);
        addMember(run, *guest, slot, key, now);
        ++riderCount_;
    }
}

Duration LaneCore::predictedRun(std::uint32_t model, std::uint32_t items) const {
    return models_[model].cost.p95(paddedSize(items));
}

bool LaneCore::isTooLate(const QueuedTask& task, std::uint32_t items, TimePoint now) const {
    return task.spec.onLate == OnLate::Drop && task.spec.deadline &&
           now + predictedRun(task.model, items) > *task.spec.deadline;
}

void LaneCore::repredict(Run& run, TimePoint end) {
    if (run.predictedEnd) {
        admission_.repredict(run.bytes, *run.predictedEnd, end);
        run.predictedEnd = end;
    }
}

/// The task, which is in no heap any more, does not count as ready from here on.
void LaneCore::leave(Queue& queue, std::uint32_t slot) {
    const TaskSpec& spec = slab_.at(slot).spec;
    --readyCounts_[indexOf(spec.urgency)];
    if (spec.expiry) {
        expiries_.erase(slot);
    }
    if (queue.isJoinable && !queue.heap.isEmpty()) {
        queue.waitingSince = slab_.at(queue.heap.top().handle).enqueued;
    }
}

/// A long queue is in no cache: who is next is loaded while the one before runs.
void LaneCore::fetchNext(const Queue& queue) const {
    if (!queue.heap.isEmpty()) {
        slab_.at(queue.heap.top().handle).fetchOwned();
        queue.heap.visitNext([this](std::uint32_t slot) { slab_.fetch(slot); });
    }
}

void LaneCore::addMember(
    Run& run, Queue& queue, std::uint32_t slot, std::uint64_t key, TimePoint now) {
    leave(queue, slot);
    QueuedTask& task = slab_.take(slot);
    // The clock was read before the lock was taken, by both sides.
    const Duration waited = std::max<Duration>(now - task.enqueued, Duration(0));
    policy_->onDispatch(task.spec, waited, now);
    run.items += task.spec.itemCount;
    run.bytes += task.spec.bytes;
    run.members[run.count] = &task;
    run.slots[run.count] = slot;
    run.keys[run.count] = key;
    run.works[run.count++] = std::move(task.work);
}

Run& LaneCore::takeFreeRun() {
    BIFOCAL_ASSERT(!freeRuns_.empty());
    Run& run = *freeRuns_.back();
    freeRuns_.pop_back();
    run.count = 0;
    run.items = 0;
    run.bytes = 0;
    run.served = Duration(0);
    run.isFresh = true;
    run.isGuardTurn = false;
    run.waitedForRoom = false;
    return run;
}

}  // namespace bifocal::schedule
