// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/storm_bench.h"

#include "app/cli/load/open_loop.h"
#include "core/base/assert.h"
#include "core/profile/profiler.h"
#include "core/schedule/scheduler.h"
#include "core/schedule/simulate/batcher_check.h"
#include "core/schedule/simulate/request_storm.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <utility>
#include <vector>

namespace bifocal::cli {
namespace {

using schedule::CancelMoment;
using schedule::RequestStorm;
using schedule::StormOptions;
using schedule::StormReport;

constexpr Duration kSegment = std::chrono::microseconds(500);
constexpr double kCancelTargetMs = 1;  // beyond the segment that runs
constexpr double kMebibyte = 1U << 20U;

double toMs(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

/// Notes when it was run. Threads: safe; one run at a time.
class TimedWork final : public schedule::Work {
public:
    void run(const schedule::WorkerContext& /*worker*/) override {
        when_ = SteadyClock().now();
        over_.release();
    }
    void abandon(schedule::Abandoned /*why*/) override { over_.release(); }
    TimePoint await() {
        over_.acquire();
        return when_;
    }

private:
    TimePoint when_;
    std::binary_semaphore over_{0};
};

/// From when each run of joined tasks was due until it began.
std::vector<double> latenessOfWindows(std::size_t windowCount) {
    const SteadyClock clock;
    NullTracer tracer;
    schedule::SchedulerConfig config;
    config.lanes.resize(1);
    config.lanes[0].name = "bench";
    config.lanes[0].workers.resize(1);
    config.lanes[0].batching = schedule::BatchRule::eightOrFiftyMilliseconds();
    const Duration window = config.lanes[0].batching.window[0];
    const auto scheduler =
        schedule::makeScheduler(config, schedule::makeFifoPolicy(), clock, tracer);
    schedule::TaskSpec spec;
    spec.stage = "window";
    spec.maxJoined = config.lanes[0].batching.maxSize[0];
    std::vector<double> late;
    for (std::size_t i = 0; i < windowCount; ++i) {
        const bool isFull = i % 2 == 1;
        std::vector<std::shared_ptr<TimedWork>> works;
        const TimePoint begin = clock.now();
        for (std::size_t task = 0; task < (isFull ? spec.maxJoined : 2); ++task) {
            works.push_back(std::make_shared<TimedWork>());
            const auto queued = scheduler->enqueue(spec, works.back());
            BIFOCAL_ASSERT(queued.has_value());
        }
        const TimePoint due = isFull ? clock.now() : begin + window;
        for (const std::shared_ptr<TimedWork>& work : works) {
            late.push_back(toMs(work->await() - due));
        }
    }
    return late;
}

}  // namespace

void measureCancel(std::size_t requestCount, BenchReport& report) {
    const SteadyClock clock;
    NullTracer tracer;
    std::vector<double> queued;
    std::vector<double> running;
    StormOptions options;
    options.segment = [] {
        SteadyPacer pacer;
        pacer.waitUntil(pacer.now() + kSegment);
    };
    options.onCancelled = [&](CancelMoment moment, Duration time) {
        if (moment == CancelMoment::Queued) {
            queued.push_back(toMs(time));
        } else if (moment == CancelMoment::Running) {
            running.push_back(toMs(time));
        }
    };
    RequestStorm storm(std::move(options), clock, tracer);
    storm.send(requestCount);
    const StormReport outcome = storm.report();
    report.rows.push_back(
        {"s13", static_cast<double>(outcome.violations), "tasks", Better::Lower, 0});
    report.rows.push_back({"s13_wasted", toMs(outcome.wasted), "ms", Better::Lower, 0});
    report.rows.push_back(
        {"s13_queued_p99", quantile(queued, 0.99), "ms", Better::Lower, kCancelTargetMs});
    report.rows.push_back({"s13_running_p99",
                           quantile(running, 0.99),
                           "ms",
                           Better::Lower,
                           toMs(kSegment) + kCancelTargetMs});
}

void measureLeak(std::size_t warmUpCount, std::size_t requestCount, BenchReport& report) {
    const SteadyClock clock;
    NullTracer tracer;
    StormOptions options;
    options.cancelledShare = 0.2;
    options.failingShare = 0.05;
    RequestStorm storm(std::move(options), clock, tracer);
    storm.send(warmUpCount);
    const auto before = static_cast<double>(profile::residentBytes());
    storm.send(requestCount);
    const auto after = static_cast<double>(profile::residentBytes());
    const StormReport outcome = storm.report();
    const double millions = static_cast<double>(requestCount) / 1e6;
    report.rows.push_back(
        {"s17", (after - before) / kMebibyte / millions, "MiB per 1e6", Better::Lower, 1});
    report.rows.push_back(
        {"s17_ledger", static_cast<double>(outcome.reservedBytes), "bytes", Better::Lower, 0});
}

void measureBatcher(std::size_t seeds, std::size_t windowCount, BenchReport& report) {
    constexpr std::size_t kArrivalCount = 1'000;
    std::size_t wrong = 0;
    for (const double perSecond : {20.0, 78.0, 160.0, 400.0}) {
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const std::vector<Duration> arrivals =
                schedule::batcherArrivals(seed, kArrivalCount, perSecond);
            wrong += schedule::checkBatcher(arrivals).wrongFlushes;
        }
    }
    report.rows.push_back({"s15", static_cast<double>(wrong), "runs", Better::Lower, 0});
    report.rows.push_back(
        {"s15_real", quantile(latenessOfWindows(windowCount), 0.99), "ms", Better::Lower, 1});
}

}  // namespace bifocal::cli
