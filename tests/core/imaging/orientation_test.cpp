// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/detail/orientation.h"

#include <gtest/gtest.h>

#include <string>

namespace bifocal::imaging::detail {
namespace {

/// One letter a pixel, rows from top to bottom.
ImageBuffer pictureOf(int width, const std::string& letters) {
    ImageBuffer image;
    image.width = width;
    image.height = static_cast<int>(letters.size()) / width;
    for (const char letter : letters) {
        image.rgba.insert(image.rgba.end(), {static_cast<std::uint8_t>(letter), 1, 2, 3});
    }
    return image;
}

TEST(UprightTest, FollowsTheDefinitionOfEachOrientation) {
    // Stored: abc above def.
    const std::string expected[] = {
        "abcdef", "abcdef", "cbafed", "fedcba", "defabc", "adbecf", "daebfc", "fcebda", "cfbead"};
    for (int orientation = 0; orientation <= 8; ++orientation) {
        const ImageBuffer image = upright(pictureOf(3, "abcdef"), orientation);

        const int width = exchangesSides(orientation) ? 2 : 3;
        EXPECT_EQ(image.width, width) << orientation;
        EXPECT_EQ(image.height, 6 / width) << orientation;
        EXPECT_EQ(image.rgba, pictureOf(width, expected[orientation]).rgba) << orientation;
    }
}

TEST(UprightTest, LeavesAnUnknownOrientationAndAnEmptyPicture) {
    EXPECT_EQ(upright(pictureOf(3, "abcdef"), 9).rgba, pictureOf(3, "abcdef").rgba);
    EXPECT_EQ(upright(pictureOf(3, "abcdef"), -1).rgba, pictureOf(3, "abcdef").rgba);
    EXPECT_TRUE(upright({}, 6).isEmpty());
}

}  // namespace
}  // namespace bifocal::imaging::detail
