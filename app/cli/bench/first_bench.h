// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/engine_bench.h"
#include "app/cli/bench/report.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace bifocal::cli {

/// Short ends within 45 s on two cores; Full is the exact workload. The rows are the same.
enum class BenchLength : std::uint8_t { Short = 1, Full };

/// What every bench is given. Threads: value.
struct BenchSetup {
    BenchLength length = BenchLength::Short;
    EngineOpener openEngine;
    std::filesystem::path collection;              ///< pictures to index
    std::optional<std::filesystem::path> library;  ///< to ask instead of one made of the pictures
    std::filesystem::path packFolder;              ///< for benches that load models themselves
    std::filesystem::path speechFolder;            ///< the recogniser; need not be there
    std::optional<std::filesystem::path> clips;    ///< see readSpokenClips()
    std::function<void(const char* step)> announce;
};

/// The spine's own figures: index rate, the founding case, prompts idle and while indexing, exact
/// search against memory bandwidth. Takes the machine for itself. Threads: compatible.
Result<BenchReport> runFirstBench(const BenchSetup& setup);

}  // namespace bifocal::cli
