// SPDX-License-Identifier: Apache-2.0
#include "kernels/colours.h"

#include "tests/golden/golden_files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

namespace bifocal::kernels {
namespace {

std::string colourOf(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
    const ImageBuffer image{1, 1, {red, green, blue, 255}};
    const auto shares = colourShares(image.view());
    for (std::size_t i = 0; i < kColourCount; ++i) {
        if (shares[i] == 1.0F) {
            return kColourNames[i];
        }
    }
    return "several";
}

TEST(Colours, OnePixelOfEach) {
    EXPECT_EQ(colourOf(0, 0, 0), "black");
    EXPECT_EQ(colourOf(255, 255, 255), "white");
    EXPECT_EQ(colourOf(128, 128, 128), "grey");
    EXPECT_EQ(colourOf(255, 0, 0), "red");
    EXPECT_EQ(colourOf(255, 140, 0), "orange");
    EXPECT_EQ(colourOf(255, 255, 0), "yellow");
    EXPECT_EQ(colourOf(0, 200, 0), "green");
    EXPECT_EQ(colourOf(0, 0, 255), "blue");
    EXPECT_EQ(colourOf(140, 0, 220), "purple");
    EXPECT_EQ(colourOf(255, 0, 160), "pink");
    EXPECT_EQ(colourOf(120, 70, 20), "brown");
}

TEST(Colours, BordersBelongToTheUpperRange) {
    EXPECT_EQ(colourOf(50, 50, 50), "black");     // V just below 0.2
    EXPECT_EQ(colourOf(51, 51, 51), "grey");      // V = 0.2
    EXPECT_EQ(colourOf(216, 216, 216), "grey");   // V just below 0.85
    EXPECT_EQ(colourOf(217, 217, 217), "white");  // V just above 0.85
    EXPECT_EQ(colourOf(190, 152, 152), "red");    // S = 0.2 and dark enough not to be pink
    EXPECT_EQ(colourOf(190, 153, 153), "grey");   // S just below 0.2
    EXPECT_EQ(colourOf(240, 60, 0), "orange");    // H = 15
    EXPECT_EQ(colourOf(240, 59, 0), "red");       // H just below 15
    EXPECT_EQ(colourOf(240, 0, 60), "red");       // H = 345
    EXPECT_EQ(colourOf(240, 0, 61), "pink");      // H just below 345
    EXPECT_EQ(colourOf(255, 150, 150), "pink");   // a light red
    EXPECT_EQ(colourOf(160, 0, 160), "pink");     // H = 300
    EXPECT_EQ(colourOf(159, 0, 160), "purple");   // H just below 300
}

TEST(Colours, CountsOpaquePixelsAlone) {
    const ImageBuffer image{4,
                            1,
                            {255,
                             0,
                             0,
                             128,
                             0,
                             0,
                             255,
                             255,  //
                             0,
                             255,
                             0,
                             127,
                             0,
                             0,
                             255,
                             200}};
    const auto shares = colourShares(image.view());
    EXPECT_FLOAT_EQ(shares[3], 1.0F / 3.0F);
    EXPECT_FLOAT_EQ(shares[7], 2.0F / 3.0F);
    EXPECT_FLOAT_EQ(shares[6], 0.0F);
}

TEST(Colours, NothingOpaqueHasNoColour) {
    const ImageBuffer image{2, 1, {255, 0, 0, 0, 0, 0, 255, 127}};
    for (const float share : colourShares(image.view())) {
        EXPECT_EQ(share, 0.0F);
    }
    for (const float share : colourShares(ImageView{})) {
        EXPECT_EQ(share, 0.0F);
    }
    EXPECT_EQ(colourThumbnail(ImageView{}).error().code, ErrorCode::InvalidArgument);
}

TEST(Colours, ReadsRowsByTheirStride) {
    ImageBuffer image{3, 2, {255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255,  //
                             255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255}};
    EXPECT_EQ(colourShares(crop(image.view(), {0, 0, 1, 2}))[3], 1.0F);
    EXPECT_EQ(colourShares(crop(image.view(), {1, 0, 2, 2}))[7], 1.0F);
}

// The reference's library chooses which side of a tall thumbnail to shrink first, ours always
// begins across; a byte that rounds differently moves a pixel over a border: 0.0011 of a small
// thumbnail.
TEST(Colours, SharesAndThumbnailsOfTheGoldenFile) {
    const auto golden = nlohmann::json::parse(golden::readFile(BIFOCAL_GOLDEN_DIR "/colours.json"));
    ASSERT_EQ(golden["order"].size(), kColourCount);
    for (std::size_t i = 0; i < kColourCount; ++i) {
        EXPECT_EQ(golden["order"][i].get<std::string>(), kColourNames[i]);
    }
    ASSERT_GE(golden["pictures"].size(), 16U);
    for (std::size_t p = 0; p < golden["pictures"].size(); ++p) {
        const auto& entry = golden["pictures"][p];
        const golden::PictureSpec spec{
            entry["kind"], entry["width"], entry["height"], entry["seed"], entry["alpha"]};
        const ImageBuffer image{spec.width, spec.height, golden::picture(spec)};
        const auto thumbnail = colourThumbnail(image.view());
        ASSERT_TRUE(thumbnail);
        EXPECT_EQ(thumbnail->width, golden["thumbnails"][p][0].get<int>());
        EXPECT_EQ(thumbnail->height, golden["thumbnails"][p][1].get<int>());
        const auto shares = colourShares(thumbnail->view());
        for (std::size_t i = 0; i < kColourCount; ++i) {
            EXPECT_NEAR(shares[i], golden["shares"][p][i].get<float>(), 2e-3) << p << " " << i;
        }
        const float sum = std::accumulate(shares.begin(), shares.end(), 0.0F);
        EXPECT_TRUE(sum == 0.0F || std::abs(sum - 1.0F) < 1e-6F) << sum;
    }
}

}  // namespace
}  // namespace bifocal::kernels
