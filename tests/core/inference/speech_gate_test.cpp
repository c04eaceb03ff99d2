// SPDX-License-Identifier: Apache-2.0
#include "core/inference/speech_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace bifocal {
namespace {

std::vector<float> noise(std::size_t count, float loudness) {
    std::mt19937 random(20'264);
    std::normal_distribution<float> normal(0, loudness);
    std::vector<float> samples(count);
    for (float& sample : samples) {
        sample = normal(random);
    }
    return samples;
}

TEST(SpeechGate, SilenceIsSilence) {
    EXPECT_EQ(kindOfSound({}), SoundKind::Silence);
    EXPECT_EQ(kindOfSound(std::vector<float>(16'000, 0.0F)), SoundKind::Silence);
    EXPECT_EQ(kindOfSound(noise(16'000, 0.0005F)), SoundKind::Silence);
    EXPECT_EQ(kindOfSound(std::vector<float>(100, 0.0F)), SoundKind::Silence);
}

TEST(SpeechGate, NoiseAndTonesAreSteady) {
    for (const float loudness : {0.01F, 0.1F, 0.5F}) {
        EXPECT_EQ(kindOfSound(noise(32'000, loudness)), SoundKind::Steady) << loudness;
    }
    std::vector<float> tone(32'000);
    for (std::size_t i = 0; i < tone.size(); ++i) {
        tone[i] = 0.3F * std::sin(0.17F * static_cast<float>(i));
    }
    EXPECT_EQ(kindOfSound(tone), SoundKind::Steady);
}

TEST(SpeechGate, SyllablesAreVaried) {
    // Four syllables a second, over noise 25 dB below them.
    std::vector<float> voice = noise(32'000, 0.005F);
    for (std::size_t i = 0; i < voice.size(); ++i) {
        const float time = static_cast<float>(i) / 16'000.0F;
        const float envelope = std::max(0.0F, std::sin(25.0F * time));
        voice[i] += 0.2F * envelope * std::sin(900.0F * time);
    }
    EXPECT_EQ(kindOfSound(voice), SoundKind::Varied);
    EXPECT_EQ(kindOfSound(std::vector<float>(600, 0.1F)), SoundKind::Varied);
}

TEST(SpeechGate, CutsALongClipWhereItIsQuiet) {
    std::vector<float> samples = noise(200'000, 0.1F);
    EXPECT_EQ(windowSize(samples, 200'000), 200'000U);
    EXPECT_EQ(windowSize({}, 100), 0U);
    std::fill_n(samples.begin() + 60'000, 2'000, 0.0F);
    const std::size_t cut = windowSize(samples, 100'000);
    EXPECT_GT(cut, 60'000U);
    EXPECT_LT(cut, 62'000U);
    // Never nothing, however small the window is.
    EXPECT_EQ(windowSize(samples, 100), 100U);
}

}  // namespace
}  // namespace bifocal
