// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/report.h"

#include <cstddef>

namespace bifocal::cli {

/// How much of each. Threads: value.
struct DispatchWorkload {
    std::size_t taskCount = 200'000;
    std::size_t rounds = 5;  ///< the best one counts
    std::size_t queueLength = 100'000;
    std::size_t queueOperationCount = 1'000'000;
    std::size_t recordCount = 1'000'000;
};

/// Bar S1. Empty tasks with random keys, and a request and a stop token each, enqueued by one
/// thread, run by one and by two workers: row s1 is the slower of the two, in nanoseconds per task
/// from the first enqueue to the last run; s1_one_worker and s1_two_workers name oneTBB's arena as
/// their peer, and s1_over_tbb and s1_over_mutex_queue are ratios to the peers of the same run;
/// s1_allocations are calls of operator new per task after one pass to warm up. Threads:
/// compatible.
void measureDispatch(const DispatchWorkload& work, BenchReport& report);

/// Bar S2: s2_pop_push and s2_erase_push, nanoseconds on a ready queue of `queueLength`; the peer
/// is a std::priority_queue with a mutex. Threads: compatible.
void measureReadyQueue(const DispatchWorkload& work, BenchReport& report);

/// Bar S19: s19, nanoseconds per span recorded by the profiler; s19_throughput_loss, the share of
/// s1's tasks per second that its recording costs; s19_percentile_error, the largest relative error
/// of its P50, P95 and P99 against the samples themselves. Threads: compatible.
void measureTracing(const DispatchWorkload& work, BenchReport& report);

}  // namespace bifocal::cli
