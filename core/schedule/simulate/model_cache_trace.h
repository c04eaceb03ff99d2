// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/schedule/model_cache.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace bifocal::schedule {

enum class ModelTraceShape : std::uint8_t {
    Zipf = 1,  ///< independent draws, model k with weight 1 / k^exponent
    Cyclic,    ///< one after the other, over and over
};

/// A trace of switches between models on one device. Weights are in page-locked host memory after
/// the first load; the device's link is simulated on a virtual clock. Threads: value.
struct ModelTraceOptions {
    ModelTraceShape shape = ModelTraceShape::Zipf;
    Eviction eviction = Eviction::CostAware;
    std::uint64_t seed = 1;
    std::uint32_t switchCount = 2000;
    double exponent = 1.1;
    double overlapShare = 0.1;  ///< of switches after which the old model is still in use, too
    std::vector<std::uint64_t> modelBytes{1'200'000'000, 1'600'000'000, 1'400'000'000};
    std::uint64_t budgetBytes = 3'200'000'000;       ///< any two of them
    double linkBytesPerSecond = 12e9;                ///< PCIe, to the device
    double diskBytesPerSecond = 2e9;                 ///< of a first load; assumed
    Duration setUp = std::chrono::milliseconds(2);   ///< of each load: allocation; assumed
    Duration warmUp = std::chrono::milliseconds(5);  ///< assumed
};

/// Threads: value.
struct ModelTraceResult {
    std::uint64_t hitCount = 0;
    std::uint64_t loadCount = 0;
    std::uint64_t evictionCount = 0;
    std::uint64_t busyCount = 0;           ///< switches that found no room beside models in use
    std::uint64_t inUseEvictionCount = 0;  ///< models that were destroyed while they were pinned
    Duration savedTime{0};                 ///< what the hits would have cost as warm loads
    Duration loadTime{0};                  ///< what the warm loads cost
    Duration worstExcess{0};               ///< of a warm switch beyond bytes / link
};

/// Replays the trace through a ModelCache. InvalidArgument: no model, one that is larger than the
/// budget, a speed that is not above zero, a share outside 0 … 1.
Result<ModelTraceResult> runModelTrace(const ModelTraceOptions& options);

}  // namespace bifocal::schedule
