// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/scheduler_bench.h"

#include "app/cli/bench/dispatch_bench.h"
#include "app/cli/bench/idle_bench.h"
#include "app/cli/bench/machine.h"
#include "app/cli/bench/simulated_rows.h"
#include "app/cli/bench/storm_bench.h"
#include "app/cli/bench/streaming_bench.h"

#include <array>

namespace bifocal::cli {
namespace {

constexpr std::size_t kWakeCount = 3'000;
constexpr double kIdleSecondsShort = 3;
constexpr double kIdleSecondsFull = 10;

Result<void> dispatch(BenchLength /*length*/, BenchReport& report) {
    measureDispatch({}, report);
    return {};
}

Result<void> readyQueue(BenchLength /*length*/, BenchReport& report) {
    measureReadyQueue({}, report);
    return {};
}

Result<void> wake(BenchLength /*length*/, BenchReport& report) {
    measureWake(kWakeCount, report);
    return {};
}

Result<void> idle(BenchLength length, BenchReport& report) {
    measureIdle(length == BenchLength::Full ? kIdleSecondsFull : kIdleSecondsShort, report);
    return {};
}

Result<void> tracing(BenchLength /*length*/, BenchReport& report) {
    measureTracing({}, report);
    return {};
}

Result<void> cancel(BenchLength length, BenchReport& report) {
    measureCancel(length == BenchLength::Full ? 100'000 : 4'000, report);
    return {};
}

Result<void> batcher(BenchLength length, BenchReport& report) {
    const bool isFull = length == BenchLength::Full;
    measureBatcher(isFull ? 100 : 10, isFull ? 400 : 40, report);
    return {};
}

Result<void> leak(BenchLength length, BenchReport& report) {
    measureLeak(100'000, length == BenchLength::Full ? 1'000'000 : 100'000, report);
    return {};
}

Result<void> streaming(BenchLength length, BenchReport& report) {
    return measureStreaming(
        length == BenchLength::Full ? StreamingWorkload{} : StreamingWorkload{50, 40}, report);
}

constexpr std::array kMeasures{SchedulerMeasure{"dispatch of empty tasks", dispatch},
                               SchedulerMeasure{"the ready queue", readyQueue},
                               SchedulerMeasure{"waking a worker", wake},
                               SchedulerMeasure{"an idle scheduler", idle},
                               SchedulerMeasure{"recording spans", tracing},
                               SchedulerMeasure{"decisions on simulated devices", measureSimulated},
                               SchedulerMeasure{"cancelling at every moment", cancel},
                               SchedulerMeasure{"joining within a window", batcher},
                               SchedulerMeasure{"answers while they come", streaming},
                               SchedulerMeasure{"what a storm of requests leaves behind", leak}};

}  // namespace

std::span<const SchedulerMeasure> schedulerMeasures() {
    return kMeasures;
}

Result<BenchReport> runSchedulerBench(const BenchSetup& setup) {
    BenchReport report = reportOf("scheduler");
    for (const SchedulerMeasure& part : kMeasures) {
        setup.announce(part.step);
        BIFOCAL_CHECK(part.measure(setup.length, report));
    }
    return report;
}

}  // namespace bifocal::cli
