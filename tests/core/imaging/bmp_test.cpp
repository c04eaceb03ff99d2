// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "tests/core/imaging/test_pictures.h"

#include <gtest/gtest.h>

namespace bifocal::imaging {
namespace {

using test::Bytes;

void put(Bytes& bytes, std::uint32_t value, int count) {
    for (int index = 0; index < count; ++index) {
        bytes.push_back(static_cast<std::uint8_t>(value >> (8 * index)));
    }
}

struct Header {
    std::int32_t width = 2;
    std::int32_t height = 2;
    std::uint32_t bits = 24;
    std::uint32_t coding = 0;
    std::uint32_t headerBytes = 40;
    Bytes masksOrPalette;
};

Bytes bitmap(const Header& header, const Bytes& pixels) {
    const auto begin =
        static_cast<std::uint32_t>(14 + header.headerBytes + header.masksOrPalette.size());
    Bytes bytes{'B', 'M'};
    put(bytes, begin + static_cast<std::uint32_t>(pixels.size()), 4);
    put(bytes, 0, 4);
    put(bytes, begin, 4);
    put(bytes, header.headerBytes, 4);
    const int sideBytes = header.headerBytes == 12 ? 2 : 4;
    put(bytes, static_cast<std::uint32_t>(header.width), sideBytes);
    put(bytes, static_cast<std::uint32_t>(header.height), sideBytes);
    put(bytes, 1, 2);
    put(bytes, header.bits, 2);
    if (header.headerBytes > 12) {
        put(bytes, header.coding, 4);
        put(bytes, 0, 4);
        put(bytes, 2835, 4);
        put(bytes, 2835, 4);
        put(bytes, 0, 4);
        put(bytes, 0, 4);
    }
    bytes.insert(bytes.end(), header.masksOrPalette.begin(), header.masksOrPalette.end());
    bytes.insert(bytes.end(), pixels.begin(), pixels.end());
    return bytes;
}

// Below: red, green; above: blue, white.
const Bytes kTwoByTwo{0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 255, 255, 255, 0, 0};
const Bytes kExpected{0, 0, 255, 255, 255, 255, 255, 255, 255, 0, 0, 255, 0, 255, 0, 255};

TEST(BmpTest, ReadsTrueColourBottomUpAndTopDown) {
    Header down;
    down.height = -2;
    Header old;
    old.headerBytes = 12;

    EXPECT_EQ(decodeBytes(bitmap({}, kTwoByTwo))->image.rgba, kExpected);
    EXPECT_EQ(decodeBytes(bitmap(old, kTwoByTwo))->image.rgba, kExpected);
    const Bytes turned = decodeBytes(bitmap(down, kTwoByTwo))->image.rgba;
    EXPECT_EQ(Bytes(turned.begin(), turned.begin() + 4), (Bytes{255, 0, 0, 255}));
}

TEST(BmpTest, ReadsPalettes) {
    Header one;
    one.bits = 1;
    one.masksOrPalette = {0, 0, 0, 0, 255, 255, 255, 0};
    Header four = one;
    four.bits = 4;
    four.masksOrPalette = {0, 0, 255, 0, 0, 255, 0, 0};
    four.masksOrPalette.resize(64);

    EXPECT_EQ(decodeBytes(bitmap(one, {0x40, 0, 0, 0, 0x80, 0, 0, 0}))->image.rgba,
              (Bytes{255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 255}));
    EXPECT_EQ(decodeBytes(bitmap(four, {0x01, 0, 0, 0, 0x10, 0, 0, 0}))->image.rgba,
              (Bytes{0, 255, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 0, 255, 0, 255}));
}

TEST(BmpTest, ReadsBitFields) {
    Header small;
    small.bits = 16;
    small.coding = 3;
    small.height = 1;
    put(small.masksOrPalette, 0xF800, 4);
    put(small.masksOrPalette, 0x07E0, 4);
    put(small.masksOrPalette, 0x001F, 4);

    EXPECT_EQ(decodeBytes(bitmap(small, {0x00, 0xF8, 0xE0, 0x07}))->image.rgba,
              (Bytes{255, 0, 0, 255, 0, 255, 0, 255}));
}

TEST(BmpTest, TakesAFourthByteForAlphaOnlyWhenTheMaskSaysSo) {
    Header bare;
    bare.bits = 32;
    bare.height = 1;
    Header masked = bare;
    masked.coding = 3;
    masked.headerBytes = 56;
    const Bytes pixels{1, 2, 3, 128, 4, 5, 6, 0};
    const Bytes masks{0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255};
    Bytes withMasks = bitmap({2, 1, 32, 3, 40, masks}, pixels);
    withMasks[14] = 56;  // the masks are part of the longer header

    EXPECT_EQ(decodeBytes(bitmap(bare, pixels))->image.rgba, (Bytes{3, 2, 1, 255, 6, 5, 4, 255}));
    EXPECT_EQ(decodeBytes(withMasks)->image.rgba, (Bytes{3, 2, 1, 128, 6, 5, 4, 0}));
}

TEST(BmpTest, ReducesToTheLimit) {
    DecodeLimits limits;
    limits.maxSide = 1;

    const auto result = decodeBytes(bitmap({}, kTwoByTwo), limits);

    ASSERT_TRUE(result);
    EXPECT_EQ(result->image.width, 1);
    EXPECT_EQ(result->originalWidth, 2);
}

TEST(BmpTest, AnswersEveryTruncationAndEveryDamagedByte) {
    Header four;
    four.bits = 4;
    four.masksOrPalette.resize(64, 7);
    const Bytes whole = bitmap(four, {0x01, 0, 0, 0, 0x10, 0, 0, 0});
    DecodeLimits limits;
    limits.maxPixels = 10'000;

    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto result = decodeBytes(std::span(whole).first(size), limits);
        EXPECT_FALSE(result) << size;
    }
    for (std::size_t index = 0; index < 54; ++index) {
        for (int value = 0; value < 256; ++value) {
            Bytes damaged = whole;
            damaged[index] = static_cast<std::uint8_t>(value);
            const auto result = decodeBytes(damaged, limits);
            if (!result) {
                ASSERT_NE(result.error().code, ErrorCode::Internal);
            }
        }
    }
}

TEST(BmpTest, NamesWhatItCannotDo) {
    Header packed;
    packed.bits = 8;
    packed.coding = 1;
    packed.masksOrPalette.resize(1024);
    DecodeLimits limits;
    limits.maxPixels = 3;

    EXPECT_EQ(decodeBytes(bitmap(packed, Bytes(8))).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(decodeBytes(bitmap({}, kTwoByTwo), limits).error().code,
              ErrorCode::ResourceExhausted);
    EXPECT_EQ(decodeBytes(bitmap({}, Bytes(4))).error().code, ErrorCode::Corruption);
}

TEST(BmpTest, IsReadFromAFile) {
    const test::TemporaryFolder folder;

    const auto result = decodeFile(folder.write("clip.bmp", bitmap({}, kTwoByTwo)));

    ASSERT_TRUE(result);
    EXPECT_EQ(result->image.rgba, kExpected);
}

}  // namespace
}  // namespace bifocal::imaging
