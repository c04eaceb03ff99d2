// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/model_cache_trace.h"

#include "core/base/assert.h"
#include "core/schedule/memory_ledger.h"
#include "core/schedule/placement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>

namespace bifocal::schedule {

namespace {

struct SimulatedModel {
    std::uint64_t bytes = 0;
    bool isInUse = false;
};

class ModelTrace {
public:
    explicit ModelTrace(const ModelTraceOptions& options)
        : options_(options),
          ledger_(options.budgetBytes),
          inUse_(options.modelBytes.size()),
          isWarm_(options.modelBytes.size()),
          cache_(ledger_, clock_, options.eviction),
          random_(options.seed) {
        double sum = 0;
        for (std::size_t k = 1; k <= options.modelBytes.size(); ++k) {
            sum += std::pow(static_cast<double>(k), -options.exponent);
            cumulated_.push_back(sum);
        }
    }

    ModelTraceResult run() {
        for (std::uint32_t i = 0; i < options_.switchCount; ++i) {
            use(options_.shape == ModelTraceShape::Cyclic ? i % options_.modelBytes.size()
                                                          : draw());
        }
        release();
        const ModelCache::Stats stats = cache_.stats();
        result_.hitCount = stats.hitCount;
        result_.loadCount = stats.loadCount;
        result_.evictionCount = stats.evictionCount;
        return result_;
    }

private:
    double unit() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
    std::size_t draw() {
        const double value = unit() * cumulated_.back();
        const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end(), value);
        return std::min(static_cast<std::size_t>(found - cumulated_.begin()),
                        cumulated_.size() - 1);
    }
    Duration warmTime(std::size_t index) const {
        return options_.setUp + options_.warmUp +
               transferTime(options_.modelBytes[index], options_.linkBytesPerSecond);
    }
    ModelSource sourceOf(std::size_t index) {
        ModelSource source;
        source.key = std::to_string(index);
        source.bytes = options_.modelBytes[index];
        source.reloadTime = warmTime(index);
        source.load = [this, index]() -> Result<CachedModel> {
            const std::uint64_t bytes = options_.modelBytes[index];
            if (!isWarm_[index]) {
                clock_.advance(transferTime(bytes, options_.diskBytesPerSecond));
                isWarm_[index] = true;
            }
            clock_.advance(options_.setUp + transferTime(bytes, options_.linkBytesPerSecond));
            return CachedModel(new SimulatedModel{bytes}, [this, index](const void* model) {
                result_.inUseEvictionCount += inUse_[index] ? 1 : 0;
                delete static_cast<const SimulatedModel*>(model);
            });
        };
        source.warmUp = [this](const void*) -> Result<void> {
            clock_.advance(options_.warmUp);
            return {};
        };
        return source;
    }
    void use(std::size_t index) {
        const bool wasWarm = isWarm_[index];
        const bool wasResident = cache_.isResident(std::to_string(index));
        const TimePoint begin = clock_.now();
        Result<ModelCache::Pin> pin = cache_.acquire(sourceOf(index));
        const Duration time = clock_.now() - begin;
        if (!pin) {
            ++result_.busyCount;
            release();
            return;
        }
        if (wasResident) {
            result_.savedTime += warmTime(index);
        } else if (wasWarm) {
            result_.loadTime += time;
            result_.worstExcess = std::max(
                result_.worstExcess,
                time - transferTime(options_.modelBytes[index], options_.linkBytesPerSecond));
        }
        release();
        inUse_[index] = true;
        if (unit() < options_.overlapShare) {
            held_.emplace(*std::move(pin));
            heldIndex_ = index;
        } else {
            inUse_[index] = false;
        }
    }
    /// What the switch before this one still used.
    void release() {
        if (held_) {
            held_.reset();
            inUse_[heldIndex_] = false;
        }
    }

    const ModelTraceOptions& options_;
    ModelTraceResult result_;
    ManualClock clock_;
    MemoryLedger ledger_;
    std::vector<bool> inUse_;
    std::vector<bool> isWarm_;
    ModelCache cache_;  // after what its models look at when they go
    std::mt19937_64 random_;
    std::vector<double> cumulated_;
    std::optional<ModelCache::Pin> held_;
    std::size_t heldIndex_ = 0;
};

Result<void> checkModelTrace(const ModelTraceOptions& options) {
    const auto invalid = [](const char* what) {
        return Error{ErrorCode::InvalidArgument, std::string("model trace: ") + what};
    };
    if (options.modelBytes.empty()) {
        return invalid("no model");
    }
    for (const std::uint64_t bytes : options.modelBytes) {
        if (bytes > options.budgetBytes) {
            return invalid("a model is larger than the budget");
        }
    }
    if (!(options.linkBytesPerSecond > 0) || !(options.diskBytesPerSecond > 0)) {
        return invalid("a speed is not above zero");
    }
    if (!(options.overlapShare >= 0 && options.overlapShare <= 1)) {
        return invalid("overlap share is outside 0 … 1");
    }
    if (!(std::abs(options.exponent) <= 10)) {
        return invalid("exponent is outside -10 … 10");
    }
    return {};
}

}  // namespace

Result<ModelTraceResult> runModelTrace(const ModelTraceOptions& options) {
    BIFOCAL_CHECK(checkModelTrace(options));
    return ModelTrace(options).run();
}

}  // namespace bifocal::schedule
