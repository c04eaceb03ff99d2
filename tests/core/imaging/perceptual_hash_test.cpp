// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "tests/core/imaging/test_pictures.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <random>

namespace bifocal::imaging {
namespace {

/// Soft blobs of random colour: a picture with many low frequencies.
ImageBuffer blobs(int side, std::uint32_t seed) {
    std::mt19937 random(seed);
    ImageBuffer image = test::filled(side, side, 0x808080FF);
    for (int blob = 0; blob < 12; ++blob) {
        const int centreX = static_cast<int>(random() % 1000) * side / 1000;
        const int centreY = static_cast<int>(random() % 1000) * side / 1000;
        const int radius = side / 12 + static_cast<int>(random() % 1000) * side / 6000;
        const auto shade = static_cast<std::uint8_t>(random());
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                const int dx = x - centreX;
                const int dy = y - centreY;
                if (dx * dx + dy * dy < radius * radius) {
                    std::uint8_t* pixel = image.rgba.data() + (y * side + x) * 4;
                    pixel[0] = pixel[1] = pixel[2] = shade;
                }
            }
        }
    }
    return image;
}

int distance(std::uint64_t left, std::uint64_t right) {
    return std::popcount(left ^ right);
}

TEST(PerceptualHashTest, SurvivesReencodingAndScaling) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        const ImageBuffer image = blobs(200, seed);
        const std::uint64_t hash = perceptualHash(image.view());
        const auto jpeg = decodeBytes(test::encoded(image, ".jpg[Q=60]"));
        const auto small = thumbnail(image.view(), 80);

        EXPECT_LE(distance(hash, perceptualHash(jpeg->image.view())), 3) << seed;
        EXPECT_LE(distance(hash, perceptualHash(small->view())), 3) << seed;
        EXPECT_LE(distance(hash, perceptualHash(blobs(400, seed).view())), 4) << seed;
    }
}

TEST(PerceptualHashTest, TellsPicturesApart) {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        const std::uint64_t left = perceptualHash(blobs(96, seed).view());
        const std::uint64_t right = perceptualHash(blobs(96, seed + 100).view());

        EXPECT_GE(distance(left, right), 12) << seed;
    }
}

TEST(PerceptualHashTest, IsZeroWhenThereIsNothingToSee) {
    EXPECT_EQ(perceptualHash({}), 0U);
    EXPECT_EQ(perceptualHash(test::filled(64, 64, 0xFFFFFFFF).view()), 0U);
    EXPECT_EQ(perceptualHash(test::filled(64, 64, 0x000000FF).view()), 0U);
    EXPECT_EQ(perceptualHash(test::filled(1, 1, 0x102030FF).view()), 0U);
    ImageBuffer hidden = blobs(64, 3);
    for (std::size_t index = 3; index < hidden.rgba.size(); index += 4) {
        hidden.rgba[index] = 0;
    }
    EXPECT_EQ(perceptualHash(hidden.view()), 0U);
    ImageBuffer noisy = test::filled(200, 200, 0xF0F0F0FF);
    std::mt19937 random(5);
    for (std::uint8_t& value : noisy.rgba) {
        value = static_cast<std::uint8_t>(value - random() % 4);
    }
    EXPECT_EQ(perceptualHash(noisy.view()), 0U);
}

TEST(PerceptualHashTest, IsNotZeroWhenThereIsSomething) {
    ImageBuffer speck = test::filled(100, 100, 0xFFFFFFFF);
    for (int y = 40; y < 52; ++y) {
        for (int x = 60; x < 72; ++x) {
            speck.rgba[static_cast<std::size_t>((y * 100 + x) * 4)] = 0;
            speck.rgba[static_cast<std::size_t>((y * 100 + x) * 4 + 1)] = 0;
        }
    }

    EXPECT_NE(perceptualHash(speck.view()), 0U);
    EXPECT_NE(perceptualHash(blobs(8, 1).view()), 0U);
}

TEST(PerceptualHashTest, IsZeroForAPlainGradientOfAnyShape) {
    for (const auto& [width, height] :
         {std::pair(2, 1), std::pair(300, 200), std::pair(30'000, 1)}) {
        ImageBuffer ramp = test::gradient(width, height);
        for (std::size_t index = 0; index < ramp.rgba.size(); index += 4) {
            ramp.rgba[index + 1] = ramp.rgba[index + 2] = ramp.rgba[index];
        }
        EXPECT_EQ(perceptualHash(ramp.view()), 0U) << width;
    }
}

TEST(PerceptualHashTest, SetsTheBitOfEachFrequencyAboveTheMedian) {
    struct Wave {
        int across;
        int down;
        double height;
    };
    constexpr std::array kWaves{Wave{1, 0, 8},
                                Wave{3, 0, 8},
                                Wave{0, 1, 8},
                                Wave{5, 1, 8},
                                Wave{0, 3, 8},
                                Wave{2, 4, 8},
                                Wave{7, 7, 8},
                                Wave{4, 0, -8},
                                Wave{0, 5, -8},
                                Wave{6, 2, -8},
                                Wave{3, 3, -8},
                                Wave{1, 6, -8}};
    ImageBuffer image = test::filled(32, 32, 0x000000FF);
    for (int y = 0; y < 32; ++y) {
        for (int x = 0; x < 32; ++x) {
            double value = 128.0;
            for (const Wave& wave : kWaves) {
                value += wave.height *
                         std::cos(std::numbers::pi * wave.across * (2 * x + 1) / 64.0) *
                         std::cos(std::numbers::pi * wave.down * (2 * y + 1) / 64.0);
            }
            std::uint8_t* pixel = image.rgba.data() + (y * 32 + x) * 4;
            pixel[0] = pixel[1] = pixel[2] = static_cast<std::uint8_t>(std::lround(value));
        }
    }
    std::uint64_t expected = 1;  // the mean
    for (const Wave& wave : kWaves) {
        expected |= std::uint64_t{wave.height > 0 ? 1U : 0U} << (wave.down * 8 + wave.across);
    }

    EXPECT_EQ(perceptualHash(image.view()), expected);
}

}  // namespace
}  // namespace bifocal::imaging
