// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler.h"

#include "core/base/assert.h"
#include "core/schedule/internal/admission.h"
#include "core/schedule/internal/lane.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace bifocal::schedule {

namespace {

std::uint64_t halfOfMemory() {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
}

/// Name and niceness of the calling thread. Both are wishes: the work is right without them.
void prepareThread(const char* lane, std::uint32_t worker, int nice) {
    constexpr std::size_t kLongestName = 15;  // of Linux
    const std::string number = ' ' + std::to_string(worker);
    const std::string name = std::string(lane).substr(0, kLongestName - number.size()) + number;
    ::pthread_setname_np(::pthread_self(), name.c_str());
    if (nice != 0) {
        // On Linux this is of the one thread, against POSIX.
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice);
    }
}

class LaneScheduler final : public Scheduler {
public:
    LaneScheduler(const SchedulerConfig& config,
                  std::unique_ptr<Policy> policy,
                  const Clock& clock,
                  Tracer& tracer);
    LaneScheduler(const LaneScheduler&) = delete;
    LaneScheduler& operator=(const LaneScheduler&) = delete;
    ~LaneScheduler() override;

    Result<TaskId> enqueue(const TaskSpec& spec, std::shared_ptr<Work> work) override;
    bool cancel(TaskId id) override;
    std::size_t cancelRequest(RequestId request) override;
    Result<void> retune(const Tuning& tuning) override;
    MemoryLedger& ledger() override { return ledger_; }
    ModelCache& models() override { return models_; }
    SchedulerStats stats() const override;

private:
    /// A worker, with what it carries from one step to the next.
    struct Server {
        Lane& lane;
        std::uint32_t worker = 0;
        TimePoint now;   // the clock is read once for the end of a step and the begin of the next
        EndedRun ended;  // handed back when the lane is asked what comes next
    };

    void serve(std::uint32_t laneIndex, std::uint32_t worker);
    Run* follow(Server& server, const Decision& decision);
    Run* runSegment(Server& server, Run& run);
    void abandon(Server& server, Run& run, Abandoned why);
    void abandon(Run& run, Abandoned why);
    void end(Run& run);
    void recordSpans(const Server& server, Run& run, TimePoint begin);
    void wakeFirstClaim();

    const Clock& clock_;
    Tracer& tracer_;
    MemoryLedger ledger_;
    ModelCache models_;
    MemoryBudget budget_;
    Admission admission_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<std::thread> threads_;
    // Apart from what is only read, which would otherwise move from core to core with it.
    alignas(64) std::atomic<std::uint32_t> busyCount_{0};
};

LaneScheduler::LaneScheduler(const SchedulerConfig& config,
                             std::unique_ptr<Policy> policy,
                             const Clock& clock,
                             Tracer& tracer)
    : clock_(clock),
      tracer_(tracer),
      ledger_(config.memoryBudgetBytes != 0 ? config.memoryBudgetBytes : halfOfMemory()),
      models_(ledger_, clock),
      budget_(ledger_, config.readBudget, [this](std::uint64_t bytes) { models_.evict(bytes); }),
      admission_(ledger_, config.lanes.size(), config.maxSlots) {
    BIFOCAL_ASSERT(policy != nullptr && !config.lanes.empty());
    BIFOCAL_ASSERT(config.guaranteedShare >= 0 && config.guaranteedShare <= 0.5);
    ledger_.setFreedHandler([this] { wakeFirstClaim(); });
    models_.setIdleHandler([this] {
        if (const std::optional<Claimant> first = admission_.firstInOrder()) {
            lanes_[first->lane]->wakeFor(first->urgency);  // to ask for the model's place
        }
    });
    for (const LaneConfig& lane : config.lanes) {
        lanes_.push_back(std::make_unique<Lane>(static_cast<std::uint32_t>(lanes_.size()),
                                                lane,
                                                config.guaranteedShare,
                                                policy->clone(),
                                                admission_,
                                                budget_,
                                                clock));
    }
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
        for (std::uint32_t worker = 0; worker < lanes_[lane]->workerCount(); ++worker) {
            threads_.emplace_back([this, lane, worker] { serve(lane, worker); });
        }
    }
}

LaneScheduler::~LaneScheduler() {
    std::vector<QueuedTask> queued;
    for (const auto& lane : lanes_) {
        for (QueuedTask& task : lane->stop()) {
            queued.push_back(std::move(task));
        }
    }
    for (const QueuedTask& task : queued) {
        task.work->abandon(Abandoned::Shutdown);
    }
    for (std::thread& thread : threads_) {
        thread.join();
    }
    for (const auto& lane : lanes_) {
        while (Run* run = lane->takeSuspended()) {
            abandon(*run, Abandoned::Shutdown);
            lane->finish({run, RunEnd::Abandoned}, clock_.now());
        }
    }
    // While the lanes are there, whom the ledger's handler may ask.
    models_.evict(std::numeric_limits<std::uint64_t>::max());
}

Result<TaskId> LaneScheduler::enqueue(const TaskSpec& spec, std::shared_ptr<Work> work) {
    BIFOCAL_ASSERT(work != nullptr);
    if (spec.lane.index >= lanes_.size()) {
        return Error{ErrorCode::InvalidArgument,
                     "lane " + std::to_string(spec.lane.index) + ": there is none"};
    }
    Lane& lane = *lanes_[spec.lane.index];
    if (!lane.serves(spec.urgency)) {
        return Error{ErrorCode::InvalidArgument,
                     std::string(lane.name()) + ": no worker serves " + toString(spec.urgency)};
    }
    if (spec.stop.stop_requested()) {
        return Error{ErrorCode::Cancelled, std::string(spec.stage) + ": stop was requested"};
    }
    if (spec.bytes > 0 && !ledger_.canEverFit(spec.bytes) &&
        !ledger_.canEverFit(spec.bytes, models_.stats().residentBytes)) {
        return Error{ErrorCode::ResourceExhausted,
                     std::string(spec.stage) + ": " + std::to_string(spec.bytes) +
                         " bytes are more than the budget can hold"};
    }
    return lane.enqueue(spec, std::move(work));
}

bool LaneScheduler::cancel(TaskId id) {
    const std::uint32_t lane = Lane::laneOf(id);
    if (lane >= lanes_.size()) {
        return false;
    }
    const std::optional<QueuedTask> task = lanes_[lane]->take(id);
    if (!task) {
        return false;
    }
    wakeFirstClaim();  // its claim may have stood before another's
    task->work->abandon(Abandoned::Cancelled);
    return true;
}

std::size_t LaneScheduler::cancelRequest(RequestId request) {
    if (!request) {
        return 0;
    }
    std::size_t count = 0;
    for (const auto& lane : lanes_) {
        const std::vector<QueuedTask> tasks = lane->takeRequest(request);
        if (!tasks.empty()) {
            wakeFirstClaim();
        }
        for (const QueuedTask& task : tasks) {
            task.work->abandon(Abandoned::Cancelled);
        }
        count += tasks.size();
    }
    return count;
}

Result<void> LaneScheduler::retune(const Tuning& tuning) {
    if (!(tuning.guaranteedShare >= 0 && tuning.guaranteedShare <= 0.5)) {
        return Error{ErrorCode::InvalidArgument, "phi: must be 0 to 0.5"};
    }
    BIFOCAL_TRY(const std::unique_ptr<Policy> policy, makePolicy(tuning.policy, clock_.now()));
    for (const auto& lane : lanes_) {
        lane->reconfigure(policy->clone(), tuning.guaranteedShare, tuning.batching);
    }
    wakeFirstClaim();
    return {};
}

SchedulerStats LaneScheduler::stats() const {
    SchedulerStats stats;
    for (const auto& lane : lanes_) {
        stats.lanes.push_back(lane->stats());
    }
    stats.memory = ledger_.snapshot();
    stats.policy = lanes_.front()->policyName();
    return stats;
}

void LaneScheduler::serve(std::uint32_t laneIndex, std::uint32_t worker) {
    Server server{*lanes_[laneIndex], worker, clock_.now(), {}};
    prepareThread(server.lane.name(), worker, server.lane.workerConfig(worker).nice);
    while (const std::optional<Decision> decision =
               server.lane.next(worker, std::exchange(server.ended, {}), server.now)) {
        Run* run = follow(server, *decision);
        while (run != nullptr) {
            run = runSegment(server, *run);
        }
    }
}

/// Does what does not need the worker for long; the run to go on with, if any.
Run* LaneScheduler::follow(Server& server, const Decision& decision) {
    server.now = decision.at;
    if (decision.othersWait) {
        wakeFirstClaim();
    }
    if (decision.hasDead) {
        while (const std::optional<LaneCore::Dead> dead = server.lane.takeDead()) {
            dead->task.work->abandon(dead->why);
        }
        server.now = clock_.now();
    }
    return decision.run;
}

/// The run to go on with: the same one, a more urgent one, or none.
Run* LaneScheduler::runSegment(Server& server, Run& run) {
    if (!run.isFresh && LaneCore::allStopped(run)) {  // while it was suspended
        abandon(server, run, Abandoned::Cancelled);
        return nullptr;
    }
    const TimePoint begin = server.now;
    const std::uint32_t peers = busyCount_.fetch_add(1, std::memory_order_relaxed) + 1;
    const bool hasMore = run.works[0]->runSegment(std::span(run.works).first(run.count),
                                                  {server.lane.id(), server.worker, peers});
    busyCount_.fetch_sub(1, std::memory_order_relaxed);
    server.now = clock_.now();
    recordSpans(server, run, begin);
    if (!hasMore) {
        end(run);
        server.ended = {&run, RunEnd::Completed};
        return nullptr;
    }
    for (;;) {
        const std::optional<Decision> decision =
            server.lane.boundary(server.worker, run, server.now);
        if (!decision) {
            abandon(server,
                    run,
                    LaneCore::allStopped(run) ? Abandoned::Cancelled : Abandoned::Shutdown);
            return nullptr;
        }
        Run* next = follow(server, *decision);
        if (decision->kind == Decision::Kind::Run) {
            return next;
        }
    }
}

void LaneScheduler::abandon(Server& server, Run& run, Abandoned why) {
    abandon(run, why);
    server.now = clock_.now();
    server.ended = {&run, RunEnd::Abandoned};
}

void LaneScheduler::abandon(Run& run, Abandoned why) {
    for (const std::shared_ptr<Work>& work : std::span(run.works).first(run.count)) {
        work->abandon(why);
    }
    end(run);
}

/// What the run holds goes before its bytes are promised to another.
void LaneScheduler::end(Run& run) {
    run.giveUp();
    admission_.release(run.bytes, run.predictedEnd);
}

void LaneScheduler::recordSpans(const Server& server, Run& run, TimePoint begin) {
    Span span;
    span.lane = server.lane.name();
    span.worker = server.worker;
    span.itemCount = run.items;
    span.waitedFor = run.waitedForRoom ? WaitedFor::Room : WaitedFor::Turn;
    for (std::uint32_t i = 0; i < run.count; ++i) {
        const QueuedTask* task = run.members[i];
        span.bytes = task->spec.bytes;
        span.policyKey = run.keys[i];
        span.stage = task->spec.stage;
        span.request = task->spec.request;
        span.urgency = task->spec.urgency;
        if (run.isFresh) {
            span.kind = SpanKind::Queue;
            span.begin = task->enqueued;
            span.end = std::max(begin, task->enqueued);
            tracer_.record(span);
        }
        span.kind = SpanKind::Execute;
        span.begin = begin;
        span.end = server.now;
        tracer_.record(span);
    }
    run.isFresh = false;
}

void LaneScheduler::wakeFirstClaim() {
    if (const std::optional<Claimant> first = admission_.firstServable(clock_.now())) {
        lanes_[first->lane]->wakeFor(first->urgency);
    }
}

/// See makeWork().
class FunctionWork final : public Work {
public:
    FunctionWork(std::function<void(const WorkerContext&)> run,
                 std::function<void(Abandoned)> abandon)
        : run_(std::move(run)), abandon_(std::move(abandon)) {}

    void run(const WorkerContext& worker) override { run_(worker); }
    void abandon(Abandoned why) override {
        if (abandon_) {
            abandon_(why);
        }
    }

private:
    std::function<void(const WorkerContext&)> run_;
    std::function<void(Abandoned)> abandon_;
};

}  // namespace

std::unique_ptr<Scheduler> makeScheduler(const SchedulerConfig& config,
                                         std::unique_ptr<Policy> policy,
                                         const Clock& clock,
                                         Tracer& tracer) {
    return std::make_unique<LaneScheduler>(config, std::move(policy), clock, tracer);
}

std::shared_ptr<Work> makeWork(std::function<void(const WorkerContext&)> run,
                               std::function<void(Abandoned)> abandon) {
    return std::make_shared<FunctionWork>(std::move(run), std::move(abandon));
}

}  // namespace bifocal::schedule
