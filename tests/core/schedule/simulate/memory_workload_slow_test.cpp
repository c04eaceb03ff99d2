// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/memory_workload.h"

#include <gtest/gtest.h>

namespace bifocal::schedule {
namespace {

TEST(MemoryWorkloadSlowTest, TenThousandWorkloadsNeverOverflow) {
    for (const MemoryStrategy strategy : {MemoryStrategy::Arena, MemoryStrategy::PrimedPools}) {
        MemoryWorkloadOptions options;
        options.strategy = strategy;
        options.workloadCount = 10'000;

        const auto result = runMemoryWorkload(options);

        ASSERT_TRUE(result);
        EXPECT_EQ(result->completedCount, 10'000U * 200U) << toString(strategy);
        EXPECT_EQ(result->overflowCount, 0U) << toString(strategy);
        EXPECT_EQ(result->ledgerViolationCount, 0U) << toString(strategy);
        EXPECT_EQ(result->deadlockedWorkloadCount, 0U) << toString(strategy);
        EXPECT_EQ(result->lateClaimCount, 0U) << toString(strategy);
        EXPECT_GE(result->meanUse, 0.7) << toString(strategy);
    }
}

}  // namespace
}  // namespace bifocal::schedule
