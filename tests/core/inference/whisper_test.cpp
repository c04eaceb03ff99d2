// SPDX-License-Identifier: Apache-2.0
#include "core/inference/whisper.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal {
namespace {

constexpr WhisperShape kSmall{64, 2, 1, 4, 12};

/// A file of zeros with these tensors.
Result<Safetensors> fileOf(const std::vector<TensorSpec>& specs) {
    std::vector<std::vector<std::uint8_t>> bytes;
    bytes.reserve(specs.size());
    std::vector<NamedTensor> tensors;
    for (const TensorSpec& spec : specs) {
        std::size_t size = sizeOf(spec.type);
        for (const std::size_t side : spec.shape) {
            size *= side;
        }
        bytes.emplace_back(size, 0);
        tensors.push_back({spec.name, {spec.type, spec.shape, bytes.back()}});
    }
    BIFOCAL_TRY(auto file, serializeSafetensors(tensors));
    return Safetensors::parse(std::move(file));
}

TEST(WhisperShape, IsReadFromTheTensors) {
    for (const TensorType type : {TensorType::F16, TensorType::F32}) {
        const auto file = fileOf(whisperTensors(kSmall, type));
        ASSERT_TRUE(file) << file.error().message;
        const auto shape = whisperShape(*file);
        ASSERT_TRUE(shape) << shape.error().message;
        EXPECT_EQ(*shape, kSmall);
        EXPECT_EQ(shape->heads(), 1U);
    }
}

TEST(WhisperShape, NamesTheTensorThatIsWrong) {
    const auto refuse = [](const std::function<void(std::vector<TensorSpec>&)>& change,
                           const std::string& expected) {
        std::vector<TensorSpec> specs = whisperTensors(kSmall, TensorType::F16);
        change(specs);
        const auto file = fileOf(specs);
        ASSERT_TRUE(file) << file.error().message;
        const auto shape = whisperShape(*file);
        ASSERT_FALSE(shape) << expected;
        EXPECT_EQ(shape.error().code, ErrorCode::Corruption);
        EXPECT_NE(shape.error().message.find(expected), std::string::npos) << shape.error().message;
    };
    refuse([](auto& specs) { specs.clear(); }, "embed_tokens");
    refuse([](auto& specs) { specs.pop_back(); }, "model.decoder.layer_norm.bias");
    refuse([](auto& specs) { specs.back().shape = {32}; }, "model.decoder.layer_norm.bias");
    refuse([](auto& specs) { specs.back().type = TensorType::F32; },
           "model.decoder.layer_norm.bias");
    refuse([](auto& specs) { specs.push_back({"extra", {1}, TensorType::F16}); }, "extra");
    refuse(
        [](auto& specs) {
            for (TensorSpec& spec : specs) {
                if (spec.name == "model.decoder.embed_tokens.weight") {
                    spec.shape = {12, 63};
                }
            }
        },
        "no shape of a Whisper");
}

TEST(WhisperTokens, NamesTheFieldThatIsWrong) {
    const WhisperTokens tokens{2, 4, 6, {3, 5}, {1}, {0, 2}};
    const auto refuse = [&](const std::function<void(nlohmann::json&)>& change,
                            const std::string& expected) {
        nlohmann::json json = nlohmann::json::parse(toJson(tokens));
        change(json);
        const auto parsed = parseWhisperTokens(json.dump(), 7);
        ASSERT_FALSE(parsed) << expected;
        EXPECT_EQ(parsed.error().code, ErrorCode::Corruption);
        EXPECT_NE(parsed.error().message.find(expected), std::string::npos)
            << parsed.error().message;
    };
    EXPECT_EQ(*parseWhisperTokens(toJson(tokens), 7), tokens);
    refuse([](auto& j) { j.erase("end"); }, "'end'");
    refuse([](auto& j) { j["end"] = 7; }, "'end'");
    refuse([](auto& j) { j["noSpeech"] = -1; }, "'noSpeech'");
    refuse([](auto& j) { j["firstTimestamp"] = "6"; }, "'firstTimestamp'");
    refuse([](auto& j) { j["prompt"] = nlohmann::json::array(); }, "'prompt'");
    refuse([](auto& j) { j["prompt"] = 3; }, "'prompt'");
    refuse([](auto& j) { j["suppressed"][0] = 70; }, "'suppressed'");
    refuse([](auto& j) { j = 5; }, "no JSON object");
    refuse([](auto& j) { j.erase("suppressedFirst"); }, "'suppressedFirst'");
}

}  // namespace
}  // namespace bifocal
