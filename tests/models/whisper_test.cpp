// SPDX-License-Identifier: Apache-2.0
#include "models/convert/whisper.h"

#include "core/base/files.h"
#include "core/base/half.h"
#include "core/inference/safetensors.h"
#include "core/inference/sha256.h"
#include "tests/models/ctranslate_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace bifocal::models {
namespace {

namespace fs = std::filesystem;

using test::CtranslateDraft;

constexpr std::uint32_t kWidth = 64;
constexpr std::uint32_t kVocabulary = 10;
constexpr std::uint32_t kMels = 4;

/// FP16 numbers that count up, so that a slice tells where it is from.
test::WrittenVariable counting(std::vector<std::uint32_t> shape, float first) {
    test::WrittenVariable variable{std::move(shape), 4, {}};
    std::size_t count = 1;
    for (const std::uint32_t side : variable.shape) {
        count *= side;
    }
    for (std::size_t i = 0; i < count; ++i) {
        test::appendNumber(variable.bytes, toHalf(first + static_cast<float>(i % 1024)).bits, 2);
    }
    return variable;
}

void addLinear(CtranslateDraft& draft,
               const std::string& name,
               std::uint32_t out,
               std::uint32_t in) {
    draft.variables[name + "/weight"] = counting({out, in}, 0);
    draft.variables[name + "/bias"] = counting({out}, 1);
}

void addNorm(CtranslateDraft& draft, const std::string& name) {
    draft.variables[name + "/gamma"] = counting({kWidth}, 2);
    draft.variables[name + "/beta"] = counting({kWidth}, 3);
}

void clearKeyBias(CtranslateDraft& draft, const std::string& name, std::size_t part) {
    auto& bytes = draft.variables[name + "/bias"].bytes;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(part * kWidth * 2), kWidth * 2, 0);
}

void addLayer(CtranslateDraft& draft, const std::string& name, bool isDecoder) {
    addNorm(draft, name + "/self_attention/layer_norm");
    addLinear(draft, name + "/self_attention/linear_0", 3 * kWidth, kWidth);
    clearKeyBias(draft, name + "/self_attention/linear_0", 1);
    addLinear(draft, name + "/self_attention/linear_1", kWidth, kWidth);
    if (isDecoder) {
        addNorm(draft, name + "/attention/layer_norm");
        addLinear(draft, name + "/attention/linear_0", kWidth, kWidth);
        addLinear(draft, name + "/attention/linear_1", 2 * kWidth, kWidth);
        clearKeyBias(draft, name + "/attention/linear_1", 0);
        addLinear(draft, name + "/attention/linear_2", kWidth, kWidth);
    }
    addNorm(draft, name + "/ffn/layer_norm");
    addLinear(draft, name + "/ffn/linear_0", 4 * kWidth, kWidth);
    addLinear(draft, name + "/ffn/linear_1", kWidth, 4 * kWidth);
}

/// A Whisper of one head and one layer each.
CtranslateDraft smallWhisper() {
    CtranslateDraft draft;
    auto& variables = draft.variables;
    variables["encoder/conv1/weight"] = counting({kWidth, kMels, 3}, 0);
    variables["encoder/conv1/bias"] = counting({kWidth}, 0);
    variables["encoder/conv2/weight"] = counting({kWidth, kWidth, 3}, 0);
    variables["encoder/conv2/bias"] = counting({kWidth}, 0);
    variables["encoder/position_encodings/encodings"] =
        counting({kWhisperAudioPositions, kWidth}, 0);
    variables["decoder/position_encodings/encodings"] =
        counting({kWhisperTextPositions, kWidth}, 0);
    variables["decoder/embeddings/weight"] = counting({kVocabulary, kWidth}, 0);
    addNorm(draft, "encoder/layer_norm");
    addNorm(draft, "decoder/layer_norm");
    addLayer(draft, "encoder/layer_0", false);
    addLayer(draft, "decoder/layer_0", true);
    variables["encoder/num_heads"] = {{}, 2, {1, 0}};
    variables["decoder/num_heads"] = {{}, 2, {1, 0}};
    variables["decoder/pre_norm"] = {{}, 1, {1}};
    variables["decoder/activation"] = {{}, 1, {3}};
    draft.aliases = {{"decoder/projection/weight", "decoder/embeddings/weight"}};
    return draft;
}

Result<std::vector<std::uint8_t>> convert(const CtranslateDraft& draft) {
    BIFOCAL_TRY(const CtranslateFile file, CtranslateFile::parse(test::write(draft)));
    return convertWhisper(file);
}

float halfAt(const TensorView& tensor, std::size_t index) {
    return toFloat(Half{
        static_cast<std::uint16_t>(tensor.bytes[2 * index] | (tensor.bytes[2 * index + 1] << 8U))});
}

fs::path freshFolder(const char* name) {
    fs::path path = fs::path(testing::TempDir()) / name;
    fs::remove_all(path);
    EXPECT_TRUE(makeDirectories(path));
    return path;
}

TEST(ConvertWhisper, GivesTheTensorsOfItsShape) {
    auto bytes = convert(smallWhisper());
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto tensors = Safetensors::parse(*std::move(bytes));
    ASSERT_TRUE(tensors) << tensors.error().message;
    const auto shape = whisperShape(*tensors);
    ASSERT_TRUE(shape) << shape.error().message;
    EXPECT_EQ(*shape, (WhisperShape{kWidth, 1, 1, kMels, kVocabulary}));
}

TEST(ConvertWhisper, TakesQueryKeyAndValueApart) {
    const auto tensors = Safetensors::parse(*convert(smallWhisper()));
    ASSERT_TRUE(tensors);
    const auto& all = tensors->tensors();
    const std::string self = "model.decoder.layers.0.self_attn.";
    // Row r of the joined matrix begins with r · 64, counted modulo 1024.
    EXPECT_EQ(halfAt(all.at(self + "q_proj.weight"), 64), 64);
    EXPECT_EQ(halfAt(all.at(self + "k_proj.weight"), 65), 65);
    EXPECT_EQ(halfAt(all.at(self + "v_proj.bias"), 0), 1 + 2 * kWidth);
    const std::string cross = "model.decoder.layers.0.encoder_attn.";
    EXPECT_EQ(halfAt(all.at(cross + "v_proj.bias"), 0), 1 + kWidth);
    EXPECT_FALSE(all.contains(cross + "k_proj.bias"));
    EXPECT_FALSE(all.contains("model.encoder.layers.0.encoder_attn.q_proj.weight"));
}

TEST(ConvertWhisper, NamesWhatIsWrong) {
    const auto expectRefused = [](auto change, const std::string& expected, ErrorCode code) {
        CtranslateDraft draft = smallWhisper();
        change(draft);
        const auto bytes = convert(draft);
        ASSERT_FALSE(bytes) << expected;
        EXPECT_EQ(bytes.error().code, code) << bytes.error().message;
        EXPECT_NE(bytes.error().message.find(expected), std::string::npos) << bytes.error().message;
    };
    const auto corrupt = ErrorCode::Corruption;
    const auto unsupported = ErrorCode::Unsupported;
    expectRefused([](CtranslateDraft& d) { d.specification = "T5Spec"; }, "T5Spec", unsupported);
    expectRefused([](CtranslateDraft& d) { d.revision = 4; }, "revision 4", unsupported);
    expectRefused([](CtranslateDraft& d) { d.variables["decoder/activation"].bytes = {0}; },
                  "decoder/activation",
                  unsupported);
    expectRefused(
        [](CtranslateDraft& d) {
            d.variables["encoder/num_heads"].bytes = {2, 0};
        },
        "encoder/num_heads",
        unsupported);
    expectRefused([](CtranslateDraft& d) { d.variables.erase("encoder/conv1/weight"); },
                  "encoder/conv1/weight",
                  corrupt);
    expectRefused([](CtranslateDraft& d) { d.variables.erase("decoder/layer_norm/beta"); },
                  "decoder/layer_norm/beta",
                  ErrorCode::NotFound);
    expectRefused(
        [](CtranslateDraft& d) {
            d.variables["extra"] = {{}, 1, {0}};
        },
        "'extra' is unexpected",
        corrupt);
    expectRefused(
        [](CtranslateDraft& d) {
            d.variables["encoder/layer_0/ffn/linear_0/weight"] = counting({kWidth, kWidth}, 0);
        },
        "encoder/layer_0/ffn/linear_0/weight",
        corrupt);
    expectRefused(
        [](CtranslateDraft& d) {
            d.variables["decoder/layer_0/attention/linear_1/bias"] = counting({2 * kWidth}, 1);
        },
        "key",
        corrupt);
}

TEST(WhisperTokens, ComeFromTheVocabularyAndTheConfig) {
    const std::string vocabulary =
        "a\nb\n<|endoftext|>\n<|startoftranscript|>\n<|nocaptions|>\n<|notimestamps|>\n<|0.00|>\n";
    const auto tokens =
        whisperTokens(R"({"suppress_ids":[1,3],"suppress_ids_begin":[0,2],"other":1})", vocabulary);
    ASSERT_TRUE(tokens) << tokens.error().message;
    EXPECT_EQ(*tokens, (WhisperTokens{2, 4, 6, {3, 5}, {1, 3}, {0, 2}}));
    EXPECT_EQ(*parseWhisperTokens(toJson(*tokens), 7), *tokens);
    EXPECT_FALSE(parseWhisperTokens(toJson(*tokens), 6));
    EXPECT_FALSE(whisperTokens(R"({"suppress_ids":[7],"suppress_ids_begin":[]})", vocabulary));
    EXPECT_FALSE(whisperTokens(R"({"suppress_ids":[]})", vocabulary));
    EXPECT_FALSE(whisperTokens("no json", vocabulary));
    EXPECT_FALSE(whisperTokens(R"({"suppress_ids":[],"suppress_ids_begin":[]})", "a\nb\n"));
}

TEST(WhisperTemplate, IdIsTheHashOfItsSource) {
    const PackManifest& manifest = whisperTemplate();
    EXPECT_EQ(manifest.kind, PackKind::Speech);
    EXPECT_EQ(manifest.architecture, kWhisper);
    ASSERT_EQ(manifest.sources.size(), 1U);
    const std::string& hash = manifest.sources[0].sha256;
    const std::string all =
        sha256({reinterpret_cast<const std::uint8_t*>(hash.data()), hash.size()});
    EXPECT_EQ(manifest.id, "whisper-tiny-en-1-" + all.substr(0, 8));
}

TEST(PrepareWhisper, AnAbsentOrOtherWheelLeavesNothing) {
    const fs::path downloads = freshFolder("bifocal_whisper_downloads");
    const fs::path packs = freshFolder("bifocal_whisper_packs");
    EXPECT_EQ(prepareWhisper(downloads, packs, {}).error().code, ErrorCode::NotFound);
    const std::string name = whisperTemplate().sources[0].file;
    ASSERT_TRUE(writeFileAtomically(downloads / name, std::string("not the wheel")));
    EXPECT_EQ(prepareWhisper(downloads, packs, {}).error().code, ErrorCode::Corruption);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(prepareWhisper(downloads, packs, {}, stop.get_token()).error().code,
              ErrorCode::Cancelled);
    EXPECT_FALSE(isWhisperPrepared(packs));
    EXPECT_FALSE(fs::exists(packs / kWhisperFolder));
    EXPECT_FALSE(fs::exists(packs / (std::string(".") + kWhisperFolder + ".new")));
}

}  // namespace
}  // namespace bifocal::models
