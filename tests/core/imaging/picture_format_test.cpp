// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "tests/core/imaging/test_pictures.h"

#include <gtest/gtest.h>

#include <string_view>

namespace bifocal::imaging {
namespace {

std::span<const std::uint8_t> headOf(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(LooksLikeImageTest, KnowsWhatIsDecodedByItsFirstBytes) {
    for (const char* suffix :
         {".png", ".jpg", ".gif", ".webp", ".tif", ".tif[bigtiff]", ".avif", ".ppm", ".jp2"}) {
        const test::Bytes bytes = test::encoded(test::gradient(16, 16), suffix);

        EXPECT_TRUE(looksLikeImage(bytes)) << suffix;
        EXPECT_TRUE(looksLikeImage(std::span(bytes).first(32))) << suffix;
        EXPECT_TRUE(decodeBytes(bytes)) << suffix;
    }
}

TEST(LooksLikeImageTest, RefusesTheRest) {
    using namespace std::string_view_literals;
    for (const std::string_view text : {""sv,
                                        "\xff"sv,
                                        "\x89PN"sv,
                                        "P1"sv,
                                        "P5 is a road, and no picture"sv,
                                        "BM"sv,
                                        "BMW is a car, and no picture at all"sv,
                                        "RIFF\0\0\0\0WAVEfmt "sv,
                                        "RIFF\0\0\0\0AVI LIST"sv,
                                        "\0\0\0\x18"
                                        "ftypmp42\0\0\0\0"sv,
                                        "%PDF-1.7"sv,
                                        "<?xml version=\"1.0\"?><svg>"sv,
                                        "<svg width=\"1\">"sv,
                                        "\x1f\x8b\x08\0\0\0\0\0"sv,
                                        "PK\x03\x04"sv}) {
        EXPECT_FALSE(looksLikeImage(headOf(text))) << testing::PrintToString(text);
    }
}

}  // namespace
}  // namespace bifocal::imaging
