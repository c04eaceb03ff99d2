// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/first_bench.h"
#include "app/cli/bench/report.h"
#include "app/cli/load/open_loop.h"
#include "core/base/result.h"

namespace bifocal::cli {

/// What was measured with prompts alone, with batch alone, and with both. Threads: value.
struct ContentionFigures {
    LoadRun idle;
    LoadRun both;
    double batchAlone = 0;  ///< pictures per second
    double batchBoth = 0;
};

/// Rows text_p95_ratio and image_p95_ratio (both ÷ idle), batch_share (both ÷ alone), and the
/// figures that they are made of; a ratio is left out when a run did not keep its rate or has too
/// few prompts. Threads: compatible.
void addContentionRows(const ContentionFigures& figures, BenchReport& report);

/// Prompts against batch work on the real engine: prompts of words and of pictures, half and half,
/// arrive as a Poisson process of 5 a second, beside an endless batch generator over the
/// collection. Takes the machine for itself. Threads: compatible.
Result<BenchReport> runContentionBench(const BenchSetup& setup);

}  // namespace bifocal::cli
