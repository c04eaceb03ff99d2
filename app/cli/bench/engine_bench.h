// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/report.h"
#include "core/base/image_buffer.h"
#include "core/base/result.h"
#include "core/engine/engine.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bifocal::cli {

/// Opens the engine of the pack under test on a library.
using EngineOpener =
    std::function<Result<std::unique_ptr<Engine>>(const std::filesystem::path& library)>;

/// The picture of the founding case, 2560 × 1440, made by a formula: a lit disc on a shaded
/// background, with the grain of a photograph. Threads: value.
ImageBuffer foundingPicture();

/// Copies the first `limit` pictures of `collection`, in the order of the walk, to `to`, which is
/// made; returns how many. The errors of the walk and of copying; NotFound when there is none.
/// Threads: safe.
Result<std::size_t> copyPictures(const std::filesystem::path& collection,
                                 std::size_t limit,
                                 const std::filesystem::path& to);

/// Indexes `pictures` into the engine's library and adds index_rate. Threads: compatible.
Result<void> measureIndexRate(Engine& engine,
                              const std::filesystem::path& pictures,
                              BenchReport& report);

/// The founding case of the second source: its picture and words at once, `repetitions` times on a
/// loaded engine; adds founding_p50 and founding_p95 and the medians of the stages.
/// Threads: compatible.
Result<void> measureFoundingCase(Engine& engine, std::size_t repetitions, BenchReport& report);

/// Wall times of prompts of words, one after the other, in milliseconds. Threads: compatible.
struct QueryTimes {
    std::vector<double> idle;
    std::vector<double> indexing;
};

/// Asks `count` prompts on an engine that does nothing else, before and after indexing `pictures`,
/// and as many as there is time for meanwhile; adds to `times`. Requires: an empty library.
/// Threads: compatible.
Result<void> askWhileIndexing(Engine& engine,
                              const std::filesystem::path& pictures,
                              std::size_t count,
                              QueryTimes& times);

/// Rows query_idle_p50, query_idle_p95, query_indexing_p50, query_indexing_p95 and the ratio of the
/// last to the idle one; too few prompts while indexing are left out. Threads: compatible.
void addQueryRows(const QueryTimes& times, BenchReport& report);

}  // namespace bifocal::cli
