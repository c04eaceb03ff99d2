// SPDX-License-Identifier: Apache-2.0
#include "core/inference/label_mixture.h"

#include "kernels/colours.h"
#include "tests/golden/golden_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

namespace bifocal {
namespace {

using Json = nlohmann::json;

Json goldenColours() {
    return Json::parse(golden::readFile(std::string(BIFOCAL_GOLDEN_DIR) + "/colours.json"));
}

golden::PictureSpec specOf(const Json& json) {
    return {json["kind"], json["width"], json["height"], json["seed"], json["alpha"]};
}

TEST(LabelMixture, ImageTowerHasTheParametersOfEfficientNetLite0) {
    // 4.65 million: 296 tensors of the state dict, less the running statistics' half and counters.
    std::size_t count = 0;
    for (const TensorSpec& spec : imageTowerTensors()) {
        count += std::accumulate(
            spec.shape.begin(), spec.shape.end(), std::size_t{1}, std::multiplies<>());
    }
    EXPECT_EQ(efficientNetLite0().size(), 16U);
    EXPECT_EQ(imageTowerTensors().size(), 2U * (1 + 15 * 3 + 2 + 1 + 1));
    EXPECT_NEAR(static_cast<double>(count), 4.63e6, 0.02e6);
}

TEST(LabelMixture, ColourBlocksMatchTheReference) {
    const Json json = goldenColours();
    ASSERT_FALSE(json["pictures"].empty());
    for (std::size_t i = 0; i < json["pictures"].size(); ++i) {
        const golden::PictureSpec spec = specOf(json["pictures"][i]);
        const ImageBuffer image{spec.width, spec.height, golden::picture(spec)};
        const std::vector<float> block = colourBlock(image.view());
        ASSERT_EQ(block.size(), kernels::kColourCount);
        for (std::size_t c = 0; c < block.size(); ++c) {
            // One pixel of the smallest thumbnail (about 1,000 opaque ones) may be rounded across
            // a border between two colours.
            EXPECT_NEAR(block[c] * block[c], json["shares"][i][c].get<float>(), 1.5e-3F)
                << "picture " << i << " colour " << c;
        }
    }
}

TEST(LabelMixture, PromptsAreCleanedAsInTheReference) {
    const Json json = goldenColours();
    ASSERT_FALSE(json["prompts"].empty());
    for (const Json& prompt : json["prompts"]) {
        const auto text = prompt["text"].get<std::string>();
        EXPECT_EQ(cleanPrompt(text), prompt["cleaned"].get<std::string>()) << text;
    }
}

TEST(LabelMixture, ColourWeightsAreAMeanOverTheNamedColours) {
    const std::vector<float> two = colourWeights("a red and blue kite");
    EXPECT_FLOAT_EQ(two[3], kColourWeight / 2);
    EXPECT_FLOAT_EQ(two[7], kColourWeight / 2);
    EXPECT_FLOAT_EQ(std::accumulate(two.begin(), two.end(), 0.0F), kColourWeight);
    const std::vector<float> none = colourWeights("a kite");
    EXPECT_FLOAT_EQ(std::accumulate(none.begin(), none.end(), 0.0F), 0.0F);
}

/// The tensors of heads.safetensors, small stand-ins with the right shapes.
std::vector<NamedTensor> headsWith(const std::vector<float>& zeros) {
    std::vector<NamedTensor> tensors;
    for (const TensorSpec& spec : headTensors()) {
        const std::size_t count = std::accumulate(
            spec.shape.begin(), spec.shape.end(), std::size_t{1}, std::multiplies<>());
        tensors.push_back(namedTensor(spec.name, spec.shape, std::span(zeros).first(count)));
    }
    return tensors;
}

TEST(CheckTensors, NamesWhatIsMissingMisshapenOrUnexpected) {
    const std::vector<float> zeros(kClassCount * kTextWidth, 0.0F);
    const auto check = [](const std::vector<NamedTensor>& tensors) {
        const auto file = Safetensors::parse(*serializeSafetensors(tensors));
        return checkTensors("heads.safetensors", *file, headTensors());
    };
    std::vector<NamedTensor> tensors = headsWith(zeros);
    EXPECT_TRUE(check(tensors));

    std::vector<NamedTensor> missing{tensors[0], tensors[2]};
    ASSERT_FALSE(check(missing));
    EXPECT_EQ(check(missing).error().code, ErrorCode::Corruption);
    EXPECT_EQ(check(missing).error().message, "heads.safetensors: tensor 'mean' is missing");

    std::vector<NamedTensor> extra = tensors;
    extra.push_back(namedTensor("surprise", {2}, std::span(zeros).first(2)));
    ASSERT_FALSE(check(extra));
    EXPECT_EQ(check(extra).error().message, "heads.safetensors: tensor 'surprise' is unexpected");

    std::vector<NamedTensor> misshapen = tensors;
    misshapen[1] = namedTensor("mean", {383}, std::span(zeros).first(383));
    ASSERT_FALSE(check(misshapen));
    EXPECT_EQ(check(misshapen).error().message,
              "heads.safetensors: tensor 'mean' is F32 [383], expected F32 [384]");
}

}  // namespace
}  // namespace bifocal
