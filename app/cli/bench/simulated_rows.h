// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/first_bench.h"
#include "app/cli/bench/report.h"
#include "core/base/result.h"

namespace bifocal::cli {

/// The bars that are a matter of decisions and not of time: the scheduler on simulated devices, W-A
/// to W-F, without and with disturbance. The same on every machine. Rows "s5" to "s11" and "rough".
Result<void> measureSimulated(BenchLength length, BenchReport& report);

}  // namespace bifocal::cli
