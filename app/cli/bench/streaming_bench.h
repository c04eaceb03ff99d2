// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/report.h"
#include "core/base/result.h"

#include <cstddef>

namespace bifocal::cli {

/// How much. Threads: value.
struct StreamingWorkload {
    std::size_t promptCount = 1'000;  ///< one after the other
    std::size_t crowdCount = 200;     ///< all at once
};

/// Bar S16, on the engine itself over an empty library, with encoders that take the time of the
/// design's reference device: words 28 ms, a picture 67 ms. Prompts of both, one after the other:
/// s16, milliseconds to the first answer, P99. Then a crowd of them, with and without one handler
/// that takes 100 ms for each event: s16_slow_handler, the share of the others' prompts per second
/// that it costs; s16_lost, prompts without exactly one end. Threads: compatible.
Result<void> measureStreaming(const StreamingWorkload& work, BenchReport& report);

}  // namespace bifocal::cli
