// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/report.h"

#include <cstddef>

namespace bifocal::cli {

/// Exact search of one thread over made-up rows of the starter pack's shape, against the read
/// bandwidth of the same thread over the same memory: rows search_100k_ms,
/// search_100k_bandwidth_share and the same with 1m, the latter left out where memory is short.
/// Search and reading take turns, `repetitions` of each (eight times as many of the small one); the
/// share is one of medians, each of the better of two passes.
/// Threads: compatible.
void measureSearch(std::size_t repetitions, BenchReport& report);

}  // namespace bifocal::cli
