// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/rank_fusion.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace bifocal {
namespace {

using Scores = std::vector<kernels::RowScore>;

std::vector<std::uint32_t> rowsOf(const std::vector<FusedRow>& fused) {
    std::vector<std::uint32_t> rows;
    for (const FusedRow& row : fused) {
        rows.push_back(row.row);
    }
    return rows;
}

TEST(RankFusion, WithoutNamesIsTheOrderOfTheVectors) {
    const Scores scores{{0.9F, 4}, {0.5F, 1}, {0.1F, 7}};
    EXPECT_EQ(rowsOf(fuseRanks(scores, {}, {})), (std::vector<std::uint32_t>{4, 1, 7}));
}

TEST(RankFusion, FollowsTheFormula) {
    const Scores scores{{0.9F, 4}, {0.5F, 1}};
    const std::array<NamedRow, 2> names{{{1, 1.0F, true}, {9, 0.25F}}};

    const auto fused = fuseRanks(scores, names, {1, 0.5});

    EXPECT_EQ(rowsOf(fused), (std::vector<std::uint32_t>{1, 4, 9}));
    EXPECT_DOUBLE_EQ(fused[0].vectorPart, 1.0 / 62);
    EXPECT_DOUBLE_EQ(fused[0].namePart, 0.5 / 61);
    EXPECT_TRUE(fused[0].isOwnName);
    EXPECT_EQ(fused[1].nameRank, 0);
    EXPECT_DOUBLE_EQ(fused[2].total(), 0.5 / 62);
}

TEST(RankFusion, ANameThatManyShareIsAVoteForNoneOfThem) {
    const Scores scores{{0.9F, 5000}, {0.8F, 5001}, {0.7F, 5002}};
    std::vector<NamedRow> names;
    for (std::uint32_t row = 0; row < 2000; ++row) {
        names.push_back({row, 1.0F, true});
    }

    const auto fused = fuseRanks(scores, names, {});

    EXPECT_EQ(fused[0].row, 5000U);
    EXPECT_EQ(fused[2].row, 5002U);
    EXPECT_DOUBLE_EQ(fused[3].nameRank, 1000.5);
    EXPECT_EQ(fused[3].row, 0U) << "equal values stay in the order of their rows";
}

TEST(RankFusion, ATieGoesToTheVectors) {
    const Scores scores{{0.9F, 8}};
    const std::array<NamedRow, 1> names{{{3, 1.0F, true}}};
    EXPECT_EQ(rowsOf(fuseRanks(scores, names, {})), (std::vector<std::uint32_t>{8, 3}));
}

}  // namespace
}  // namespace bifocal
