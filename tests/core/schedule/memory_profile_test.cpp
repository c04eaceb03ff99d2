// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/memory_profile.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace bifocal::schedule {
namespace {

TEST(MemoryProfileTest, KnowsNothingOfAStageThatWasNeverSeen) {
    MemoryProfile profile;
    profile.record("encode", 1, 8, 100);

    EXPECT_FALSE(profile.estimate("encode", 2, 8));
    EXPECT_FALSE(profile.estimate("decode", 1, 8));
}

TEST(MemoryProfileTest, KeepsTheLargestValueThatWasSeen) {
    MemoryProfile profile;
    profile.record("encode", 1, 8, 100);
    profile.record("encode", 1, 8, 90);
    EXPECT_EQ(profile.estimate("encode", 1, 8), 100U);

    profile.record("encode", 1, 8, 110);

    EXPECT_EQ(profile.estimate("encode", 1, 8), 110U);
}

TEST(MemoryProfileTest, TakesTheNextLargerSizeAndBeyondTheLargestTheProportion) {
    MemoryProfile profile;
    profile.record("encode", 1, 4, 60);
    profile.record("encode", 1, 16, 201);

    EXPECT_EQ(profile.estimate("encode", 1, 1), 60U);
    EXPECT_EQ(profile.estimate("encode", 1, 5), 201U);
    EXPECT_EQ(profile.estimate("encode", 1, 32), 402U);
    EXPECT_EQ(profile.estimate("encode", 1, 17), 214U) << "201·17/16 rounded up";
}

TEST(MemoryProfileTest, RaisesTheSizeThatRanOutAndTheSmallerOnes) {
    MemoryProfile profile;
    profile.record("encode", 1, 4, 60);
    profile.record("encode", 1, 8, 100);
    profile.record("encode", 1, 16, 210);

    profile.raise("encode", 1, {8, 100});

    EXPECT_EQ(profile.estimate("encode", 1, 8), 200U);
    EXPECT_EQ(profile.estimate("encode", 1, 4), 100U);
    EXPECT_EQ(profile.estimate("encode", 1, 16), 210U);
}

TEST(MemoryProfileTest, HugeValuesDoNotWrapAround) {
    MemoryProfile profile;
    profile.raise("encode", 1, {1, UINT64_MAX / 2 + 1});

    EXPECT_EQ(profile.estimate("encode", 1, 1), UINT64_MAX);
    EXPECT_EQ(profile.estimate("encode", 1, 7), UINT64_MAX);
}

TEST(SplitAfterOutOfMemoryTest, HalvesUntilOneItemIsLeftAndThenGivesUp) {
    for (std::uint32_t batch = 1; batch <= 64; ++batch) {
        std::uint32_t logarithm = 0;
        while ((std::uint32_t{1} << logarithm) < batch) {
            ++logarithm;
        }
        std::uint32_t retries = 0;
        auto attempt = splitAfterOutOfMemory({batch, 100});
        for (; attempt; attempt = splitAfterOutOfMemory(*attempt)) {
            EXPECT_EQ(attempt->bytes, 100U);
            ++retries;
        }
        EXPECT_EQ(retries, logarithm) << "batch " << batch;
    }
    EXPECT_EQ(splitAfterOutOfMemory({5, 100}), (MemoryAttempt{3, 100}));
}

}  // namespace
}  // namespace bifocal::schedule
