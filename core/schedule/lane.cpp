// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/lane.h"

#include "core/base/assert.h"

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

Lane::Lane(std::uint32_t index, const LaneConfig& config, Admission& admission)
    : index_(index),
      name_(config.name),
      readyCap_(config.readyCap),
      admission_(admission),
      workers_(config.workers.size()),
      idleCount_(config.workers.size()) {
    BIFOCAL_ASSERT(index <= kLaneMask && !workers_.empty());
    BIFOCAL_ASSERT(std::uint64_t{readyCap_} * kClassCount < TaskSlab::kMaxSlots);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        workers_[i].config = config.workers[i];
        workers_[i].isIdle = true;  // until its thread first asks for work
        const WorkerConfig& worker = workers_[i].config;
        BIFOCAL_ASSERT(worker.mostUrgent <= worker.leastUrgent);
        for (std::size_t cls = indexOf(worker.mostUrgent); cls <= indexOf(worker.leastUrgent);
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
    return !serving_[indexOf(urgency)].empty();
}

Result<TaskId> Lane::enqueue(const TaskSpec& spec,
                             std::shared_ptr<Work> work,
                             std::uint64_t key,
                             TimePoint now) {
    const std::size_t cls = indexOf(spec.urgency);
    TaskId id;
    Worker* sleeper = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (isStopping_) {
            return Error{ErrorCode::Cancelled, std::string(name_) + ": scheduler is stopping"};
        }
        if (readyCount(cls) >= readyCap_) {
            return Error{ErrorCode::Busy,
                         std::string(name_) + ": ready queue of class " + toString(spec.urgency) +
                             " is full",
                         retryAfter()};
        }
        const std::uint32_t slot = slab_.insert(spec, std::move(work), now);
        id = makeId(slab_.generationOf(slot), index_, slot);
        heaps_[cls].push({key, ++lastSequence_, slot});
        // Its claim counts from now on, not from when a worker has woken up to make it.
        if (!claimed_[cls] && idleWorkerFor(cls) != nullptr && !claimTop(cls)) {
            sleeper = signalOneFor(cls);
        }
    }
    if (sleeper != nullptr) {
        sleeper->wake.notify_one();
    }
    return id;
}

std::optional<QueuedTask> Lane::take(TaskId id) {
    std::optional<QueuedTask> task;
    Worker* sleeper = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (!slab_.contains(slotOf(id), generationOf(id))) {
            return std::nullopt;
        }
        task = remove(slotOf(id));
        ++abandonedCount_;
        // Where a claim stood, the next of its class may fit.
        sleeper = signalOneFor(indexOf(task->spec.urgency));
    }
    if (sleeper != nullptr) {
        sleeper->wake.notify_one();
    }
    return task;
}

std::vector<QueuedTask> Lane::takeRequest(RequestId request) {
    std::vector<QueuedTask> tasks;
    std::array<Worker*, kClassCount> sleepers{};
    {
        const std::lock_guard lock(mutex_);
        for (const std::uint32_t slot : slab_.slotsOf(request)) {
            tasks.push_back(remove(slot));
        }
        abandonedCount_ += tasks.size();
        for (std::size_t cls = 0; !tasks.empty() && cls < kClassCount; ++cls) {
            sleepers[cls] = signalOneFor(cls);
        }
    }
    for (Worker* sleeper : sleepers) {
        if (sleeper != nullptr) {
            sleeper->wake.notify_one();
        }
    }
    return tasks;
}

std::vector<QueuedTask> Lane::stop() {
    std::vector<QueuedTask> tasks;
    {
        const std::lock_guard lock(mutex_);
        isStopping_ = true;
        for (const std::uint32_t slot : slab_.allSlots()) {
            tasks.push_back(remove(slot));
        }
        abandonedCount_ += tasks.size();
    }
    for (Worker& worker : workers_) {
        worker.wake.notify_one();
    }
    return tasks;
}

std::optional<Dispatch> Lane::next(std::uint32_t index) {
    Worker& self = workers_[index];
    std::array<Worker*, kClassCount> sleepers{};
    std::optional<Dispatch> dispatch;
    {
        std::unique_lock lock(mutex_);
        bool wasSignalled = self.isIdle && self.isSignalled;
        wakeUp(self);
        while (!isStopping_ && !(dispatch = pick(self.config))) {
            self.isIdle = true;
            self.isSignalled = false;
            ++idleCount_;
            self.wake.wait(lock, [&] { return self.isSignalled || isStopping_; });
            wakeUp(self);
            wasSignalled = true;
        }
        if (!dispatch) {
            return std::nullopt;
        }
        // What is left of the classes that were not looked at goes to the next sleeper. A claim
        // needs that only when the signal that this worker used up was perhaps meant for it.
        for (std::size_t cls = indexOf(dispatch->task.spec.urgency);
             cls <= indexOf(self.config.leastUrgent);
             ++cls) {
            sleepers[cls] = claimed_[cls] && !wasSignalled ? nullptr : signalOneFor(cls);
        }
    }
    for (Worker* sleeper : sleepers) {
        if (sleeper != nullptr) {
            sleeper->wake.notify_one();
        }
    }
    return dispatch;
}

void Lane::finish(Urgency urgency, Duration time) {
    const std::lock_guard lock(mutex_);
    --running_[indexOf(urgency)];
    ++completedCount_;
    typicalTime_ = completedCount_ == 1 ? time : typicalTime_ + (time - typicalTime_) / 8;
}

void Lane::wakeFor(Urgency urgency) {
    Worker* sleeper = nullptr;
    {
        const std::lock_guard lock(mutex_);
        sleeper = signalOneFor(indexOf(urgency));
    }
    if (sleeper != nullptr) {
        sleeper->wake.notify_one();
    }
}

LaneStats Lane::stats() const {
    LaneStats stats;
    stats.name = name_;
    const std::lock_guard lock(mutex_);
    for (std::size_t cls = 0; cls < kClassCount; ++cls) {
        stats.ready[cls] = readyCount(cls);
    }
    stats.running = running_;
    stats.completedCount = completedCount_;
    stats.abandonedCount = abandonedCount_;
    return stats;
}

std::uint32_t Lane::laneOf(TaskId id) {
    return static_cast<std::uint32_t>((id.value >> kLaneShift) & kLaneMask);
}

std::optional<Dispatch> Lane::pick(const WorkerConfig& worker) {
    for (std::size_t cls = indexOf(worker.mostUrgent); cls <= indexOf(worker.leastUrgent); ++cls) {
        if (auto dispatch = pickOf(cls)) {
            return dispatch;
        }
    }
    return std::nullopt;
}

std::optional<Dispatch> Lane::pickOf(std::size_t cls) {
    if (!hasWork(cls)) {
        return std::nullopt;
    }
    const std::uint32_t slot = claimed_[cls] ? *claimed_[cls] : heaps_[cls].top().handle;
    const TaskSpec& spec = slab_.at(slot).spec;
    if (spec.stop.stop_requested()) {
        const bool hadClaim = claimed_[cls].has_value();
        ++abandonedCount_;
        return Dispatch{remove(slot), true, hadClaim};
    }
    const Admitted admitted = admission_.tryAdmit(claimant(cls), spec.bytes);
    if (admitted == Admitted::No) {
        if (!claimed_[cls]) {
            heaps_[cls].erase(slot);
            claimed_[cls] = slot;
        }
        return std::nullopt;
    }
    if (claimed_[cls]) {
        claimed_[cls].reset();  // the claim was served
    } else {
        heaps_[cls].erase(slot);
    }
    ++running_[cls];
    return Dispatch{slab_.take(slot), false, admitted == Admitted::YesOthersWait};
}

void Lane::wakeUp(Worker& worker) {
    if (worker.isIdle) {
        worker.isIdle = false;
        --idleCount_;
    }
}

bool Lane::claimTop(std::size_t cls) {
    const std::uint32_t slot = heaps_[cls].top().handle;
    if (!admission_.claimIfItMustWait(claimant(cls), slab_.at(slot).spec.bytes)) {
        return false;
    }
    heaps_[cls].erase(slot);
    claimed_[cls] = slot;
    return true;
}

QueuedTask Lane::remove(std::uint32_t slot) {
    const std::size_t cls = indexOf(slab_.at(slot).spec.urgency);
    if (claimed_[cls] == slot) {
        admission_.withdraw(claimant(cls));
        claimed_[cls].reset();
    } else {
        heaps_[cls].erase(slot);
    }
    return slab_.take(slot);
}

Lane::Worker* Lane::idleWorkerFor(std::size_t cls) {
    if (idleCount_ == 0 || !hasWork(cls)) {
        return nullptr;
    }
    for (Worker* worker : serving_[cls]) {
        if (worker->isIdle && !worker->isSignalled) {
            return worker;
        }
    }
    return nullptr;
}

Lane::Worker* Lane::signalOneFor(std::size_t cls) {
    Worker* worker = idleWorkerFor(cls);
    if (worker != nullptr) {
        worker->isSignalled = true;
    }
    return worker;
}

std::uint32_t Lane::readyCount(std::size_t cls) const {
    return static_cast<std::uint32_t>(heaps_[cls].size()) + (claimed_[cls] ? 1 : 0);
}

std::chrono::milliseconds Lane::retryAfter() const {
    const auto perTask = typicalTime_ / static_cast<Duration::rep>(workers_.size());
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(perTask),
                    std::chrono::milliseconds(1));
}

}  // namespace bifocal::schedule
