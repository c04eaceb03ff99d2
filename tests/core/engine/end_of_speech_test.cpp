// SPDX-License-Identifier: Apache-2.0
#include "core/engine/end_of_speech.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace bifocal {
namespace {

using State = EndOfSpeech::State;

/// Sound as a microphone gives it, in chunks of 50 ms.
class EndOfSpeechTest : public ::testing::Test {
protected:
    static constexpr int kRate = 16'000;

    std::vector<float> room(double seconds, float loudness) {
        std::normal_distribution<float> normal(0, loudness);
        std::vector<float> samples(static_cast<std::size_t>(seconds * kRate));
        std::generate(samples.begin(), samples.end(), [&] { return normal(random_); });
        return samples;
    }
    /// Four syllables a second over the room.
    std::vector<float> voice(double seconds, float loudness, float noise) {
        std::vector<float> samples = room(seconds, noise);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const float time = static_cast<float>(i) / static_cast<float>(kRate);
            const float envelope = std::max(0.0F, std::sin(25.0F * time));
            samples[i] += loudness * envelope * std::sin(900.0F * time);
        }
        return samples;
    }
    /// Seconds until the state is reached, or −1.
    double secondsUntil(State state, const std::vector<float>& samples) {
        constexpr std::size_t kChunk = kRate / 20;
        for (std::size_t begin = 0; begin < samples.size(); begin += kChunk) {
            const std::size_t end = std::min(begin + kChunk, samples.size());
            if (ears_.feed(std::span(samples).subspan(begin, end - begin)) == state) {
                return static_cast<double>(end) / kRate;
            }
        }
        return -1;
    }

    EndOfSpeech ears_;
    std::mt19937 random_{10};
};

TEST_F(EndOfSpeechTest, SilenceAndSteadyNoiseAreNobody) {
    EXPECT_LT(secondsUntil(State::Speaking, std::vector<float>(kRate * 10, 0.0F)), 0);
    EXPECT_EQ(ears_.decibel(), -120);
    for (const float loudness : {0.0003F, 0.003F, 0.03F, 0.3F}) {
        ears_ = {};
        EXPECT_LT(secondsUntil(State::Speaking, room(60, loudness)), 0) << loudness;
    }
}

TEST_F(EndOfSpeechTest, AVoiceBeginsAndEnds) {
    for (const float noise : {0.0F, 0.002F, 0.01F}) {
        ears_ = {};
        EXPECT_LT(secondsUntil(State::Speaking, room(1, noise)), 0);
        const double begun = secondsUntil(State::Speaking, voice(2, 0.2F, noise));
        EXPECT_GT(begun, 0) << noise;
        EXPECT_LT(begun, 0.5) << noise;
        EXPECT_LT(secondsUntil(State::Ended, voice(1.5, 0.2F, noise)), 0) << noise;
        const double ended = secondsUntil(State::Ended, room(2, noise));
        EXPECT_GT(ended, 0.4) << noise;
        EXPECT_LT(ended, 1.0) << noise;
    }
}

TEST_F(EndOfSpeechTest, SomebodyMaySpeakFromTheFirstSample) {
    EXPECT_GT(secondsUntil(State::Speaking, voice(2, 0.2F, 0.002F)), 0);
    EXPECT_GT(secondsUntil(State::Ended, room(2, 0.002F)), 0);
}

TEST_F(EndOfSpeechTest, AClickIsNoVoiceAndABreathNoEnd) {
    std::vector<float> click(kRate, 0.0F);
    std::fill_n(click.begin() + 5000, 400, 0.5F);
    EXPECT_LT(secondsUntil(State::Speaking, click), 0);
    EXPECT_GT(secondsUntil(State::Speaking, voice(1, 0.2F, 0.002F)), 0);
    EXPECT_LT(secondsUntil(State::Ended, room(0.5, 0.002F)), 0);
    EXPECT_LT(secondsUntil(State::Ended, voice(1, 0.2F, 0.002F)), 0);
}

TEST_F(EndOfSpeechTest, NoiseThatBeginsBecomesTheQuietOfTheRoom) {
    secondsUntil(State::Speaking, room(1, 0.001F));
    EXPECT_GT(secondsUntil(State::Speaking, room(3, 0.02F)), 0) << "a fan is taken for a voice";
    EXPECT_GT(secondsUntil(State::Ended, room(20, 0.02F)), 0) << "but not for long";
}

TEST_F(EndOfSpeechTest, TheEndIsTheEnd) {
    secondsUntil(State::Speaking, voice(1, 0.2F, 0.0F));
    secondsUntil(State::Ended, room(2, 0.0F));
    EXPECT_EQ(ears_.feed(voice(1, 0.2F, 0.0F)), State::Ended);
}

}  // namespace
}  // namespace bifocal
