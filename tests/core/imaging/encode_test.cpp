// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "tests/core/imaging/test_pictures.h"

#include <gtest/gtest.h>

namespace bifocal::imaging {
namespace {

TEST(EncodePngTest, ComesBackUnchanged) {
    const ImageBuffer image = test::translucentGradient(31, 17);

    const auto png = encodePng(image.view());

    ASSERT_TRUE(png);
    EXPECT_EQ(test::largestDifference(decodeBytes(*png)->image, image), 0);
}

TEST(EncodePngTest, WritesAPartOfAPicture) {
    const ImageBuffer image = test::gradient(31, 17);
    const ImageView part = crop(image.view(), {3, 4, 5, 6});

    const auto png = encodePng(part);

    ASSERT_TRUE(png);
    EXPECT_EQ(test::largestDifference(decodeBytes(*png)->image, copyOf(part)), 0);
}

TEST(EncodePngTest, RefusesAnEmptyPicture) {
    EXPECT_EQ(encodePng({}).error().code, ErrorCode::InvalidArgument);
}

TEST(ThumbnailTest, FitsInsideTheSquare) {
    struct Case {
        int width;
        int height;
        int expectedWidth;
        int expectedHeight;
    };
    for (const Case& one : {Case{400, 200, 96, 48},
                            Case{200, 400, 48, 96},
                            Case{97, 97, 96, 96},
                            Case{3000, 1, 96, 1},
                            Case{96, 10, 96, 10},
                            Case{5, 3, 5, 3}}) {
        const auto small = thumbnail(test::gradient(one.width, one.height).view(), 96);

        ASSERT_TRUE(small);
        EXPECT_EQ(small->width, one.expectedWidth);
        EXPECT_EQ(small->height, one.expectedHeight);
        const ImageBuffer expected = test::gradient(small->width, small->height);
        EXPECT_LE(test::meanDifference(*small, expected), 3.0) << one.width;
    }
}

TEST(ThumbnailTest, KeepsAlpha) {
    const auto small = thumbnail(test::filled(300, 300, 0x20406080).view(), 64);

    ASSERT_TRUE(small);
    EXPECT_LE(test::largestDifference(*small, test::filled(64, 64, 0x20406080)), 1);
}

TEST(ThumbnailTest, RefusesEmptyInput) {
    EXPECT_EQ(thumbnail({}, 64).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(thumbnail(test::gradient(2, 2).view(), 0).error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace bifocal::imaging
