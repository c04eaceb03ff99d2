// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/first_bench.h"
#include "app/cli/bench/report.h"
#include "core/base/result.h"

#include <span>

namespace bifocal::cli {

/// One part of the bench of the scheduler: appends its rows, or leaves them out with a reason.
struct SchedulerMeasure {
    const char* step;  ///< announced while it runs
    Result<void> (*measure)(BenchLength length, BenchReport& report);
};

/// All parts, in the order of their rows.
std::span<const SchedulerMeasure> schedulerMeasures();

/// The scheduler's bars S1 … S22, as far as they need no window and no model, one row or more for
/// each. Takes the machine for itself. Threads: compatible.
Result<BenchReport> runSchedulerBench(const BenchSetup& setup);

}  // namespace bifocal::cli
