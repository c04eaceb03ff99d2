// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/honesty.h"
#include "core/imaging/decode.h"
#include "tests/app/cli/cli_fixture.h"
#include "tests/support/fake_pack.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

TEST(AreaUnderCurveTest, IsTheChanceThatTheTrustedOneIsStronger) {
    const std::vector<double> high{3, 4, 5};
    const std::vector<double> low{0, 1, 2};
    EXPECT_DOUBLE_EQ(areaUnderCurve(high, low), 1.0);
    EXPECT_DOUBLE_EQ(areaUnderCurve(low, high), 0.0);
    EXPECT_DOUBLE_EQ(areaUnderCurve(low, low), 0.5);
    EXPECT_DOUBLE_EQ(areaUnderCurve(std::vector<double>{2, 2}, std::vector<double>{2, 1}), 0.75);
    EXPECT_DOUBLE_EQ(areaUnderCurve({}, low), 0.0);
}

TEST(HonestyPromptsTest, AreAHundredEachAndTheSameEachTime) {
    const auto sentences = absentSentences();
    const auto gibberish = gibberishPrompts(100);
    EXPECT_EQ(std::set<std::string_view>(sentences.begin(), sentences.end()).size(), 100U);
    EXPECT_EQ(std::set<std::string>(gibberish.begin(), gibberish.end()).size(), 100U);
    EXPECT_EQ(gibberish, gibberishPrompts(100));
}

/// Sixty pictures of noise, two of them red, one green: "red" has hits to lose.
TEST(HonestyTest, APromptWithoutItsHitsIsWorthLess) {
    const test::ScratchFolder folder;
    const test::FakePack pack;
    const PackInfo& info = pack.info();
    auto index = VectorIndex::open(folder / "vectors.bfv",
                                   {info.id, info.layout.dim, info.layout.strideBytes},
                                   IndexAccess::Write);
    ASSERT_TRUE(index) << index.error().message;
    std::vector<EvalPicture> pictures;
    for (std::uint8_t i = 0; i < 60; ++i) {
        const bool isRed = i < 2;
        const ImageBuffer image = isRed ? test::solidImage(8, 8, 230, 10, 10)
                                        : test::solidImage(8, 8, 20, 20, i % 2 == 0 ? 230 : 20);
        ContentKey key;
        key.bytes[0] = static_cast<std::uint8_t>(i + 1);
        ASSERT_TRUE((*index)->append({&key, 1}, test::FakePack::imageRow(image.view())));
        const std::string name = std::to_string(i);
        pictures.push_back({name, name, key, 0, "", isRed ? "red" : ""});
    }
    const auto candidates = CandidateSet::make((*index)->snapshot(), pictures);
    ASSERT_TRUE(candidates);
    const auto encoder = pack.makeTextEncoder({});

    const auto outcome =
        evaluateHonesty(pack, **encoder, *candidates, std::span(pictures).first(2));

    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->count, 2U);
    EXPECT_DOUBLE_EQ(outcome->answered, 1.0);
    EXPECT_DOUBLE_EQ(outcome->leaveOneOut.auc, 1.0);
    EXPECT_DOUBLE_EQ(outcome->leaveOneOut.saidNone, 1.0);
    EXPECT_EQ(outcome->absent.count, 100U);
}

}  // namespace
}  // namespace bifocal::cli
