// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/report.h"

#include <cstddef>

namespace bifocal::cli {

/// Bar S3. `count` tasks 300 µs apart for one worker that sleeps in between: s3_p50 and s3_p99,
/// microseconds from enqueue() to run(). The peer is a worker behind a mutex and a condition, asked
/// in turns. Threads: compatible.
void measureWake(std::size_t count, BenchReport& report);

/// Bar S4. A scheduler with the engine's three lanes and nothing to do for `seconds`: s4_wakeups,
/// times per second and lane that one of its threads was given the processor; s4_cpu_share, the
/// share of one core that this whole process used meanwhile. Left out where the system does not
/// say. Threads: compatible; the process must have nothing else to do.
void measureIdle(double seconds, BenchReport& report);

}  // namespace bifocal::cli
