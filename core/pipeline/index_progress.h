// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bifocal {

struct PathReason {
    std::filesystem::path path;
    std::string reason;
};

/// What one indexing run did. Threads: value.
struct IndexSummary {
    std::uint64_t indexed = 0;    ///< encoded now
    std::uint64_t unchanged = 0;  ///< cost a stat
    std::uint64_t moved = 0;      ///< content known already: the vector was kept
    std::uint64_t removed = 0;    ///< files that are gone
    std::vector<PathReason> failed;
    std::vector<PathReason> skipped;  ///< folders that could not be visited
    double seconds = 0;
};

enum class IndexState : std::uint8_t { Walking = 1, Indexing, Paused, Done, Failed, Cancelled };

/// Where an indexing run stands; sent at most 20 times a second, and once at its end (the terminal
/// event: Done, Failed or Cancelled). Threads: value.
struct IndexProgress {
    RequestId request;
    CollectionId collection;
    IndexState state = IndexState::Walking;
    std::uint64_t foundCount = 0;  ///< picture files seen; grows while walking
    std::uint64_t doneCount = 0;   ///< of them settled: indexed, unchanged, moved or failed
    std::uint64_t failedCount = 0;
    double picturesPerSecond = 0;  ///< over the last seconds
    std::optional<double> secondsLeft;
    std::optional<IndexSummary> summary;  ///< at the end
    std::optional<Error> error;           ///< with Failed
};

/// On the engine's threads, never two at once for one run; must return soon, and must neither call
/// the engine nor destroy it.
using IndexHandler = std::function<void(const IndexProgress&)>;

}  // namespace bifocal
