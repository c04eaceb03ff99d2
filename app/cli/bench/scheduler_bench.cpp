// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/scheduler_bench.h"

#include "app/cli/bench/dispatch_bench.h"
#include "app/cli/bench/idle_bench.h"
#include "app/cli/bench/machine.h"
#include "app/cli/bench/simulated_rows.h"

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

constexpr std::array kMeasures{
    SchedulerMeasure{"dispatch of empty tasks", dispatch},
    SchedulerMeasure{"the ready queue", readyQueue},
    SchedulerMeasure{"waking a worker", wake},
    SchedulerMeasure{"an idle scheduler", idle},
    SchedulerMeasure{"recording spans", tracing},
    SchedulerMeasure{"decisions on simulated devices", measureSimulated}};

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
