// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/looks_query.h"
#include "app/cli/eval/prompt_line.h"

#include <gtest/gtest.h>

namespace bifocal::cli {
namespace {

TEST(PromptLineTest, TakesTheFirstLine) {
    EXPECT_EQ(promptLine("A frog.\nde.utf8=Ein Frosch.\n", ""), "A frog.");
    EXPECT_EQ(promptLine("\xEF\xBB\xBF  A frog. \r\nx", ""), "A frog.");
    EXPECT_EQ(promptLine("A frog.", ""), "A frog.");
    EXPECT_EQ(promptLine("\nA frog.", ""), "");
    EXPECT_EQ(promptLine("", ""), "");
}

TEST(PromptLineTest, TakesTheLineOfALanguage) {
    const std::string text = "A frog.\npt.utf8=R\xC3\xA3.\npt_BR.utf8= Sapo. \r\nde.utf8=";

    EXPECT_EQ(promptLine(text, "pt"), "R\xC3\xA3.");
    EXPECT_EQ(promptLine(text, "pt_BR"), "Sapo.");
    EXPECT_EQ(promptLine(text, "de"), "");
    EXPECT_EQ(promptLine(text, "fr"), "");
}

TEST(LooksQueryTest, ReadsLines) {
    const auto queries = parseLooksQueries(
        "picture,crop,left,top,flip,brightness\n"
        "a/b.png,0.75,0.1,0.25,1,0.9\r\n\n"
        "\"c, d.png\",1,0,0,0,1");

    ASSERT_TRUE(queries) << queries.error().message;
    ASSERT_EQ(queries->size(), 2U);
    EXPECT_EQ(queries->front().picture, "a/b.png");
    EXPECT_DOUBLE_EQ(queries->front().crop, 0.75);
    EXPECT_DOUBLE_EQ(queries->front().left, 0.1);
    EXPECT_DOUBLE_EQ(queries->front().top, 0.25);
    EXPECT_TRUE(queries->front().isFlipped);
    EXPECT_DOUBLE_EQ(queries->front().brightness, 0.9);
    EXPECT_EQ(queries->back().picture, "c, d.png");
    EXPECT_FALSE(queries->back().isFlipped);
}

TEST(LooksQueryTest, RefusesOtherLines) {
    const std::string head = "picture,crop,left,top,flip,brightness\n";
    for (const std::string& text : {std::string("crop\n"),
                                    head + "a.png",
                                    head + "a.png,1,0,0,0",
                                    head + "a.png,1,0,0,0,1,2",
                                    head + "a.png,1,0,0,0,x",
                                    head + "a.png,1.1,0,0,0,1",
                                    head + "a.png,1,-0.1,0,0,1",
                                    head + "a.png,1,0,nan,0,1",
                                    head + "a.png,1,0,0,0,-1"}) {
        const auto queries = parseLooksQueries(text);

        ASSERT_FALSE(queries) << text;
        EXPECT_EQ(queries.error().code, ErrorCode::InvalidArgument);
    }
}

/// 4 × 2: red, green, blue, half-clear black above four greys.
ImageBuffer smallPicture() {
    return {4, 2, {255, 0,  0,  255, 0,  255, 0,  255, 0,  0,  255, 255, 0,   0,   0,   128,
                   10,  10, 10, 255, 20, 20,  20, 255, 30, 30, 30,  255, 100, 100, 100, 255}};
}

std::vector<int> pixel(const ImageBuffer& image, int x, int y) {
    const std::uint8_t* at = image.view().row(y) + static_cast<std::ptrdiff_t>(x) * 4;
    return {at[0], at[1], at[2], at[3]};
}

TEST(LooksQueryTest, PadsToASquareWithWhiteAndComposes) {
    const auto part = looksPicture(smallPicture().view(), {"a.png"});

    ASSERT_TRUE(part);
    EXPECT_EQ(part->width, 4);
    EXPECT_EQ(part->height, 4);
    EXPECT_EQ(pixel(*part, 0, 0), (std::vector<int>{255, 255, 255, 255}));
    EXPECT_EQ(pixel(*part, 0, 1), (std::vector<int>{255, 0, 0, 255}));
    EXPECT_EQ(pixel(*part, 3, 1), (std::vector<int>{127, 127, 127, 255}));
    EXPECT_EQ(pixel(*part, 3, 2), (std::vector<int>{100, 100, 100, 255}));
    EXPECT_EQ(pixel(*part, 3, 3), (std::vector<int>{255, 255, 255, 255}));
}

TEST(LooksQueryTest, CutsMirrorsAndLights) {
    const auto part = looksPicture(smallPicture().view(), {"a.png", 0.5, 0.5, 0.25, true, 1.25});

    ASSERT_TRUE(part);
    EXPECT_EQ(part->width, 2);
    EXPECT_EQ(part->height, 2);
    EXPECT_EQ(pixel(*part, 1, 0), (std::vector<int>{0, 0, 255, 255}));  // 255 · 1.25 is limited
    EXPECT_EQ(pixel(*part, 0, 1), (std::vector<int>{125, 125, 125, 255}));
    EXPECT_EQ(pixel(*part, 1, 1), (std::vector<int>{38, 38, 38, 255}));  // 37.5 rounds up
}

TEST(LooksQueryTest, RefusesAPartOutside) {
    EXPECT_FALSE(looksPicture(smallPicture().view(), {"a.png", 0.5, 1.0, 0.0}));
    EXPECT_FALSE(looksPicture({}, {"a.png"}));
}

TEST(LooksQueryTest, CountsTheMirroredTwin) {
    EXPECT_TRUE(isLooksHit({"a/b.png"}, "a/b.png"));
    EXPECT_TRUE(isLooksHit({"a/b.png"}, "a/b_mirror.png"));
    EXPECT_FALSE(isLooksHit({"a/b.png"}, "b.png"));
    EXPECT_FALSE(isLooksHit({"a/b.png"}, "a/b_mirror.jpg"));
}

}  // namespace
}  // namespace bifocal::cli
