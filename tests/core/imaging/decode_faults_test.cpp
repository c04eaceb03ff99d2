// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "tests/core/imaging/test_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include <sys/stat.h>

namespace bifocal::imaging {
namespace {

using test::Bytes;
using test::encoded;
using test::gradient;
using testing::HasSubstr;
using testing::Not;

using DecodeFaultsTest = test::SilentTest;

Bytes bytesOf(std::string_view text) {
    return {text.begin(), text.end()};
}

void expectFault(const Result<DecodedImage>& result, ErrorCode code, const std::string& context) {
    ASSERT_FALSE(result) << context;
    EXPECT_EQ(result.error().code, code) << context << ": " << result.error().message;
    EXPECT_THAT(result.error().message, Not(HasSubstr("\n"))) << context;
    EXPECT_FALSE(result.error().message.empty()) << context;
}

TEST_F(DecodeFaultsTest, SaysWhatIsWrongWithAFile) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(::mkfifo(folder.path("pipe.png").c_str(), 0600), 0);

    expectFault(decodeFile(folder.path("none.png")), ErrorCode::NotFound, "missing");
    expectFault(decodeFile(folder.write("zero.jpg", {})), ErrorCode::Corruption, "empty");
    expectFault(decodeFile(folder.write("text.png", bytesOf("shopping: milk, bread"))),
                ErrorCode::Unsupported,
                "text");
    expectFault(decodeFile(folder.path("")), ErrorCode::Unsupported, "folder");
    expectFault(decodeFile(folder.path("pipe.png")), ErrorCode::Unsupported, "pipe");
    EXPECT_THAT(decodeFile(folder.path("zero.jpg")).error().message, HasSubstr("zero.jpg"));
}

TEST_F(DecodeFaultsTest, DoesNotReadWhatIsNoStillPicture) {
    for (const std::string_view text : {"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
                                        "%PDF-1.7\n",
                                        "P7\nWIDTH 1\n",
                                        "%!PS-Adobe",
                                        "\x76\x2f\x31\x01 an OpenEXR file of an untested loader",
                                        "SIMPLE  =                    T"}) {
        expectFault(decodeBytes(bytesOf(text)), ErrorCode::Unsupported, std::string(text));
    }
    expectFault(decodeBytes({}), ErrorCode::Corruption, "no bytes");
}

TEST_F(DecodeFaultsTest, NamesTheReasonOfACutFile) {
    for (const char* suffix :
         {".jpg", ".jpg[interlace]", ".png", ".webp", ".tif", ".gif", ".avif", ".ppm"}) {
        const Bytes whole = encoded(gradient(200, 150), suffix);
        for (const std::size_t percent : {10U, 50U, 95U}) {
            const Bytes cut(
                whole.begin(),
                whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * percent / 100));

            expectFault(decodeBytes(cut), ErrorCode::Corruption, suffix + std::to_string(percent));
        }
    }
}

TEST_F(DecodeFaultsTest, ReadsAJpegWithJunkBetweenItsMarkers) {
    Bytes bytes = encoded(gradient(200, 150), ".jpg");
    const std::array<std::uint8_t, 2> scan{0xFF, 0xDA};
    const auto at = std::search(bytes.begin(), bytes.end(), scan.begin(), scan.end());
    ASSERT_NE(at, bytes.end());
    bytes.insert(at, 20, std::uint8_t{0x2A});

    EXPECT_TRUE(decodeBytes(bytes));
}

TEST_F(DecodeFaultsTest, RefusesTooManyPixelsFromTheHeader) {
    // The beginning of a PNG of 100,000 × 100,000 pixels, and nothing of its pixels.
    const Bytes png = bytesOf(std::string_view(
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\x86\xa0\0\x01\x86\xa0\x08\x02\0\0\0\xae\x8b\x50\xdd",
        33));
    DecodeLimits limits;
    limits.maxPixels = 199 * 150;

    for (const char* suffix : {".jpg", ".png", ".webp", ".tif", ".gif"}) {
        expectFault(decodeBytes(encoded(gradient(200, 150), suffix), limits),
                    ErrorCode::ResourceExhausted,
                    suffix);
    }
    const auto huge = decodeBytes(png);
    ASSERT_FALSE(huge);
    EXPECT_NE(huge.error().code, ErrorCode::Internal);
}

TEST_F(DecodeFaultsTest, EndsOnAnExifDirectoryThatPointsAtItself) {
    Bytes bytes = encoded(gradient(64, 48), ".jpg[strip]");
    // Little-endian TIFF with one directory at 8 without entries, whose successor is itself.
    const Bytes exif =
        bytesOf(std::string_view("\xff\xe1\0\x16"
                                 "Exif\0\0"
                                 "II*\0\x08\0\0\0"
                                 "\0\0\x08\0\0\0",
                                 24));
    bytes.insert(bytes.begin() + 2, exif.begin(), exif.end());
    const Bytes tiff = bytesOf(std::string_view("II*\0\x08\0\0\0\0\0\x08\0\0\0", 14));

    EXPECT_TRUE(decodeBytes(bytes));
    expectFault(decodeBytes(tiff), ErrorCode::Corruption, "TIFF");
}

TEST_F(DecodeFaultsTest, RefusesASideBelowOne) {
    DecodeLimits limits;
    limits.maxSide = 0;

    expectFault(decodeBytes(encoded(gradient(2, 2), ".png"), limits),
                ErrorCode::InvalidArgument,
                "maxSide 0");
}

TEST_F(DecodeFaultsTest, GivesAnAnswerForEveryDamagedFile) {
    std::mt19937 random(20'240'611);
    DecodeLimits limits;
    limits.maxPixels = 1'000'000;  // a damaged size must not make the test slow
    for (const char* suffix : {".jpg", ".png", ".webp", ".tif", ".gif", ".ppm"}) {
        const Bytes whole = encoded(gradient(40, 30), suffix);
        for (int round = 0; round < 150; ++round) {
            Bytes damaged = whole;
            for (int change = 0; change < 4; ++change) {
                damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
            }
            if (round % 3 == 0) {
                damaged.resize(random() % damaged.size());
            }

            const auto result = decodeBytes(damaged, limits);

            if (result) {
                ASSERT_EQ(result->image.rgba.size(),
                          static_cast<std::size_t>(result->image.width) *
                              static_cast<std::size_t>(result->image.height) * 4);
            } else {
                ASSERT_NE(result.error().code, ErrorCode::Internal) << result.error().message;
            }
        }
    }
}

}  // namespace
}  // namespace bifocal::imaging
