// SPDX-License-Identifier: Apache-2.0
#include "core/inference/whisper.h"

#include "core/base/files.h"
#include "core/base/half.h"
#include "core/inference/manifest.h"
#include "core/inference/prompt_state.h"
#include "core/inference/sha256.h"
#include "core/inference/torch/run_guard.h"
#include "core/inference/torch/torch_packs.h"
#include "core/inference/torch/whisper_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::torch_backend {
namespace {

namespace fs = std::filesystem;

constexpr WhisperShape kSmall{64, 1, 2, 8, 40};

/// A small Whisper of random numbers, FP16; norms are those of a network that was just made.
std::vector<std::uint8_t> smallWeights() {
    std::mt19937 random(20'269);
    std::normal_distribution<float> normal(0, 0.1F);
    const std::vector<TensorSpec> specs = whisperTensors(kSmall, TensorType::F16);
    std::vector<std::vector<std::uint8_t>> bytes;
    bytes.reserve(specs.size());
    std::vector<NamedTensor> tensors;
    for (const TensorSpec& spec : specs) {
        std::size_t count = 1;
        for (const std::size_t side : spec.shape) {
            count *= side;
        }
        const bool isScale = spec.name.ends_with("norm.weight");
        std::vector<std::uint8_t> halves(2 * count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint16_t bits = toHalf(isScale ? 1.0F : normal(random)).bits;
            std::memcpy(halves.data() + 2 * i, &bits, 2);
        }
        bytes.push_back(std::move(halves));
        tensors.push_back({spec.name, {spec.type, spec.shape, bytes.back()}});
    }
    auto file = serializeSafetensors(tensors);
    EXPECT_TRUE(file);
    return *std::move(file);
}

std::vector<float> randomMel(std::size_t positions, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 0.5F);
    std::vector<float> mel(kSmall.melCount * kMelsPerPosition * positions);
    for (float& value : mel) {
        value = normal(random);
    }
    return mel;
}

std::vector<float> floats(const at::Tensor& tensor) {
    const float* const data = tensor.const_data_ptr<float>();
    return {data, data + tensor.numel()};
}

class WhisperNetworkTest : public ::testing::Test {
protected:
    at::Tensor append(std::int32_t token, WhisperState& state) const {
        return network_.append({&token, 1}, state);
    }

    const RunGuard guard_{1};
    const Safetensors weights_ = *Safetensors::parse(smallWeights());
    const WhisperNetwork network_{weights_, kSmall, at::kFloat};
};

TEST_F(WhisperNetworkTest, AUsedStateIsAsGoodAsANewOne) {
    const std::vector<float> longClip = randomMel(700, 1);
    const std::vector<float> shortClip = randomMel(300, 2);
    WhisperState used = network_.makeState();
    network_.listen(longClip, 700, used);
    append(3, used);
    append(5, used);
    network_.listen(shortClip, 300, used);
    WhisperState fresh = network_.makeState();
    network_.listen(shortClip, 300, fresh);
    for (const std::int32_t token : {7, 11, 13}) {
        EXPECT_EQ(floats(append(token, used)), floats(append(token, fresh)));
    }
}

TEST_F(WhisperNetworkTest, WhatComesLaterDependsOnTheClipAndTheTextBefore) {
    WhisperState one = network_.makeState();
    WhisperState other = network_.makeState();
    network_.listen(randomMel(300, 3), 300, one);
    network_.listen(randomMel(300, 4), 300, other);
    const std::vector<float> first = floats(append(1, one));
    EXPECT_NE(first, floats(append(1, other)));
    const std::vector<float> again = floats(append(1, one));
    EXPECT_NE(first, again) << "the place of a token counts";
    for (const float value : again) {
        EXPECT_TRUE(std::isfinite(value));
    }
}

TEST_F(WhisperNetworkTest, SilenceBehindAClipIsTheFullWindowsSilence) {
    // A clip of silence, trimmed, is what the silent tail continues: nothing of it may be seen,
    // but for the positions next to the seam, which hear the end of the window.
    const std::vector<float> quiet(kSmall.melCount * kMelsPerPosition * 300, -0.8F);
    WhisperState trimmed = network_.makeState();
    WhisperState untouched = network_.makeState();
    network_.listen(quiet, 300, trimmed);
    const at::Tensor& a = trimmed.audio[0].keys;
    const at::Tensor& b = untouched.audio[0].keys;
    EXPECT_EQ(floats(a.narrow(2, 300, 1200).contiguous()),
              floats(b.narrow(2, 300, 1200).contiguous()));
}

TEST_F(WhisperNetworkTest, TheVocabularyIsExact) {
    const VocabularyRows& rows = network_.vocabulary();
    const at::Tensor hidden = rows.embedding(9).mul(3.0);
    std::vector<kernels::RowScore> best(4);
    ASSERT_EQ(*rows.best(hidden, {}, best), 4U);
    EXPECT_EQ(best[0].row, 9U);
    EXPECT_NEAR(best[0].score, rows.score(hidden, 9), 1e-4F);
    const std::vector<std::uint64_t> withoutNine{~(std::uint64_t{1} << 9U)};
    ASSERT_EQ(*rows.best(hidden, withoutNine, best), 4U);
    EXPECT_NE(best[0].row, 9U);
}

// ---- the recogniser around it

class WhisperPackTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / "bifocal_small_whisper";
        fs::remove_all(folder_);
        ASSERT_TRUE(makeDirectories(folder_));
        manifest_.id = "small-whisper-1";
        manifest_.name = "Small";
        manifest_.architecture = kWhisper;
        manifest_.licence = "Apache-2.0";
        manifest_.kind = PackKind::Speech;
        manifest_.scripts = {Script::Latin};
        manifest_.maxTokens = 20;
        write(kSpeechTensors, smallWeights());
        std::string vocabulary;
        for (std::size_t i = 0; i < kSmall.vocabularySize; ++i) {
            vocabulary += std::string(1, static_cast<char>('A' + i)) + "\n";
        }
        write(kSpeechVocabulary, {vocabulary.begin(), vocabulary.end()});
        const std::string tokens = toJson(WhisperTokens{30, 38, 39, {31, 37}, {1, 2}, {3, 30}});
        write(kSpeechTokens, {tokens.begin(), tokens.end()});
        ASSERT_TRUE(writeFileAtomically(folder_ / kManifestName, toJson(manifest_)));
    }

    void write(const char* name, std::vector<std::uint8_t> bytes) {
        ASSERT_TRUE(writeFileAtomically(folder_ / name, bytes));
        manifest_.files.push_back({name, bytes.size(), sha256(bytes), "Apache-2.0", ""});
    }

    /// Loud and quiet by turns: what the gate lets through.
    static std::vector<float> voice(double seconds) {
        std::vector<float> samples(static_cast<std::size_t>(seconds * kSpeechSampleRate));
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const float time = static_cast<float>(i) / kSpeechSampleRate;
            samples[i] = 0.3F * std::max(0.0F, std::sin(25.0F * time)) * std::sin(900.0F * time);
        }
        return samples;
    }

    fs::path folder_;
    PackManifest manifest_;
};

TEST_F(WhisperPackTest, WritesAllowedTokensUpToTheCap) {
    const auto model = loadSpeech(folder_);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ((*model)->info().id, "small-whisper-1");
    EXPECT_GT((*model)->info().weightBytes, 0U);
    const auto recognizer = (*model)->makeRecognizer();
    ASSERT_TRUE(recognizer);
    std::vector<std::string> partials;
    const auto heard =
        (*recognizer)->recognize(voice(1.0), {.partial = [&](const std::string& text) {
                                     partials.push_back(text);
                                 }});
    ASSERT_TRUE(heard) << heard.error().message;
    // Random weights do not end their text: 10 + 7 tokens for one second.
    EXPECT_LE(heard->tokenCount, 17U);
    EXPECT_EQ(heard->tokenCount, partials.size());
    for (const char letter : partials.empty() ? std::string() : partials.back()) {
        EXPECT_TRUE(letter != 'B' && letter != 'C' && letter < 'A' + 30) << letter;
    }
    EXPECT_LE(heard->meanLogProbability, 0.0);
    EXPECT_GE(heard->noSpeech, 0.0);
    EXPECT_LE(heard->noSpeech, 1.0);
    const auto again = (*recognizer)->recognize(voice(1.0), {});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->text, heard->text);
}

TEST_F(WhisperPackTest, SilenceAndNoiseHaveNoText) {
    const auto model = loadSpeech(folder_);
    ASSERT_TRUE(model) << model.error().message;
    const auto recognizer = (*model)->makeRecognizer();
    ASSERT_TRUE(recognizer);
    std::mt19937 random(20'270);
    std::normal_distribution<float> normal(0, 0.1F);
    std::vector<float> noise(16'000);
    for (float& sample : noise) {
        sample = normal(random);
    }
    for (const std::vector<float>& samples :
         {std::vector<float>{}, std::vector<float>(16'000, 0.0F), noise}) {
        const auto heard = (*recognizer)->recognize(samples, {});
        ASSERT_TRUE(heard) << heard.error().message;
        EXPECT_TRUE(heard->text.empty());
        EXPECT_EQ(heard->tokenCount, 0U);
    }
}

TEST_F(WhisperPackTest, StopsAndRefuses) {
    const auto model = loadSpeech(folder_);
    ASSERT_TRUE(model) << model.error().message;
    const auto recognizer = (*model)->makeRecognizer();
    ASSERT_TRUE(recognizer);
    std::stop_source stop;
    const auto stopped =
        (*recognizer)
            ->recognize(voice(1.0),
                        {.partial = [&](const std::string& /*text*/) { stop.request_stop(); },
                         .stop = stop.get_token()});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
    std::vector<float> broken = voice(1.0);
    broken[100] = std::nanf("");
    EXPECT_EQ((*recognizer)->recognize(broken, {}).error().code, ErrorCode::InvalidArgument);
}

TEST_F(WhisperPackTest, ALongClipIsReadInWindows) {
    const auto model = loadSpeech(folder_);
    ASSERT_TRUE(model) << model.error().message;
    const auto recognizer = (*model)->makeRecognizer();
    ASSERT_TRUE(recognizer);
    const auto heard = (*recognizer)->recognize(voice(35.0), {});
    ASSERT_TRUE(heard) << heard.error().message;
    EXPECT_LE(heard->tokenCount, 40U);
}

TEST_F(WhisperPackTest, MoreBeamsFindATextThatIsNoLessProbable) {
    const auto model = loadSpeech(folder_);
    ASSERT_TRUE(model) << model.error().message;
    const auto recognizer = (*model)->makeRecognizer();
    ASSERT_TRUE(recognizer);
    for (const double seconds : {0.6, 1.0, 2.0, 3.0}) {
        const auto one = (*recognizer)->recognize(voice(seconds), {});
        const auto more = (*recognizer)->recognize(voice(seconds), {.beamCount = 8});
        ASSERT_TRUE(one && more);
        EXPECT_GE(more->meanLogProbability, one->meanLogProbability - 1e-6);
        const auto again = (*recognizer)->recognize(voice(seconds), {});
        EXPECT_EQ(*again, *one) << "the other beams leave nothing behind";
    }
    EXPECT_EQ((*recognizer)->recognize(voice(1), {.beamCount = 0}).error().code,
              ErrorCode::InvalidArgument);
    EXPECT_EQ((*recognizer)->recognize(voice(1), {.beamCount = 17}).error().code,
              ErrorCode::InvalidArgument);
}

class WhisperResumeTest : public WhisperPackTest {
protected:
    void SetUp() override {
        WhisperPackTest::SetUp();
        const auto model = loadSpeech(folder_);
        ASSERT_TRUE(model) << model.error().message;
        model_ = *model;
        RecognizeOptions options;
        options.beamCount = kBeams;
        options.keepEvery = Duration::zero();
        options.keep = [this](const PromptState& state) { kept_.push_back(toBytes(state)); };
        auto whole = newRecognizer()->recognize(clip_, options);
        ASSERT_TRUE(whole) << whole.error().message;
        whole_ = *std::move(whole);
    }
    std::unique_ptr<SpeechRecognizer> newRecognizer() const { return *model_->makeRecognizer(); }
    Result<RecognizedSpeech> resume(const PromptState& state) const {
        return newRecognizer()->recognize(clip_, {.beamCount = kBeams, .resume = &state});
    }
    /// A state that was kept in the middle of a window.
    PromptState middle() const {
        for (const std::vector<std::uint8_t>& bytes : kept_) {
            const auto state = parsePromptState(bytes);
            if (state && state->windowSize > 0 && state->windowBegin > 0 &&
                state->live.front().tokens.size() > 2) {
                return *state;
            }
        }
        ADD_FAILURE() << "nothing was kept there";
        return {};
    }

    static constexpr std::size_t kBeams = 3;
    const std::vector<float> clip_ = voice(65.0);
    std::shared_ptr<const SpeechModel> model_;
    std::vector<std::vector<std::uint8_t>> kept_;
    RecognizedSpeech whole_;
};

TEST_F(WhisperResumeTest, FromEveryPlaceTheTextIsTheSame) {
    ASSERT_GT(kept_.size(), 10U);
    for (const std::vector<std::uint8_t>& bytes : kept_) {
        const auto state = parsePromptState(bytes);
        ASSERT_TRUE(state) << state.error().message;
        const auto resumed = resume(*state);
        ASSERT_TRUE(resumed) << resumed.error().message;
        EXPECT_EQ(*resumed, whole_);
    }
}

TEST_F(WhisperResumeTest, WhatIsOfAnotherModelSoundOrWidthIsRefused) {
    for (const auto& spoil : std::vector<std::function<void(PromptState&)>>{
             [](PromptState& state) { state.model = "other"; },
             [](PromptState& state) { ++state.clip; },
             [](PromptState& state) { state.beamCount = 2; },
         }) {
        PromptState state = middle();
        spoil(state);
        EXPECT_EQ(resume(state).error().code, ErrorCode::InvalidArgument);
    }
}

TEST_F(WhisperResumeTest, WhatDoesNotFitTheNetworkIsDamaged) {
    for (const auto& spoil : std::vector<std::function<void(PromptState&)>>{
             [](PromptState& state) { state.windowBegin = 1'000'000'000; },
             [](PromptState& state) { state.windowSize = ~std::uint64_t{0}; },
             [](PromptState& state) { state.audioMask.front() = false; },
             [](PromptState& state) { state.audioMask.pop_back(); },
             [](PromptState& state) { state.textMask.assign(state.textMask.size(), false); },
             [](PromptState& state) { state.cache.pop_back(); },
             [](PromptState& state) { state.cache.front().shape[2] += 1; },
             [](PromptState& state) { state.cache.back().bytes.pop_back(); },
             [](PromptState& state) { state.live.clear(); },
             [](PromptState& state) { state.live.front().tokens.push_back(1); },
             [](PromptState& state) { state.live.front().tokens.back() = 1'000; },
             [](PromptState& state) { state.live.resize(9, state.live.front()); },
         }) {
        PromptState state = middle();
        spoil(state);
        const auto resumed = resume(state);
        ASSERT_FALSE(resumed);
        EXPECT_EQ(resumed.error().code, ErrorCode::Corruption) << resumed.error().message;
    }
}

TEST_F(WhisperPackTest, EachKindIsLoadedAsWhatItIs) {
    EXPECT_EQ(loadPack(folder_).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(loadSpeech(folder_ / "nowhere").error().code, ErrorCode::NotFound);
    ASSERT_TRUE(writeFileAtomically(folder_ / kSpeechVocabulary, std::string("A\n")));
    EXPECT_EQ(loadSpeech(folder_).error().code, ErrorCode::Corruption);
}

}  // namespace
}  // namespace bifocal::torch_backend
