// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/dispatch_bench.h"

#include "app/cli/bench/allocation_counter.h"
#include "app/cli/bench/dispatch_peers.h"
#include "core/base/assert.h"
#include "core/profile/histogram.h"
#include "core/profile/profiler.h"
#include "core/schedule/queue_bench.h"
#include "core/schedule/scheduler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <latch>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr double kDispatchTargetNs = 400;
constexpr double kPopPushTargetNs = 80;
constexpr double kErasePushTargetNs = 100;
constexpr double kRecordTargetNs = 60;
constexpr double kThroughputLossTarget = 0.02;
constexpr double kPercentileErrorTarget = 0.01;
constexpr const char* kNoTbb = "this build has no oneTBB (libtbb-dev) to compare with";

std::vector<std::uint64_t> randomKeys(std::size_t count) {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> keys(count);
    std::generate(keys.begin(), keys.end(), [&] { return random(); });
    return keys;
}

/// Counts the latch of the present pass down.
class CountedWork final : public schedule::Work {
public:
    explicit CountedWork(const std::unique_ptr<std::latch>& latch) : latch_(latch) {}
    void run(const schedule::WorkerContext& /*worker*/) override { latch_->count_down(); }
    void abandon(schedule::Abandoned /*why*/) override { latch_->count_down(); }

private:
    const std::unique_ptr<std::latch>& latch_;
};

/// Holds a worker until a latch opens, and counts another down when it has let it go: only then may
/// the first one end.
class HeldWork final : public schedule::Work {
public:
    HeldWork(std::latch& start, std::latch& letGo) : start_(start), letGo_(letGo) {}
    void run(const schedule::WorkerContext& /*worker*/) override {
        start_.wait();
        letGo_.count_down();
    }
    void abandon(schedule::Abandoned /*why*/) override { letGo_.count_down(); }

private:
    std::latch& start_;
    std::latch& letGo_;
};

/// A scheduler with one lane that is flooded with empty tasks, pass by pass. The works and stop
/// states are there beforehand, one for each task as in life: sharing one would make the threads
/// fight for its reference count. Threads: compatible.
class DispatchRig {
public:
    DispatchRig(std::span<const std::uint64_t> keys, std::size_t workerCount, Tracer& tracer)
        : keys_(keys), workerCount_(workerCount), stops_(keys.size()) {
        schedule::SchedulerConfig config;
        schedule::LaneConfig lane;
        lane.name = "bench";
        lane.workers.resize(workerCount);
        lane.readyCap = static_cast<std::uint32_t>(keys.size());
        config.lanes.push_back(lane);
        scheduler_ =
            schedule::makeScheduler(config, schedule::makeDeadlinePolicy(), clock_, tracer);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            works_.push_back(std::make_shared<CountedWork>(over_));
        }
    }

    /// A pass whose tasks all wait at once, so that nothing has to grow later.
    void warmUp() {
        std::latch start(1);
        std::latch letGo(static_cast<std::ptrdiff_t>(workerCount_));
        schedule::TaskSpec spec;
        spec.stage = "held";
        for (std::size_t i = 0; i < workerCount_; ++i) {
            const auto queued = scheduler_->enqueue(spec, std::make_shared<HeldWork>(start, letGo));
            BIFOCAL_ASSERT(queued.has_value());
        }
        enqueueAll();
        start.count_down();
        letGo.wait();
        over_->wait();
    }

    /// Nanoseconds per task. Allocates a latch and nothing else.
    double pass() {
        const TimePoint begin = clock_.now();
        enqueueAll();
        over_->wait();
        return nanosecondsEach(begin, keys_.size());
    }

private:
    void enqueueAll() {
        constexpr Duration kSoon = std::chrono::milliseconds(100);
        constexpr std::uint64_t kSpread = 800'000'000;  // within the slack of the class: all differ
        over_ = std::make_unique<std::latch>(static_cast<std::ptrdiff_t>(keys_.size()));
        schedule::TaskSpec spec;
        spec.stage = "empty";
        spec.urgency = Urgency::Prefetch;
        const TimePoint begin = clock_.now();
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            spec.request.value = i + 1;
            spec.deadline =
                begin + kSoon + Duration(static_cast<Duration::rep>(keys_[i] % kSpread));
            spec.stop = stops_[i].get_token();
            const auto queued = scheduler_->enqueue(spec, works_[i]);
            BIFOCAL_ASSERT(queued.has_value());
        }
    }

    SteadyClock clock_;
    std::span<const std::uint64_t> keys_;
    const std::size_t workerCount_;
    std::vector<std::stop_source> stops_;
    std::unique_ptr<std::latch> over_;
    std::vector<std::shared_ptr<schedule::Work>> works_;
    std::unique_ptr<schedule::Scheduler> scheduler_;
};

double smallest(std::span<const double> values) {
    return *std::min_element(values.begin(), values.end());
}

struct DispatchFigures {
    double ns = 0;
    std::optional<double> allocations;  ///< per task
    double mutexQueueNs = 0;
    std::optional<double> tbbNs;
};

DispatchFigures dispatchWith(std::size_t workerCount,
                             std::span<const std::uint64_t> keys,
                             std::size_t rounds) {
    DispatchFigures figures;
    NullTracer tracer;
    {
        DispatchRig rig(keys, workerCount, tracer);
        rig.warmUp();
        const AllocationCounter allocations;
        std::vector<double> passes(rounds);
        std::generate(passes.begin(), passes.end(), [&] { return rig.pass(); });
        if (const auto count = allocations.count()) {
            // One for the latch of each pass, and one for the list of passes.
            const auto own = static_cast<double>(rounds + 1);
            figures.allocations = std::max(0.0, static_cast<double>(*count) - own) /
                                  static_cast<double>(keys.size() * rounds);
        }
        figures.ns = smallest(passes);
    }
    figures.mutexQueueNs = smallest(timeMutexQueue(keys, workerCount, rounds));
    const std::vector<double> tbb = timeTbbArena(keys.size(), workerCount, rounds);
    if (!tbb.empty()) {
        figures.tbbNs = smallest(tbb);
    }
    return figures;
}

std::optional<BenchPeer> tbbPeer(const DispatchFigures& figures) {
    return figures.tbbNs ? std::optional(BenchPeer{"oneTBB arena", *figures.tbbNs}) : std::nullopt;
}

}  // namespace

void measureDispatch(const DispatchWorkload& work, BenchReport& report) {
    const std::vector<std::uint64_t> keys = randomKeys(work.taskCount);
    const DispatchFigures one = dispatchWith(1, keys, work.rounds);
    const DispatchFigures two = dispatchWith(2, keys, work.rounds);
    const DispatchFigures& slower = one.ns > two.ns ? one : two;
    report.rows.push_back({"s1",
                           slower.ns,
                           "ns/task",
                           Better::Lower,
                           kDispatchTargetNs,
                           BenchPeer{"priority_queue + mutex", slower.mutexQueueNs}});
    report.rows.push_back(
        {"s1_one_worker", one.ns, "ns/task", Better::Lower, std::nullopt, tbbPeer(one)});
    report.rows.push_back(
        {"s1_two_workers", two.ns, "ns/task", Better::Lower, std::nullopt, tbbPeer(two)});
    report.rows.push_back(
        {"s1_over_mutex_queue", slower.ns / slower.mutexQueueNs, "times", Better::Lower});
    if (slower.tbbNs) {
        report.rows.push_back({"s1_over_tbb", slower.ns / *slower.tbbNs, "times", Better::Lower});
    } else {
        report.leftOut.push_back({"s1_over_tbb", kNoTbb});
    }
    if (one.allocations && two.allocations) {
        report.rows.push_back({"s1_allocations",
                               std::max(*one.allocations, *two.allocations),
                               "per task",
                               Better::Lower,
                               0.0});
    } else {
        report.leftOut.push_back({"s1_allocations", "a build with sanitizers cannot count them"});
    }
}

void measureReadyQueue(const DispatchWorkload& work, BenchReport& report) {
    const std::vector<std::uint64_t> keys = randomKeys(work.queueLength);
    constexpr int kRounds = 3;
    double popPush = HUGE_VAL;
    double erasePush = HUGE_VAL;
    double peer = HUGE_VAL;
    for (int round = 0; round < kRounds; ++round) {
        const schedule::QueueTimes times = schedule::timeReadyQueue(keys, work.queueOperationCount);
        popPush = std::min(popPush, times.popPush);
        erasePush = std::min(erasePush, times.erasePush);
        peer = std::min(peer, timeMutexQueueOperations(keys, work.queueOperationCount));
    }
    report.rows.push_back({"s2_pop_push",
                           popPush,
                           "ns",
                           Better::Lower,
                           kPopPushTargetNs,
                           BenchPeer{"priority_queue + mutex", peer}});
    report.rows.push_back({"s2_erase_push", erasePush, "ns", Better::Lower, kErasePushTargetNs});
}

namespace {

double recordNs(std::size_t count) {
    constexpr std::array kStages{"tokenise", "encode_text", "decode", "encode_image", "search"};
    const SteadyClock clock;
    profile::Profiler profiler(clock);
    std::array<Duration, 1024> durations{};  // made before: a random number costs half a record
    std::mt19937_64 random(3);
    std::generate(durations.begin(), durations.end(), [&] {
        return Duration(static_cast<Duration::rep>(random() >> 40U));
    });
    Span span;
    span.lane = "bench";
    span.begin = clock.now();
    const TimePoint begin = clock.now();
    for (std::size_t i = 0; i < count; ++i) {
        span.stage = kStages[i % kStages.size()];
        span.request.value = i / kStages.size() + 1;
        span.end = span.begin + durations[i % durations.size()];
        profiler.record(span);
    }
    return nanosecondsEach(begin, count);
}

double throughputLoss(const DispatchWorkload& work) {
    const std::vector<std::uint64_t> keys = randomKeys(work.taskCount);
    const SteadyClock clock;
    NullTracer nothing;
    profile::Profiler profiler(clock);
    DispatchRig plain(keys, 1, nothing);
    DispatchRig profiled(keys, 1, profiler);
    plain.warmUp();
    profiled.warmUp();
    double plainNs = HUGE_VAL;
    double profiledNs = HUGE_VAL;
    for (std::size_t round = 0; round < work.rounds; ++round) {
        plainNs = std::min(plainNs, plain.pass());
        profiledNs = std::min(profiledNs, profiled.pass());
    }
    return std::max(0.0, 1 - plainNs / profiledNs);
}

double percentileError() {
    constexpr std::size_t kSampleCount = 100'000;
    std::mt19937_64 random(4);
    const auto histogram = std::make_unique<profile::Histogram>();
    std::vector<double> samples(kSampleCount);
    for (double& sample : samples) {
        // From 100 ns to about 100 s, evenly on a scale of logarithms.
        const double exponent = 9.0 * static_cast<double>(random() >> 11U) * 0x1p-53;
        const auto nanoseconds = static_cast<std::uint64_t>(100.0 * std::pow(10.0, exponent));
        histogram->add(nanoseconds);
        sample = static_cast<double>(nanoseconds);
    }
    double worst = 0;
    for (const double q : {0.50, 0.95, 0.99}) {
        const double exact = quantile(samples, q);
        worst =
            std::max(worst, std::fabs(static_cast<double>(histogram->quantile(q)) - exact) / exact);
    }
    return worst;
}

}  // namespace

void measureTracing(const DispatchWorkload& work, BenchReport& report) {
    double best = HUGE_VAL;
    for (int round = 0; round < 3; ++round) {
        best = std::min(best, recordNs(work.recordCount));
    }
    report.rows.push_back({"s19", best, "ns/span", Better::Lower, kRecordTargetNs});
    report.rows.push_back({"s19_throughput_loss",
                           throughputLoss(work),
                           "share",
                           Better::Lower,
                           kThroughputLossTarget});
    report.rows.push_back({"s19_percentile_error",
                           percentileError(),
                           "share",
                           Better::Lower,
                           kPercentileErrorTarget});
}

}  // namespace bifocal::cli
