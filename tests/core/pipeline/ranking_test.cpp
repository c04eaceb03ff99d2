// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/ranking.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace bifocal {
namespace {

/// Moments of `count` candidates that all scored `mean`.
kernels::ScoreMoments flat(std::uint64_t count, double mean) {
    kernels::ScoreMoments moments;
    moments.count = count;
    moments.sum = mean * static_cast<double>(count);
    moments.sumOfSquares = mean * mean * static_cast<double>(count);
    return moments;
}

TEST(ConfidenceScale, StandingOutIsWhatCountsNotTheScore) {
    const std::array<float, 1> best{0.9F};
    EXPECT_EQ(ConfidenceScale(flat(1000, 0.1), best, 1.0).labelOf(0.9), Confidence::Strong);
    // The same score against a background that is just as high says nothing.
    const ConfidenceScale high(flat(1000, 0.85), best, 1.0);
    EXPECT_EQ(high.labelOf(0.9), Confidence::Weak);
    EXPECT_EQ(high.answer(), Answer::None);
}

TEST(ConfidenceScale, LabelsNest) {
    const std::array<float, 3> best{0.7F, 0.4F, 0.3F};
    const ConfidenceScale scale(flat(100, 0.1), best, 1.0);
    EXPECT_EQ(scale.labelOf(0.6), Confidence::Strong);
    EXPECT_EQ(scale.labelOf(0.4), Confidence::Fair);
    EXPECT_EQ(scale.labelOf(0.2), Confidence::Weak);
    EXPECT_EQ(scale.answer(), Answer::Strong);
}

TEST(ConfidenceScale, DoesNotDependOnTheLengthOfTheQuery) {
    const std::array<float, 1> best{0.5F};
    const std::array<float, 1> doubled{1.0F};
    const ConfidenceScale one(flat(100, 0.0), best, 1.0);
    const ConfidenceScale two(flat(100, 0.0), doubled, 2.0);
    EXPECT_NEAR(one.separation(), two.separation(), 1e-6);
    EXPECT_EQ(one.labelOf(0.5), two.labelOf(1.0));
}

TEST(ConfidenceScale, OneLuckyPictureIsNotAnAnswerButAFairOneIs) {
    std::vector<float> lucky(10, 0.1F);
    lucky[0] = 0.25F;
    EXPECT_EQ(ConfidenceScale(flat(100, 0.05), lucky, 1.0).answer(), Answer::None);
    lucky[0] = 0.40F;
    EXPECT_EQ(ConfidenceScale(flat(100, 0.05), lucky, 1.0).answer(), Answer::Fair);
}

TEST(ConfidenceScale, AStrengthOfOneIsWhereAnAnswerBegins) {
    for (const float height : {0.0F, 0.1F, 0.19F, 0.21F, 0.26F, 0.28F, 0.5F}) {
        for (const float others : {0.0F, 0.15F, 0.2F}) {
            std::vector<float> best(10, std::min(height, others));
            best[0] = height;
            const ConfidenceScale scale(flat(100, 0.0), best, 1.0);
            EXPECT_EQ(scale.strength() < 1, scale.answer() == Answer::None) << height << others;
        }
    }
}

TEST(ConfidenceScale, AnEmptyLibraryHasNoAnswer) {
    EXPECT_EQ(ConfidenceScale({}, {}, 1.0).answer(), Answer::None);
}

TEST(MaxScore, IsTheSumOfTheBlocksLengths) {
    RowLayout layout;
    layout.dim = 8;
    layout.strideBytes = 64;
    layout.blocks = {{"words", 0, 2, Lens::Words}, {"looks", 4, 2, Lens::Looks}};
    const std::array<float, 8> query{3, 4, 100, 0, 0, 2, 0, 0};
    EXPECT_NEAR(maxScoreOf(layout, query), 7.0, 1e-9);
}

}  // namespace
}  // namespace bifocal
