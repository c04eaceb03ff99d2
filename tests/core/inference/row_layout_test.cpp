// SPDX-License-Identifier: Apache-2.0
#include "core/inference/row_layout.h"

#include "core/inference/label_mixture.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace bifocal {
namespace {

TEST(RowLayout, StarterLayoutIsValidAndFindsItsBlocks) {
    const RowLayout layout = labelMixtureLayout();
    ASSERT_TRUE(validate(layout));
    EXPECT_EQ(layout.dim, 544U);
    EXPECT_EQ(layout.strideBytes, 1088U);
    ASSERT_NE(layout.find("colours"), nullptr);
    EXPECT_EQ(layout.find("colours")->offset, 512U);
    EXPECT_EQ(layout.find("colours")->lens, Lens::Words);
    EXPECT_EQ(layout.find("joint"), nullptr);
}

TEST(RowLayout, NamesTheBlockThatIsWrong) {
    struct Case {
        std::function<void(RowLayout&)> change;
        std::string expected;
    };
    const std::vector<Case> cases{
        {[](RowLayout& l) { l.dim = 0; }, "dim"},
        {[](RowLayout& l) { l.dim = 70'000; }, "dim"},
        {[](RowLayout& l) { l.strideBytes = 1000; }, "stride"},
        {[](RowLayout& l) { l.strideBytes = 1024; }, "stride"},
        {[](RowLayout& l) { l.blocks.clear(); }, "no blocks"},
        {[](RowLayout& l) { l.blocks[1].name = ""; }, "no name"},
        {[](RowLayout& l) { l.blocks[1].name = "words"; }, "words"},
        {[](RowLayout& l) { l.blocks[1].lens = Lens{}; }, "looks"},
        {[](RowLayout& l) { l.blocks[1].dim = 0; }, "looks"},
        {[](RowLayout& l) { l.blocks[1].offset = 383; }, "overlap"},
        {[](RowLayout& l) { l.blocks[2].dim = 33; }, "colours"},
        {[](RowLayout& l) { l.blocks[2].offset = SIZE_MAX - 4; }, "colours"},
    };
    for (const Case& one : cases) {
        RowLayout layout = labelMixtureLayout();
        one.change(layout);
        const auto result = validate(layout);
        ASSERT_FALSE(result) << one.expected;
        EXPECT_EQ(result.error().code, ErrorCode::Corruption);
        EXPECT_NE(result.error().message.find(one.expected), std::string::npos)
            << result.error().message;
    }
}

}  // namespace
}  // namespace bifocal
