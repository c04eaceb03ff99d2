// SPDX-License-Identifier: Apache-2.0
#include "core/base/files.h"
#include "core/inference/label_mixture.h"
#include "core/inference/torch/image_tower.h"
#include "core/inference/torch/run_guard.h"
#include "core/inference/torch/text_tower.h"
#include "core/inference/torch/torch_packs.h"
#include "core/prompt/word_piece.h"
#include "kernels/preprocess.h"
#include "tests/core/inference/torch/golden_data.h"
#include "tests/support/starter_folder.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/randn.h>
#include <c10/util/BFloat16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace bifocal::torch_backend {
namespace {

using test::cosine;

Safetensors tensorsOf(const char* name) {
    auto bytes = readFile(test::starterFolder() / name);
    return *Safetensors::parse(*std::move(bytes));
}

at::Tensor inputOf(const std::vector<ImageBuffer>& pictures) {
    at::Tensor input = ImageTower::makeInput(pictures.size());
    std::vector<float> planar(std::size_t{3} * kImageSide * kImageSide);
    kernels::PreprocessWorkspace workspace;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        EXPECT_TRUE(kernels::preprocess(pictures[i].view(), {}, workspace, planar));
        input[static_cast<std::int64_t>(i)]
            .narrow(1, 0, kImageSide)
            .narrow(2, 0, kImageSide)
            .copy_(at::from_blob(planar.data(), {3, kImageSide, kImageSide}));
    }
    return input;
}

/// Lowest cosines of features and logits over the golden pictures.
struct Agreement {
    double features = 1;
    double logits = 1;
};

Agreement agreementOf(TowerPrecision precision) {
    const RunGuard guard(1);
    const ImageTower tower(tensorsOf(kImageTensors), precision);
    const std::vector<ImageBuffer> pictures = test::goldenPictures();
    const std::vector<float> golden = test::goldenFloats("image.f32");
    const at::Tensor features = tower.features(inputOf(pictures));
    const at::Tensor logits = tower.logits(features).contiguous();
    Agreement lowest;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const auto expected = std::span(golden).subspan(i * (kFeatureCount + kClassCount),
                                                        kFeatureCount + kClassCount);
        const std::span<const float> gotFeatures(
            features.const_data_ptr<float>() + i * kFeatureCount, kFeatureCount);
        const std::span<const float> gotLogits(logits.const_data_ptr<float>() + i * kClassCount,
                                               kClassCount);
        lowest.features =
            std::min(lowest.features, cosine(gotFeatures, expected.first(kFeatureCount)));
        lowest.logits = std::min(lowest.logits, cosine(gotLogits, expected.last(kClassCount)));
    }
    return lowest;
}

TEST(ImageTower, Fp32MatchesTheReference) {
    const Agreement agreement = agreementOf(TowerPrecision::Fp32);
    EXPECT_GE(agreement.features, 0.99999);
    EXPECT_GE(agreement.logits, 0.99999);
    RecordProperty("features", std::to_string(agreement.features));
}

TEST(ImageTower, Bf16MatchesTheReferenceWhereTheProcessorHasIt) {
    if (!computesInBf16()) {
        // Then nothing may choose it by itself, and asking for it must say why not.
        const auto automatic = loadPack(test::starterFolder());
        ASSERT_TRUE(automatic) << automatic.error().message;
        EXPECT_EQ((*automatic)->info().precision, "fp32");
        EXPECT_NE((*automatic)->info().deviceWhy.find("lacks BF16"), std::string::npos);
        const auto forced = loadPack(test::starterFolder(), {Precision::Bf16});
        ASSERT_FALSE(forced);
        EXPECT_EQ(forced.error().code, ErrorCode::Unsupported);
        return;
    }
    const auto automatic = loadPack(test::starterFolder());
    ASSERT_TRUE(automatic) << automatic.error().message;
    EXPECT_EQ((*automatic)->info().precision, "bf16");
    EXPECT_GE(agreementOf(TowerPrecision::Bf16).features, 0.9997);
}

TEST(ImageTower, RoundedKernelsKeepTheirSums) {
    at::manual_seed(31);
    const at::Tensor kernels = at::randn({64, 1, 5, 5});
    const at::Tensor rounded = roundKeepingSums(kernels);
    const float* from = kernels.const_data_ptr<float>();
    const float* to = rounded.const_data_ptr<float>();
    for (int k = 0; k < 64; ++k) {
        double wanted = 0;
        double got = 0;
        double plain = 0;
        double smallest = 1e9;
        for (int t = 0; t < 25; ++t, ++from, ++to) {
            EXPECT_EQ(static_cast<float>(c10::BFloat16(*to)), *to);
            EXPECT_NEAR(*to, *from, 0.02F * std::abs(*from) + 0.02F);
            wanted += static_cast<double>(*from);
            got += static_cast<double>(*to);
            plain += static_cast<double>(static_cast<float>(c10::BFloat16(*from)));
            smallest = std::min(smallest, static_cast<double>(std::abs(*from)));
        }
        // What is left is the rounding of the last, smallest tap plus what was carried to it.
        EXPECT_LE(std::abs(got - wanted), (smallest + 0.02) / 128) << "kernel " << k;
    }
}

TEST(TextTower, MatchesTheReference) {
    const RunGuard guard(1);
    const TextTower tower(tensorsOf(kTextTensors));
    const auto vocabulary = readFile(test::starterFolder() / kVocabulary);
    ASSERT_TRUE(vocabulary);
    const auto tokenizer = WordPieceTokenizer::load(
        {reinterpret_cast<const char*>(vocabulary->data()), vocabulary->size()});
    ASSERT_TRUE(tokenizer);
    const nlohmann::json json = test::goldenJson("text.json");
    const std::vector<float> golden = test::goldenFloats("text.f32");
    ASSERT_EQ(json["texts"].size(), 42U);
    for (std::size_t i = 0; i < json["texts"].size(); ++i) {
        const auto text = json["texts"][i].get<std::string>();
        const TokenSequence tokens = tokenizer->encode(text, kMaxTextTokens);
        ASSERT_EQ(tokens.ids.size(), json["tokens"][i].get<std::size_t>()) << text;
        const at::Tensor embedded = tower.embed(tokens.ids, 1);
        const std::span<const float> got(embedded.const_data_ptr<float>(), kTextWidth);
        EXPECT_GE(cosine(got, std::span(golden).subspan(i * kTextWidth, kTextWidth)), 0.99999)
            << text;
    }
}

TEST(TextTower, ASentenceDoesNotDependOnItsBatch) {
    const RunGuard guard(1);
    const TextTower tower(tensorsOf(kTextTensors));
    const std::vector<std::int32_t> one{101, 2450, 3899, 102};
    std::vector<std::int32_t> five;
    for (const std::int32_t word : {3899, 2000, 5000, 9999, 30'521}) {
        five.insert(five.end(), {101, 2450, word, 102});
    }
    const at::Tensor alone = tower.embed(one, 1);
    const at::Tensor together = tower.embed(five, 5);
    EXPECT_GE(cosine({alone.const_data_ptr<float>(), kTextWidth},
                     {together.const_data_ptr<float>(), kTextWidth}),
              0.999999);
}

}  // namespace
}  // namespace bifocal::torch_backend
