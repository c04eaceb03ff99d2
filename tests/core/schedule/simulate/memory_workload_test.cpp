// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/memory_workload.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace bifocal::schedule {
namespace {

MemoryWorkloadResult run(const MemoryWorkloadOptions& options) {
    const auto result = runMemoryWorkload(options);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : MemoryWorkloadResult{};
}

class ManagedMemoryTest : public ::testing::TestWithParam<MemoryStrategy> {};

TEST_P(ManagedMemoryTest, NeverOverflowsAndUsesTheDevice) {
    MemoryWorkloadOptions options;
    options.strategy = GetParam();

    const MemoryWorkloadResult result = run(options);

    EXPECT_EQ(result.completedCount, 50U * 200U);
    EXPECT_EQ(result.overflowCount, 0U);
    EXPECT_EQ(result.ledgerViolationCount, 0U);
    EXPECT_EQ(result.deadlockedWorkloadCount, 0U);
    EXPECT_EQ(result.lateClaimCount, 0U);
    EXPECT_GT(result.firstClaimCount, 1000U);
    EXPECT_GT(result.passedCount, 1000U);
    EXPECT_GE(result.meanUse, 0.7);
}

INSTANTIATE_TEST_SUITE_P(Strategies,
                         ManagedMemoryTest,
                         ::testing::Values(MemoryStrategy::Arena, MemoryStrategy::PrimedPools),
                         [](const auto& test) { return std::string(toString(test.param)); });

TEST(MemoryWorkloadTest, FourSlotsOverflowInNearlyEveryWorkload) {
    MemoryWorkloadOptions options;
    options.strategy = MemoryStrategy::Slots;

    EXPECT_GE(run(options).overflowedWorkloadCount, 45U);
}

TEST(MemoryWorkloadTest, TheSumOfTensorsIsNotWhatTheAllocatorTakes) {
    MemoryWorkloadOptions options;
    options.strategy = MemoryStrategy::TensorBytes;

    const MemoryWorkloadResult result = run(options);

    EXPECT_GT(result.overflowedWorkloadCount, 0U);
    EXPECT_GT(result.ledgerViolationCount, 0U);
}

TEST(MemoryWorkloadTest, UnderestimatedJobsSplitOrFailAloneAndNobodyElseNotices) {
    MemoryWorkloadOptions options;
    options.underestimatedShare = 0.01;

    const MemoryWorkloadResult result = run(options);

    EXPECT_GT(result.splitCompletedCount, 20U);
    EXPECT_GT(result.failedAloneCount, 5U);
    EXPECT_EQ(result.splitCompletedCount + result.failedAloneCount, result.underestimatedCount);
    EXPECT_EQ(result.completedCount + result.failedAloneCount, result.jobCount);
    EXPECT_EQ(result.overflowCount, 0U);
    EXPECT_EQ(result.ledgerViolationCount, 0U) << "the ledger is back at its base line, too";
    EXPECT_EQ(result.deadlockedWorkloadCount, 0U);
    EXPECT_GE(result.mostRetries, 3U);
    EXPECT_LE(result.mostRetries, 5U) << "log₂ of the largest batch, 32";
}

TEST(MemoryWorkloadTest, EvenWhenAllEstimatesAreWrongEveryJobEnds) {
    MemoryWorkloadOptions options;
    options.underestimatedShare = 1;
    options.workloadCount = 10;

    const MemoryWorkloadResult result = run(options);

    EXPECT_EQ(result.completedCount + result.failedAloneCount, 2000U);
    EXPECT_EQ(result.ledgerViolationCount, 0U);
}

TEST(MemoryWorkloadTest, JobsLargerThanTheBudgetAreRefusedAndTheOthersRun) {
    MemoryWorkloadOptions options;
    options.deviceBytes = std::uint64_t{7} << 30U;
    options.workloadCount = 10;

    const MemoryWorkloadResult result = run(options);

    EXPECT_GT(result.refusedCount, 0U);
    EXPECT_EQ(result.completedCount + result.refusedCount, result.jobCount);
    EXPECT_EQ(result.overflowCount, 0U);
    EXPECT_EQ(result.deadlockedWorkloadCount, 0U);
}

TEST(MemoryWorkloadTest, TheSameSeedGivesTheSameResult) {
    MemoryWorkloadOptions options;
    options.workloadCount = 3;
    const MemoryWorkloadResult once = run(options);

    const MemoryWorkloadResult again = run(options);
    options.firstSeed = 2;
    const MemoryWorkloadResult other = run(options);

    EXPECT_EQ(once.meanUse, again.meanUse);
    EXPECT_EQ(once.passedCount, again.passedCount);
    EXPECT_NE(once.meanUse, other.meanUse);
}

TEST(MemoryWorkloadTest, NamesTheValueThatMakesNoSense) {
    struct Case {
        void (*spoil)(MemoryWorkloadOptions&);
        const char* word;
    };
    for (const Case& c :
         {Case{[](MemoryWorkloadOptions& o) { o.maxInFlight = 65; }, "in flight"},
          Case{[](MemoryWorkloadOptions& o) { o.workloadCount = 0; }, "no workload"},
          Case{[](MemoryWorkloadOptions& o) { o.jobCount = 0; }, "no workload"},
          Case{[](MemoryWorkloadOptions& o) { o.meanGap = Duration(-1); }, "gap"},
          Case{[](MemoryWorkloadOptions& o) { o.deviceBytes = o.weightBytes; }, "device"},
          Case{[](MemoryWorkloadOptions& o) { o.othersBytes = o.deviceBytes; }, "device"},
          Case{[](MemoryWorkloadOptions& o) { o.underestimatedShare = -0.1; }, "share"},
          Case{[](MemoryWorkloadOptions& o) {
                   o.underestimatedShare = 0.1;
                   o.strategy = MemoryStrategy::Slots;
               },
               "arena"}}) {
        MemoryWorkloadOptions options;
        c.spoil(options);

        const auto result = runMemoryWorkload(options);

        ASSERT_FALSE(result) << c.word;
        EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(result.error().message.find(c.word), std::string::npos) << result.error().message;
    }
}

TEST(OverflowCurveTest, UnmanagedJobsOverflowMoreTheMoreThereAreAndManagedOnesNever) {
    MemoryWorkloadOptions options;
    options.workloadCount = 10;

    const auto points = overflowCurve(options);

    ASSERT_TRUE(points);
    ASSERT_EQ(points->size(), 12U);
    for (const OverflowPoint& point : *points) {
        EXPECT_EQ(point.managedTogether, 0) << point.inFlight;
        EXPECT_EQ(point.managedSustained, 0) << point.inFlight;
    }
    EXPECT_EQ(points->front().unmanagedTogether, 0);
    EXPECT_EQ(points->front().unmanagedSustained, 0);
    EXPECT_GT((*points)[7].unmanagedTogether, (*points)[3].unmanagedTogether);
    EXPECT_GT((*points)[11].unmanagedTogether, 0.5);
    EXPECT_GT((*points)[4].unmanagedSustained, 0.9);
    EXPECT_FALSE(overflowCurve(options, 0));
    EXPECT_FALSE(overflowCurve(options, 65));
}

}  // namespace
}  // namespace bifocal::schedule
