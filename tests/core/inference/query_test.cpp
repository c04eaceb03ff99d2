// SPDX-License-Identifier: Apache-2.0
#include "core/inference/query.h"

#include "core/inference/label_mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace bifocal {
namespace {

// words 0–1, looks 2–3, joint 4, colours 5 (words lens), one number of padding.
RowLayout layout() {
    return {7,
            64,
            {{"words", 0, 2, Lens::Words},
             {"looks", 2, 2, Lens::Looks},
             {"joint", 4, 1, Lens::Joint},
             {"colours", 5, 1, Lens::Words}}};
}

const std::vector<float> kText{1, 2, 30, 40, 5, 6, 70};
const std::vector<float> kImage{10, 20, 3, 4, 50, 60, 80};
const std::vector<float> kMinus{2, 4, 9, 9, 8, 6, 9};

TEST(FoldQuery, TextAloneTakesWordsAndJointBlocks) {
    const auto query = foldQuery(layout(), {kText, {}, {}, 0.9});
    ASSERT_TRUE(query) << query.error().message;
    EXPECT_EQ(*query, (std::vector<float>{1, 2, 0, 0, 5, 6, 0}));
}

TEST(FoldQuery, ImageAloneTakesLooksAndJointBlocks) {
    const auto query = foldQuery(layout(), {{}, kImage, {}, 0.1});
    ASSERT_TRUE(query) << query.error().message;
    EXPECT_EQ(*query, (std::vector<float>{0, 0, 3, 4, 50, 0, 0}));
}

TEST(FoldQuery, FusedMixesByTheBalance) {
    const auto query = foldQuery(layout(), {kText, kImage, {}, 0.25});
    ASSERT_TRUE(query) << query.error().message;
    EXPECT_EQ(*query, (std::vector<float>{0.75F, 1.5F, 0.75F, 1, 16.25F, 4.5F, 0}));
}

TEST(FoldQuery, BalanceEndsAreTextAloneAndImageAlone) {
    const auto words = foldQuery(layout(), {kText, kImage, {}, 0.0});
    const auto looks = foldQuery(layout(), {kText, kImage, {}, 1.0});
    ASSERT_TRUE(words && looks);
    EXPECT_EQ(*words, *foldQuery(layout(), {kText, {}, {}, 0.5}));
    EXPECT_EQ(*looks, *foldQuery(layout(), {{}, kImage, {}, 0.5}));
}

TEST(FoldQuery, NegativesSubtractHalfOfTheirWordsAndColours) {
    const auto query = foldQuery(layout(), {kText, {}, {kMinus, kMinus}, 0.5});
    ASSERT_TRUE(query) << query.error().message;
    EXPECT_EQ(*query, (std::vector<float>{-1, -2, 0, 0, -3, 0, 0}));
    const auto beside = foldQuery(layout(), {{}, kImage, {kMinus}, 0.5});
    ASSERT_TRUE(beside) << beside.error().message;
    EXPECT_EQ(*beside, (std::vector<float>{-1, -2, 3, 4, 46, -3, 0}));
}

TEST(FoldQuery, RefusesWhatCannotWork) {
    const std::vector<float> shortRow(6, 1.0F);
    std::vector<float> broken = kText;
    broken[3] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<QueryParts> cases{
        {{}, {}, {}, 0.5},
        {{}, {}, {kMinus}, 0.5},
        {shortRow, {}, {}, 0.5},
        {kText, shortRow, {}, 0.5},
        {kText, {}, {shortRow}, 0.5},
        {broken, {}, {}, 0.5},
        {kText, broken, {}, 0.5},
        {kText, kImage, {}, -0.01},
        {kText, kImage, {}, 1.01},
        {kText, kImage, {}, std::nan("")},
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto query = foldQuery(layout(), cases[i]);
        ASSERT_FALSE(query) << "case " << i;
        EXPECT_EQ(query.error().code, ErrorCode::InvalidArgument) << "case " << i;
    }
}

TEST(LensScores, SumToTheScoreAndColoursCountAsWords) {
    const std::vector<float> query{1, 2, 3, 4, 5, 6, 0};
    std::vector<Half> row;
    for (const float value : {0.5F, 0.25F, 1.0F, 2.0F, 3.0F, 0.125F, 0.0F}) {
        row.push_back(toHalf(value));
    }
    const LensScores scores = lensScores(layout(), query, row);
    EXPECT_FLOAT_EQ(scores.words, 0.5F + 0.5F + 0.75F);
    EXPECT_FLOAT_EQ(scores.looks, 3 + 8);
    EXPECT_FLOAT_EQ(scores.joint, 15);
}

TEST(LensScores, StarterScoreIsOneDotProduct) {
    const RowLayout starter = labelMixtureLayout();
    std::vector<float> text(starter.dim, 0.0F);
    std::vector<float> image(starter.dim, 0.0F);
    std::vector<Half> row(starter.dim);
    for (std::size_t i = 0; i < starter.dim; ++i) {
        text[i] = std::sin(static_cast<float>(i));
        image[i] = std::cos(static_cast<float>(3 * i));
        row[i] = toHalf(0.05F * std::sin(static_cast<float>(7 * i + 1)));
    }
    const double b = 0.3;
    const auto query = foldQuery(starter, {text, image, {}, b});
    ASSERT_TRUE(query);
    double words = 0;
    double looks = 0;
    for (std::size_t i = 0; i < 523; ++i) {
        const double stored = static_cast<double>(toFloat(row[i]));
        const bool isLooks = i >= 384 && i < 512;
        (isLooks ? looks : words) += stored * static_cast<double>(isLooks ? image[i] : text[i]);
    }
    const LensScores scores = lensScores(starter, *query, row);
    EXPECT_NEAR(static_cast<double>(scores.words), (1 - b) * words, 1e-5);
    EXPECT_NEAR(static_cast<double>(scores.looks), b * looks, 1e-5);
    EXPECT_EQ(scores.joint, 0.0F);
}

}  // namespace
}  // namespace bifocal
