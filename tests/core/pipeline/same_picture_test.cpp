// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/same_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

namespace bifocal {
namespace {

/// A disc on a slope of colours, with a stroke like a letter in it.
ImageBuffer drawing(int side, bool hasStroke) {
    ImageBuffer image{side, side, {}};
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const double u = (x + 0.5) / side;
            const double v = (y + 0.5) / side;
            const bool isDisc = std::hypot(u - 0.5, v - 0.5) < 0.3;
            const bool isStroke = hasStroke && std::abs(u - 0.5) < 0.04 && std::abs(v - 0.5) < 0.2;
            const double red = isStroke ? 0 : isDisc ? 200 : 255 * u;
            const double blue = isStroke ? 0 : isDisc ? 60 : 255 * v;
            image.rgba.insert(
                image.rgba.end(),
                {static_cast<std::uint8_t>(red), 120, static_cast<std::uint8_t>(blue), 255});
        }
    }
    return image;
}

/// Half the size, each pixel the mean of four.
ImageBuffer halved(const ImageBuffer& image) {
    ImageBuffer half{image.width / 2, image.height / 2, {}};
    for (int y = 0; y < half.height; ++y) {
        for (int x = 0; x < half.width; ++x) {
            for (int c = 0; c < 4; ++c) {
                const std::uint8_t* top = image.view().row(2 * y) + 8 * x + c;
                const std::uint8_t* bottom = image.view().row(2 * y + 1) + 8 * x + c;
                half.rgba.push_back(
                    static_cast<std::uint8_t>((top[0] + top[4] + bottom[0] + bottom[4] + 2) / 4));
            }
        }
    }
    return half;
}

TEST(PictureDistance, IsNothingBetweenAPictureAndItself) {
    const ImageBuffer image = drawing(90, true);

    EXPECT_EQ(pictureDistance(image.view(), image.view()), 0);
}

TEST(PictureDistance, AnotherSizeIsTheSamePicture) {
    for (const int side : {160, 66, 20}) {
        const ImageBuffer image = drawing(side, true);
        EXPECT_LT(pictureDistance(image.view(), halved(image).view()), 3) << side;
    }
}

TEST(PictureDistance, SmallErrorsOfAnEncoderAreTheSamePicture) {
    const ImageBuffer image = drawing(120, true);
    ImageBuffer noisy = image;
    std::mt19937 random(7);
    std::uniform_int_distribution<int> error(-12, 12);
    for (std::size_t i = 0; i < noisy.rgba.size(); ++i) {
        if (i % 4 != 3) {
            noisy.rgba[i] =
                static_cast<std::uint8_t>(std::clamp(noisy.rgba[i] + error(random), 0, 255));
        }
    }

    EXPECT_LT(pictureDistance(image.view(), noisy.view()), 3);
}

TEST(PictureDistance, OneStrokeMakesAnotherPicture) {
    EXPECT_GT(pictureDistance(drawing(175, true).view(), drawing(175, false).view()),
              kSamePictureDistance);
}

TEST(PictureDistance, TransparentPixelsCountAsPaper) {
    ImageBuffer clear{2, 2, std::vector<std::uint8_t>(16, 0)};
    const ImageBuffer white{2, 2, std::vector<std::uint8_t>(16, 255)};

    EXPECT_EQ(pictureDistance(clear.view(), white.view()), 0);
}

TEST(PictureDistance, ShapesDoNotMatterButEmptinessDoes) {
    const ImageBuffer wide{7, 1, std::vector<std::uint8_t>(28, 255)};
    const ImageBuffer tall{1, 9, std::vector<std::uint8_t>(36, 255)};

    EXPECT_EQ(pictureDistance(wide.view(), tall.view()), 0);
    EXPECT_GT(pictureDistance(wide.view(), {}), 255);
}

}  // namespace
}  // namespace bifocal
