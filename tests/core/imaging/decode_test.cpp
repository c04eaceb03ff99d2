// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"

#include "tests/core/imaging/test_pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include <vips/vips.h>

namespace bifocal::imaging {
namespace {

using test::Bytes;
using test::encoded;
using test::gradient;
using test::largestDifference;
using test::meanDifference;

DecodedImage decoded(const Bytes& bytes, const DecodeLimits& limits = {}) {
    auto result = decodeBytes(bytes, limits);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? *std::move(result) : DecodedImage{};
}

/// What `make` turns the gradient into, written by libvips.
template <typename Make>
Bytes converted(const ImageBuffer& image, const char* suffix, Make make) {
    const Bytes png = encoded(image, ".png");
    VipsImage* input = vips_image_new_from_buffer(png.data(), png.size(), "", nullptr);
    VipsImage* output = nullptr;
    EXPECT_EQ(make(input, &output), 0) << vips_error_buffer();
    void* data = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(vips_image_write_to_buffer(output, suffix, &data, &size, nullptr), 0)
        << vips_error_buffer();
    const auto* first = static_cast<const std::uint8_t*>(data);
    Bytes bytes(first, first + size);
    g_free(data);
    g_object_unref(output);
    g_object_unref(input);
    return bytes;
}

TEST(DecodeTest, GivesExactPixelsOfLosslessFormats) {
    for (const char* suffix : {".png",
                               ".png[interlace]",
                               ".webp[lossless]",
                               ".tif",
                               ".tif[compression=lzw,tile]",
                               ".tif[bigtiff]",
                               ".ppm",
                               ".jp2[lossless]"}) {
        const ImageBuffer image = gradient(61, 40);

        const DecodedImage result = decoded(encoded(image, suffix));

        EXPECT_EQ(largestDifference(result.image, image), 0) << suffix;
        EXPECT_EQ(result.originalWidth, 61);
        EXPECT_EQ(result.originalHeight, 40);
    }
}

TEST(DecodeTest, ComesCloseForLossyFormats) {
    for (const char* suffix :
         {".jpg[Q=95]", ".jpg[Q=95,interlace]", ".webp[Q=95]", ".avif[Q=90]"}) {
        const ImageBuffer image = gradient(64, 48);

        EXPECT_LE(meanDifference(decoded(encoded(image, suffix)).image, image), 3.0) << suffix;
    }
}

TEST(DecodeTest, KeepsAlpha) {
    const ImageBuffer image = test::translucentGradient(61, 40);
    for (const char* suffix : {".png", ".webp[lossless]", ".tif"}) {
        EXPECT_EQ(largestDifference(decoded(encoded(image, suffix)).image, image), 0) << suffix;
    }
}

TEST(DecodeTest, ExpandsAPaletteWithTransparency) {
    ImageBuffer image = test::filled(8, 8, 0xFF0000FF);
    std::fill(image.rgba.begin(), image.rgba.begin() + 8 * 4 * 4, std::uint8_t{0});

    const DecodedImage result = decoded(encoded(image, ".png[palette]"));

    EXPECT_EQ(result.image.rgba[3], 0);
    EXPECT_EQ(Bytes(result.image.rgba.end() - 4, result.image.rgba.end()), (Bytes{255, 0, 0, 255}));
}

TEST(DecodeTest, MakesGreyToThreeEqualChannels) {
    const Bytes grey = converted(gradient(32, 32), ".png", [](VipsImage* in, VipsImage** out) {
        return vips_colourspace(in, out, VIPS_INTERPRETATION_B_W, nullptr);
    });

    const ImageBuffer image = decoded(grey).image;

    for (std::size_t index = 0; index < image.rgba.size(); index += 4) {
        ASSERT_EQ(image.rgba[index], image.rgba[index + 1]);
        ASSERT_EQ(image.rgba[index], image.rgba[index + 2]);
        ASSERT_EQ(image.rgba[index + 3], 255);
    }
}

TEST(DecodeTest, BringsSixteenBitsWithAlphaToEight) {
    const ImageBuffer image = test::translucentGradient(61, 40);
    const Bytes deep = converted(image, ".png", [](VipsImage* in, VipsImage** out) {
        VipsImage* scaled = nullptr;
        const int status = vips_linear1(in, &scaled, 257.0, 0.0, nullptr) != 0 ||
                           vips_cast_ushort(scaled, out, nullptr) != 0;
        (*out)->Type = VIPS_INTERPRETATION_RGB16;
        g_object_unref(scaled);
        return status;
    });

    EXPECT_LE(largestDifference(decoded(deep).image, image), 1);
}

TEST(DecodeTest, ConvertsCmykWithAndWithoutItsProfile) {
    const ImageBuffer image = gradient(64, 48);
    const Bytes bare = converted(image, ".jpg[Q=95,strip]", [](VipsImage* in, VipsImage** out) {
        return vips_colourspace(in, out, VIPS_INTERPRETATION_CMYK, nullptr);
    });
    const Bytes profiled = converted(image, ".jpg[Q=95]", [](VipsImage* in, VipsImage** out) {
        return vips_icc_transform(in, out, "cmyk", "input_profile", "srgb", nullptr);
    });

    // Ink cannot show every colour of the gradient: near is all that can be asked.
    EXPECT_LE(meanDifference(decoded(bare).image, image), 20.0);
    EXPECT_LE(meanDifference(decoded(profiled).image, image), 20.0);
}

TEST(DecodeTest, AppliesAColourProfile) {
    const ImageBuffer image = gradient(64, 48);
    const Bytes wide = converted(image, ".png", [](VipsImage* in, VipsImage** out) {
        return vips_icc_transform(in, out, "p3", "input_profile", "srgb", nullptr);
    });

    EXPECT_LE(meanDifference(decoded(wide).image, image), 2.0);
}

TEST(DecodeTest, KeepsThePictureWhenItsProfileIsBroken) {
    const ImageBuffer image = gradient(64, 48);
    const Bytes odd = converted(image, ".png", [](VipsImage* in, VipsImage** out) {
        const int status = vips_copy(in, out, nullptr);
        vips_image_set_blob_copy(*out, VIPS_META_ICC_NAME, "no profile at all", 17);
        return status;
    });

    EXPECT_EQ(largestDifference(decoded(odd).image, image), 0);
}

TEST(DecodeTest, TurnsAllEightOrientationsUpright) {
    for (const char* suffix : {".jpg[Q=98]", ".tif"}) {
        for (int orientation = 1; orientation <= 8; ++orientation) {
            const ImageBuffer stored = gradient(64, 48);

            const DecodedImage result =
                decoded(encoded(stored, suffix, {{VIPS_META_ORIENTATION, orientation}}));

            // The stored gradient has its red side right and its green side below; upright, the
            // red side lies where the orientation says that the stored right side is.
            const bool isTurned = orientation >= 5;
            ASSERT_EQ(result.image.width, isTurned ? 48 : 64) << orientation;
            EXPECT_EQ(result.originalWidth, result.image.width);
            EXPECT_EQ(result.originalHeight, result.image.height);
            const auto at = [&](int x, int y, int channel) {
                const auto index = (y * result.image.width + x) * 4 + channel;
                return int{result.image.rgba[static_cast<std::size_t>(index)]};
            };
            const int right = result.image.width - 1;
            const int bottom = result.image.height - 1;
            const bool isRedFarther =
                isTurned ? at(0, bottom, 0) > at(0, 0, 0) : at(right, 0, 0) > at(0, 0, 0);
            const bool isGreenFarther =
                isTurned ? at(right, 0, 1) > at(0, 0, 1) : at(0, bottom, 1) > at(0, 0, 1);
            EXPECT_EQ(isRedFarther,
                      orientation == 1 || orientation == 4 || orientation == 5 || orientation == 6)
                << suffix << orientation;
            EXPECT_EQ(isGreenFarther,
                      orientation == 1 || orientation == 2 || orientation == 5 || orientation == 8)
                << suffix << orientation;
        }
    }
}

TEST(DecodeTest, ReducesToTheLongSide) {
    struct Case {
        const char* suffix;
        int width;
        int height;
        int maxSide;
    };
    const Case cases[] = {{".jpg", 500, 350, 100},
                          {".jpg", 500, 350, 499},
                          {".jpg", 801, 99, 100},
                          {".png", 500, 350, 100},
                          {".webp[lossless]", 210, 300, 99},
                          {".png", 400, 3, 100},
                          {".tif", 3, 400, 100}};
    for (const Case& one : cases) {
        DecodeLimits limits;
        limits.maxSide = one.maxSide;

        const DecodedImage result =
            decoded(encoded(gradient(one.width, one.height), one.suffix), limits);

        EXPECT_EQ(std::max(result.image.width, result.image.height), one.maxSide) << one.suffix;
        EXPECT_EQ(result.originalWidth, one.width);
        EXPECT_EQ(result.originalHeight, one.height);
        const ImageBuffer expected = gradient(result.image.width, result.image.height);
        EXPECT_LE(meanDifference(result.image, expected), 6.0) << one.suffix << one.maxSide;
    }
}

TEST(DecodeTest, ReducesWithAlphaWithoutBleedingHiddenColour) {
    ImageBuffer image = test::filled(400, 400, 0x00FF0000);  // transparent green
    for (std::size_t index = 0; index < image.rgba.size() / 2; index += 4) {
        image.rgba[index] = 255;
        image.rgba[index + 1] = 0;
        image.rgba[index + 3] = 255;  // the upper half: opaque red
    }
    DecodeLimits limits;
    limits.maxSide = 57;

    const ImageBuffer small = decoded(encoded(image, ".png"), limits).image;

    ASSERT_EQ(small.width, 57);
    for (std::size_t index = 0; index < small.rgba.size(); index += 4) {
        if (small.rgba[index + 3] > 16) {
            ASSERT_LE(small.rgba[index + 1], 16);
        }
    }
}

TEST(DecodeTest, ReadsPicturesOfAllThinShapes) {
    for (const auto& [width, height] : {std::pair(1, 1),
                                        std::pair(1, 1000),
                                        std::pair(1000, 1),
                                        std::pair(3, 1),
                                        std::pair(1, 3)}) {
        for (const char* suffix : {".png", ".jpg", ".webp", ".gif"}) {
            const DecodedImage result = decoded(encoded(gradient(width, height), suffix));

            EXPECT_EQ(result.image.width, width) << suffix;
            EXPECT_EQ(result.image.height, height) << suffix;
        }
    }
}

TEST(DecodeTest, TakesLittleMemoryForAVeryWidePicture) {
    for (const char* suffix : {".png", ".jpg"}) {
        const Bytes bytes = encoded(gradient(30'000, 1), suffix);

        const DecodedImage result = decoded(bytes);

        EXPECT_EQ(result.image.width, 4096);
        EXPECT_EQ(result.image.height, 1);
        EXPECT_EQ(result.originalWidth, 30'000);
    }
    EXPECT_LT(vips_tracked_get_mem_highwater(), 100U << 20U);
}

TEST(DecodeTest, ShowsTheFirstFrameThatIsNotBlank) {
    for (const char* suffix : {".gif", ".webp[lossless]"}) {
        // Two pages below each other; libvips takes the height of one from the metadata.
        ImageBuffer pages = test::filled(16, 32, 0xFFFFFFFF);
        std::fill(
            pages.rgba.begin() + 16 * 20 * 4, pages.rgba.begin() + 16 * 28 * 4, std::uint8_t{255});
        for (std::size_t pixel = 16 * 20; pixel < 16 * 28; ++pixel) {
            pages.rgba[pixel * 4 + 1] = 0;
            pages.rgba[pixel * 4 + 2] = 0;
        }

        const DecodedImage result = decoded(encoded(pages, suffix, {{VIPS_META_PAGE_HEIGHT, 16}}));

        ASSERT_EQ(result.image.height, 16) << suffix;
        EXPECT_GT(result.image.rgba[16 * 8 * 4], 200) << suffix;
        EXPECT_LT(result.image.rgba[16 * 8 * 4 + 1], 60) << suffix;
    }
}

TEST(DecodeTest, GoesByContentAndNotByName) {
    const test::TemporaryFolder folder;
    const ImageBuffer image = gradient(20, 10);
    const auto png = folder.write("really-png.jpg", encoded(image, ".png"));
    const auto jpeg = folder.write("really-jpeg.HEIC", encoded(image, ".jpg"));

    EXPECT_EQ(largestDifference(decodeFile(png)->image, image), 0);
    EXPECT_TRUE(decodeFile(jpeg));
}

TEST(DecodeTest, ReadsNamesByTheirBytes) {
    const test::TemporaryFolder folder;
    const Bytes png = encoded(gradient(20, 10), ".png");
    for (const char* name : {"фото/写真/é.png",
                             "фото/写真/e\u0301.png",
                             "a[page=3].png",
                             "%03d.png",
                             " -x.png",
                             "latin\xe9.png"}) {
        const auto result = decodeFile(folder.write(name, png));

        ASSERT_TRUE(result) << name << ": " << result.error().message;
        EXPECT_EQ(result->image.width, 20);
    }
}

TEST(DecodeTest, GivesTheSameOnManyThreadsAtOnce) {
    const ImageBuffer image = gradient(300, 200);
    const Bytes jpeg = encoded(image, ".jpg");
    Bytes cut = jpeg;
    cut.resize(cut.size() / 2);
    DecodeLimits limits;
    limits.maxSide = 130;
    const ImageBuffer expected = decoded(jpeg, limits).image;
    std::vector<int> faults(4, 0);

    {
        std::vector<std::jthread> threads;
        for (int& fault : faults) {
            threads.emplace_back([&] {
                for (int round = 0; round < 8; ++round) {
                    const auto whole = decodeBytes(jpeg, limits);
                    const auto half = decodeBytes(cut, limits);
                    fault += !whole || largestDifference(whole->image, expected) != 0;
                    fault += half || half.error().code != ErrorCode::Corruption;
                }
            });
        }
    }

    EXPECT_EQ(faults, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace bifocal::imaging
