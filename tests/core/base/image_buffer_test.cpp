// SPDX-License-Identifier: Apache-2.0
#include "core/base/image_buffer.h"

#include <gtest/gtest.h>

#include <limits>

namespace bifocal {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();
constexpr int kLeast = std::numeric_limits<int>::min();

/// 5 × 4 pixels whose red is 10 · y + x.
ImageBuffer numbered() {
    ImageBuffer image{5, 4, {}};
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 5; ++x) {
            image.rgba.insert(image.rgba.end(), {static_cast<std::uint8_t>(10 * y + x), 0, 0, 255});
        }
    }
    return image;
}

TEST(CropTest, ShowsThePartInsideTheRectangle) {
    const ImageBuffer image = numbered();

    const ImageView part = crop(image.view(), {1, 2, 3, 2});

    ASSERT_EQ(part.width, 3);
    ASSERT_EQ(part.height, 2);
    EXPECT_EQ(part.row(0)[0], 21);
    EXPECT_EQ(part.row(1)[8], 33);
    EXPECT_EQ(part.strideBytes, 20U);
}

TEST(CropTest, ClipsToThePicture) {
    struct Case {
        PixelRect rect;
        int width;
        int height;
        int first;
    };
    const Case cases[] = {{{-2, -1, 4, 3}, 2, 2, 0},
                          {{3, 2, 100, 100}, 2, 2, 23},
                          {{0, 0, kMost, kMost}, 5, 4, 0},
                          {{4, 3, kMost, kMost}, 1, 1, 34},
                          {{-10, -10, 30, 30}, 5, 4, 0}};
    const ImageBuffer image = numbered();
    for (const Case& one : cases) {
        const ImageView part = crop(image.view(), one.rect);

        ASSERT_EQ(part.width, one.width);
        ASSERT_EQ(part.height, one.height);
        EXPECT_EQ(part.row(0)[0], one.first);
    }
}

TEST(CropTest, IsEmptyWhereTheyDoNotMeet) {
    const ImageBuffer image = numbered();
    for (const PixelRect& rect : {PixelRect{5, 0, 1, 1},
                                  PixelRect{0, 4, 1, 1},
                                  PixelRect{-3, 0, 3, 1},
                                  PixelRect{0, 0, 0, 1},
                                  PixelRect{2, 2, -1, -1},
                                  PixelRect{kMost, kMost, kMost, kMost},
                                  PixelRect{kLeast, kLeast, kMost, kMost},
                                  PixelRect{kLeast, 0, kLeast, 1}}) {
        EXPECT_TRUE(crop(image.view(), rect).isEmpty()) << rect.x;
    }
    EXPECT_TRUE(crop({}, {0, 0, 1, 1}).isEmpty());
}

TEST(CopyOfTest, PacksTheRowsOfAPart) {
    const ImageBuffer image = numbered();

    const ImageBuffer copy = copyOf(crop(image.view(), {3, 1, 2, 2}));

    EXPECT_EQ(copy.width, 2);
    EXPECT_EQ(
        copy.rgba,
        (std::vector<std::uint8_t>{13, 0, 0, 255, 14, 0, 0, 255, 23, 0, 0, 255, 24, 0, 0, 255}));
    EXPECT_TRUE(copyOf({}).isEmpty());
}

}  // namespace
}  // namespace bifocal
