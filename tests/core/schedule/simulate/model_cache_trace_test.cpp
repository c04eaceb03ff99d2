// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/model_cache_trace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace bifocal::schedule {
namespace {

ModelTraceResult run(ModelTraceOptions options, Eviction eviction) {
    options.eviction = eviction;
    const auto result = runModelTrace(options);
    EXPECT_TRUE(result);
    return result ? *result : ModelTraceResult{};
}

TEST(ModelCacheTraceTest, WarmSwitchesCostTheTransferAndTenMillisecondsAtMost) {
    const ModelTraceResult result = run({}, Eviction::CostAware);

    EXPECT_LE(result.worstExcess, std::chrono::milliseconds(10));
    EXPECT_EQ(result.hitCount + result.loadCount, 2000U);
    EXPECT_GT(result.evictionCount, 100U);
    EXPECT_EQ(result.inUseEvictionCount, 0U);
    EXPECT_EQ(result.busyCount, 0U) << "any two fit";
}

TEST(ModelCacheTraceTest, SavesNoLessThanLeastRecentlyUsedOnTheZipfTrace) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ModelTraceOptions options;
        options.seed = seed;

        const ModelTraceResult ours = run(options, Eviction::CostAware);
        const ModelTraceResult lru = run(options, Eviction::LeastRecentlyUsed);

        EXPECT_GE(ours.savedTime, lru.savedTime) << "seed " << seed;
        EXPECT_LE(ours.loadTime, lru.loadTime) << "seed " << seed;
    }
}

TEST(ModelCacheTraceTest, SavesMoreThanLeastRecentlyUsedOnTheCyclicTrace) {
    ModelTraceOptions options;
    options.shape = ModelTraceShape::Cyclic;
    options.overlapShare = 0;

    const ModelTraceResult ours = run(options, Eviction::CostAware);
    const ModelTraceResult lru = run(options, Eviction::LeastRecentlyUsed);

    EXPECT_EQ(lru.hitCount, 0U);
    EXPECT_GE(ours.hitCount, 900U) << "one of three each time is the best there is: half of them";
    EXPECT_GT(ours.savedTime, lru.savedTime);
}

TEST(ModelCacheTraceTest, NamesTheValueThatMakesNoSense) {
    ModelTraceOptions none;
    none.modelBytes.clear();
    ModelTraceOptions large;
    large.budgetBytes = 1'500'000'000;
    ModelTraceOptions still;
    still.linkBytesPerSecond = 0;
    ModelTraceOptions share;
    share.overlapShare = 2;

    for (const ModelTraceOptions& options : {none, large, still, share}) {
        const auto result = runModelTrace(options);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
    }
}

}  // namespace
}  // namespace bifocal::schedule
