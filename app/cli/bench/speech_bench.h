// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/first_bench.h"
#include "app/cli/bench/report.h"
#include "core/base/result.h"

namespace bifocal::cli {

/// Spoken prompts on one thread: prompt_2_6s, milliseconds for the clip nearest to 2.6 seconds;
/// word_errors, per cent of the words of all clips; quiet_texts, how often silence and noise were
/// given a text. Rows that need clips or a recogniser which is not there are left out.
/// Threads: compatible.
Result<BenchReport> runSpeechBench(const BenchSetup& setup);

}  // namespace bifocal::cli
