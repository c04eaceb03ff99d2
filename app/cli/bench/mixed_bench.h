// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/first_bench.h"
#include "app/cli/bench/report.h"
#include "core/base/result.h"

namespace bifocal::cli {

/// One-shot and autoregressive work at once, beside the claim for ResNet-50 and GPT-3 (31.7 % more
/// speed, 42 % less memory): batches of the image tower and spoken clips, the same number of both
/// with plain threads (one a core for each of the two models, as two programs would have them) and
/// on the scheduler (one worker a core for both). mixed_speed_gain, per cent of the time for all of
/// it; mixed_memory_saving, per cent of the peak resident bytes; and the figures behind them.
/// Left out without a recogniser or clips. Threads: compatible; takes the machine for itself.
Result<BenchReport> runMixedBench(const BenchSetup& setup);

}  // namespace bifocal::cli
