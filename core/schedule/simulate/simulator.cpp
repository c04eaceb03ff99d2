// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/simulator.h"

#include "core/base/assert.h"
#include "core/schedule/internal/admission.h"
#include "core/schedule/internal/lane_core.h"
#include "core/schedule/memory_ledger.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <unordered_map>
#include <utility>

namespace bifocal::schedule {

namespace {

constexpr const char* kStage = "encode";
constexpr std::uint32_t kReadyCap = 1'000'000;
constexpr Served kEveryClass{};

double inSeconds(Duration time) {
    return std::chrono::duration<double>(time).count();
}

double inMilliseconds(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

class Simulation {
public:
    Simulation(const SimulationConfig& config,
               std::unique_ptr<Policy> policy,
               std::vector<Arrival> arrivals);

    SimulationResult run();

private:
    /// What the device knows of a run that it has begun.
    struct Progress {
        Duration segment{0};
        std::uint32_t segmentsLeft = 1;
    };

    void warmUp();
    void arrive(const Arrival& arrival);
    void enqueueBatchItem();
    void feed();
    void serve();
    void endSegment();
    void begin(Run& run);
    void finish(Run& run);
    void drop(const QueuedTask& task);
    void drainDead();
    void countWaiting();
    void checkBound(const Run& run);
    void note(const char* what, const Run* run);
    bool hasPromptsNow() const { return now_ >= TimePoint(config_.workload.batchAlone); }

    const SimulationConfig& config_;
    const std::vector<Arrival> arrivals_;
    const bool isSegmented_;
    const bool hasBound_;
    MemoryLedger ledger_{std::numeric_limits<std::uint64_t>::max()};
    Admission admission_{ledger_, 1, 0};
    LaneCore core_;
    std::mt19937_64 random_;
    TimePoint now_{};
    Run* running_ = nullptr;
    TimePoint segmentEnd_ = TimePoint::max();
    TimePoint timer_ = TimePoint::max();
    std::unordered_map<const Run*, Progress> progress_;
    std::uint32_t dumpLeft_ = 0;
    std::vector<double> servedAtEnqueue_;  // of batch items, by request - 1
    double servedBatch_ = 0;               // device-seconds
    double longestOther_ = 0;              // q
    Duration busy_{0};
    Duration busyWithBatch_{0};
    std::uint64_t batchItems_ = 0;
    std::uint64_t inTime_ = 0;
    std::vector<double> prompts_;
    std::vector<double> textPrompts_;
    std::vector<double> items_;
    SimulationResult result_;
};

Simulation::Simulation(const SimulationConfig& config,
                       std::unique_ptr<Policy> policy,
                       std::vector<Arrival> arrivals)
    : config_(config),
      arrivals_(std::move(arrivals)),
      isSegmented_(config.segments > 1 && policy->classOrder() != ClassOrder::Ignored),
      hasBound_(config.guaranteedShare > 0 && policy->classOrder() == ClassOrder::Guarded &&
                std::string(policy->name()) == "deadline"),
      core_({"device",
             0,
             kReadyCap,
             1,
             config.guaranteedShare,
             config.batching,
             config.disturbance.predictionScale},
            std::move(policy),
            admission_),
      random_(config.seed * 0x9E3779B97F4A7C15U + 1) {
    warmUp();
}

/// What the program measures when it starts: each size that a run can have.
void Simulation::warmUp() {
    for (const std::uint32_t size : kRunSizes) {
        if (size <= config_.batching.maxSize[2]) {
            core_.learn(kStage, 0, size, config_.device.service(size));
        }
    }
}

SimulationResult Simulation::run() {
    const TimePoint end(config_.workload.batchAlone + config_.workload.length);
    dumpLeft_ = config_.workload.source == BatchSource::Dump ? config_.workload.batchItems : 0;
    std::size_t next = 0;
    feed();
    serve();
    for (;;) {
        const TimePoint arrival =
            next < arrivals_.size() ? TimePoint(arrivals_[next].time) : TimePoint::max();
        const TimePoint event = std::min({arrival, segmentEnd_, timer_});
        if (event >= end) {
            break;
        }
        now_ = event;
        timer_ = event == timer_ ? TimePoint::max() : timer_;
        if (event == segmentEnd_) {
            endSegment();
        } else if (event == arrival) {
            arrive(arrivals_[next++]);
        }
        feed();
        serve();
    }
    now_ = end;
    countWaiting();
    const double length = inSeconds(config_.workload.length);
    result_.prompts = summarize(prompts_);
    if (config_.keepsLatencies) {
        result_.promptMs = prompts_;
        std::sort(result_.promptMs.begin(), result_.promptMs.end());
    }
    result_.textPrompts = summarize(textPrompts_);
    result_.batchItems = summarize(items_);
    result_.batchPerSecond = static_cast<double>(batchItems_) / length;
    result_.promptsPerSecond = static_cast<double>(inTime_) / length;
    result_.utilization = inSeconds(busy_) / length;
    result_.batchShare = busy_ > Duration(0) ? inSeconds(busyWithBatch_) / inSeconds(busy_) : 0;
    result_.guardTurns = core_.guardTurnCount();
    result_.suspensions = core_.suspensionCount();
    return std::move(result_);
}

void Simulation::arrive(const Arrival& arrival) {
    if (!arrival.isPrompt) {
        enqueueBatchItem();
        return;
    }
    ++result_.offeredPrompts;
    TaskSpec spec;
    spec.stage = kStage;
    spec.features = {.hasText = arrival.isText, .hasImage = !arrival.isText};
    spec.maxJoined = kMaxRunSize;
    if (config_.workload.objective) {
        spec.deadline = now_ + *config_.workload.objective;
        spec.onLate = OnLate::Drop;
    }
    std::shared_ptr<Work> none;
    result_.refused += core_.enqueue(spec, none, now_) ? 0 : 1;
}

void Simulation::enqueueBatchItem() {
    TaskSpec spec;
    spec.stage = kStage;
    spec.urgency = Urgency::Batch;
    spec.features.hasImage = true;
    spec.maxJoined = kMaxRunSize;
    servedAtEnqueue_.push_back(servedBatch_);
    spec.request = RequestId{servedAtEnqueue_.size()};
    std::shared_ptr<Work> none;
    result_.refused += core_.enqueue(spec, none, now_) ? 0 : 1;
}

void Simulation::feed() {
    if (config_.workload.source == BatchSource::Pull) {
        while (core_.readyCount(2) < config_.workload.batchItems) {
            enqueueBatchItem();
        }
    }
    for (; dumpLeft_ > 0; --dumpLeft_) {
        enqueueBatchItem();
    }
}

void Simulation::serve() {
    while (running_ == nullptr) {
        const Decision decision = core_.next(kEveryClass, now_);
        drainDead();
        if (decision.kind == Decision::Kind::Wait) {
            timer_ = decision.until;
            return;
        }
        if (decision.kind == Decision::Kind::Run) {
            begin(*decision.run);
        }
    }
}

void Simulation::begin(Run& run) {
    const bool isBatch = run.urgency == Urgency::Batch;
    auto [progress, isNew] = progress_.try_emplace(&run);
    if (isNew) {
        const std::uint32_t segments = isBatch && isSegmented_ ? config_.segments : 1;
        const double overhead = segments > 1 ? 1 + config_.device.segmentOverhead : 1;
        const double factor = overhead * config_.disturbance.draw(random_) / segments;
        progress->second = {
            std::chrono::duration_cast<Duration>(config_.device.service(run.items) * factor),
            segments};
        if (isBatch) {
            checkBound(run);
        }
    }
    if (isBatch && core_.readyCount(0) > 0 && !run.isGuardTurn) {
        ++result_.inversions;
    }
    note(isNew ? "begin" : "go on", &run);
    running_ = &run;
    segmentEnd_ = now_ + progress->second.segment;
}

void Simulation::endSegment() {
    Run& run = *std::exchange(running_, nullptr);
    segmentEnd_ = TimePoint::max();
    Progress& progress = progress_.at(&run);
    const bool isBatch = run.urgency == Urgency::Batch;
    if (hasPromptsNow()) {
        busy_ += progress.segment;
        busyWithBatch_ += isBatch ? progress.segment : Duration(0);
    }
    if (isBatch) {
        servedBatch_ += inSeconds(progress.segment);
    } else {
        longestOther_ = std::max(longestOther_, inSeconds(progress.segment));
    }
    if (--progress.segmentsLeft == 0) {
        finish(run);
        return;
    }
    for (;;) {
        const Decision decision = core_.boundary(run, kEveryClass, now_);
        drainDead();
        if (decision.kind == Decision::Kind::Abandon) {
            continue;
        }
        if (decision.run != &run) {
            note("step aside", &run);
        }
        begin(*decision.run);
        return;
    }
}

void Simulation::finish(Run& run) {
    note("end", &run);
    for (const QueuedTask* task : run.tasks()) {
        const double latency = inMilliseconds(now_ - task->enqueued);
        if (task->spec.urgency == Urgency::Batch) {
            items_.push_back(latency);
            batchItems_ += hasPromptsNow() ? 1 : 0;
            continue;
        }
        prompts_.push_back(latency);
        if (task->spec.features.hasText) {
            textPrompts_.push_back(latency);
        }
        inTime_ += !task->spec.deadline || now_ <= *task->spec.deadline ? 1 : 0;
    }
    progress_.erase(&run);
    core_.finish(run, now_);
}

void Simulation::drop(const QueuedTask& task) {
    BIFOCAL_ASSERT(task.spec.urgency == Urgency::Interactive);
    ++result_.droppedPrompts;
    note("drop", nullptr);
}

void Simulation::drainDead() {
    while (const std::optional<LaneCore::Dead> dead = core_.takeDead()) {
        drop(dead->task);
    }
}

/// Prompts that still wait have waited at least until now: their time counts, as far as it went.
void Simulation::countWaiting() {
    for (const std::uint32_t slot : core_.allSlots()) {
        const QueuedTask task = core_.remove(slot);
        if (task.spec.urgency == Urgency::Interactive && !task.spec.deadline) {
            ++result_.unansweredPrompts;
            prompts_.push_back(inMilliseconds(now_ - task.enqueued));
            if (task.spec.features.hasText) {
                textPrompts_.push_back(prompts_.back());
            }
        }
    }
}

void Simulation::checkBound(const Run& run) {
    const double phi = config_.guaranteedShare;
    const double q = std::max(longestOther_, core_.arbiter().longestRun());
    for (const QueuedTask* task : run.tasks()) {
        if (!hasBound_ || task->spec.urgency != Urgency::Batch) {
            continue;
        }
        const double wait = inSeconds(now_ - task->enqueued);
        const double ahead = servedBatch_ - servedAtEnqueue_[task->spec.request.value - 1];
        const double bound = (ahead + (1 + phi) * q) / phi;
        ++result_.boundChecks;
        result_.boundViolations += wait > bound + 1e-6 ? 1 : 0;
        if (hasPromptsNow()) {
            result_.longestBatchWait = std::max(result_.longestBatchWait, wait);
            result_.loosestBound = std::max(result_.loosestBound, bound);
        }
    }
}

void Simulation::note(const char* what, const Run* run) {
    if (!config_.keepsTrace) {
        return;
    }
    std::array<char, 96> line{};
    const int length = run == nullptr ? std::snprintf(line.data(),
                                                      line.size(),
                                                      "%" PRId64 " %s\n",
                                                      std::int64_t{now_.time_since_epoch().count()},
                                                      what)
                                      : std::snprintf(line.data(),
                                                      line.size(),
                                                      "%" PRId64 " %s %s %" PRIu32 "%s\n",
                                                      std::int64_t{now_.time_since_epoch().count()},
                                                      what,
                                                      toString(run->urgency),
                                                      run->items,
                                                      run->isGuardTurn ? " guard" : "");
    result_.trace.append(line.data(), static_cast<std::size_t>(length));
}

}  // namespace

LatencySummary summarize(std::vector<double> values) {
    LatencySummary summary;
    summary.count = values.size();
    if (values.empty()) {
        return summary;
    }
    std::sort(values.begin(), values.end());
    const auto at = [&values](double share) {
        const double rank = std::ceil(share * static_cast<double>(values.size()));
        return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
    };
    summary.p50Ms = at(0.50);
    summary.p95Ms = at(0.95);
    summary.p99Ms = at(0.99);
    summary.maxMs = values.back();
    return summary;
}

Result<SimulationResult> simulate(const SimulationConfig& config) {
    if (!(config.guaranteedShare >= 0 && config.guaranteedShare <= 0.5)) {
        return Error{ErrorCode::InvalidArgument, "phi: must be 0 to 0.5"};
    }
    if (config.segments < 1 || config.segments > 1000) {
        return Error{ErrorCode::InvalidArgument, "segments: must be 1 to 1000"};
    }
    BIFOCAL_TRY(std::vector<Arrival> arrivals, arrivalsOf(config.workload, config.seed));
    BIFOCAL_TRY(std::unique_ptr<Policy> policy, makePolicy(config.policy, TimePoint()));
    return Simulation(config, std::move(policy), std::move(arrivals)).run();
}

}  // namespace bifocal::schedule
