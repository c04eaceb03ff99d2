// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/report.h"

#include <cstddef>

namespace bifocal::cli {

/// Bar S13. Four clients cancel `requestCount` requests, each at a moment drawn from all that a
/// request goes through, on workers whose segments take half a millisecond: s13, tasks that did not
/// end exactly once; s13_wasted, device time of what was cancelled while it was queued;
/// s13_queued_p99 and s13_running_p99, milliseconds from the call to the task's end. Threads:
/// compatible.
void measureCancel(std::size_t requestCount, BenchReport& report);

/// Bar S17. Requests of which a fifth is cancelled and one in twenty fails, after as many to warm
/// up as `warmUpCount`: s17, MiB by which this process grew per million; s17_ledger, bytes still
/// reserved. Threads: compatible.
void measureLeak(std::size_t warmUpCount, std::size_t requestCount, BenchReport& report);

/// Bar S15, BatchRule::eightOrFiftyMilliseconds(). s15: runs on a virtual clock that were not begun
/// at the eighth task or after 50 ms, in random arrivals at four rates, `seeds` times; s15_real:
/// how many milliseconds after that a run began on this machine, P99 of `windowCount`. Threads:
/// compatible.
void measureBatcher(std::size_t seeds, std::size_t windowCount, BenchReport& report);

}  // namespace bifocal::cli
