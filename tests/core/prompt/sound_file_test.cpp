// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/sound_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace bifocal {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append(Bytes& out, std::uint32_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) {
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

void appendTag(Bytes& out, const std::string& tag) {
    out.insert(out.end(), tag.begin(), tag.end());
}

struct WavDraft {
    std::uint32_t coding = 1;
    std::uint32_t channels = 1;
    std::uint32_t rate = 16'000;
    std::uint32_t bits = 16;
    Bytes data;
};

Bytes wav(const WavDraft& draft) {
    Bytes out;
    appendTag(out, "RIFF");
    append(out, 0, 4);
    appendTag(out, "WAVE");
    appendTag(out, "note");
    append(out, 3, 4);
    out.insert(out.end(), 4, 0);  // odd chunks are padded
    appendTag(out, "fmt ");
    append(out, 16, 4);
    append(out, draft.coding, 2);
    append(out, draft.channels, 2);
    append(out, draft.rate, 4);
    append(out, draft.rate * draft.channels * draft.bits / 8, 4);
    append(out, draft.channels * draft.bits / 8, 2);
    append(out, draft.bits, 2);
    appendTag(out, "data");
    append(out, static_cast<std::uint32_t>(draft.data.size()), 4);
    out.insert(out.end(), draft.data.begin(), draft.data.end());
    return out;
}

Bytes pcm(const std::vector<std::int16_t>& samples) {
    Bytes out;
    for (const std::int16_t sample : samples) {
        append(out, static_cast<std::uint16_t>(sample), 2);
    }
    return out;
}

TEST(ParseWav, ReadsPcmAndFloats) {
    const auto clip = parseWav(wav({1, 1, 16'000, 16, pcm({0, 16'384, -32'768})}));
    ASSERT_TRUE(clip) << clip.error().message;
    EXPECT_EQ(clip->samples, (std::vector<float>{0.0F, 0.5F, -1.0F}));

    Bytes floats;
    for (const float value : {0.25F, 5.0F, std::nanf("")}) {
        append(floats, std::bit_cast<std::uint32_t>(value), 4);
    }
    const auto other = parseWav(wav({3, 1, 16'000, 32, floats}));
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_EQ(other->samples, (std::vector<float>{0.25F, 1.0F, 0.0F}));
}

TEST(ParseWav, TakesTheMeanOfTheChannels) {
    const auto clip = parseWav(wav({1, 2, 16'000, 16, pcm({16'384, 0, -16'384, -16'384, 7})}));
    ASSERT_TRUE(clip) << clip.error().message;
    EXPECT_EQ(clip->samples, (std::vector<float>{0.25F, -0.5F}));
}

TEST(ParseWav, AStreamedFileEndsWithTheFile) {
    Bytes bytes = wav({1, 1, 16'000, 16, pcm({1, 2, 3})});
    std::memset(bytes.data() + bytes.size() - 10, 0xFF, 4);
    const auto clip = parseWav(bytes);
    ASSERT_TRUE(clip) << clip.error().message;
    EXPECT_EQ(clip->samples.size(), 3U);
}

TEST(ParseWav, RefusesWhatItCannotRead) {
    EXPECT_EQ(parseWav({}).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(parseWav(wav({6, 1, 8'000, 8, {}})).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(parseWav(wav({1, 1, 16'000, 24, {}})).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(parseWav(wav({1, 0, 16'000, 16, {}})).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(parseWav(wav({1, 9, 16'000, 16, {}})).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(parseWav(wav({1, 1, 100, 16, {}})).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(readSpeech("/nonexistent.wav").error().code, ErrorCode::NotFound);
}

TEST(ParseWav, NoDamageBreaksIt) {
    const Bytes whole = wav({1, 2, 22'050, 16, pcm(std::vector<std::int16_t>(40, 1000))});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        (void)parseWav(std::span(whole).first(size)).has_value();
    }
    std::mt19937 random(20'265);
    for (int round = 0; round < 3'000; ++round) {
        Bytes damaged = whole;
        for (int change = 0; change < 3; ++change) {
            damaged[random() % 60] = static_cast<std::uint8_t>(random());
        }
        (void)parseWav(damaged).has_value();
    }
}

TEST(Resample, KeepsASineThatBothRatesCarry) {
    for (const std::uint32_t from : {8'000U, 22'050U, 44'100U, 48'000U}) {
        std::vector<float> in(from / 5);
        const auto sine = [](std::size_t i, std::uint32_t rate) {
            return std::sin(2.0 * 3.14159265358979 * 700.0 * static_cast<double>(i) / rate);
        };
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = static_cast<float>(sine(i, from));
        }
        const std::vector<float> out = resample(in, from, 16'000);
        ASSERT_EQ(out.size(), 3'200U);
        for (std::size_t i = 200; i + 200 < out.size(); ++i) {
            ASSERT_NEAR(static_cast<double>(out[i]), sine(i, 16'000), 2e-3) << from << ' ' << i;
        }
    }
}

TEST(Resample, DropsWhatTheLowerRateCannotCarry) {
    std::vector<float> in(9'600);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<float>(
            std::sin(2.0 * 3.14159265358979 * 12'000.0 * static_cast<double>(i) / 48'000.0));
    }
    const std::vector<float> out = resample(in, 48'000, 16'000);
    for (std::size_t i = 200; i + 200 < out.size(); ++i) {
        ASSERT_LT(std::abs(out[i]), 1e-3F) << i;
    }
    EXPECT_TRUE(resample({}, 48'000, 16'000).empty());
    EXPECT_EQ(resample(in, 16'000, 16'000), in);
}

}  // namespace
}  // namespace bifocal
