// SPDX-License-Identifier: Apache-2.0
#include "core/inference/prompt_state.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace bifocal {
namespace {

PromptState someState() {
    PromptState state;
    state.model = "whisper-é";
    state.clip = 0x0123'4567'89ab'cdef;
    state.beamCount = 3;
    state.windowBegin = 480'000;
    state.windowSize = 400'000;
    state.hasText = true;
    state.text = {"what was said", 0.125, -0.25, 7};
    state.audioMask = {true, true, false};
    state.textMask = {true, false};
    state.cache = {{{2, 3}, {1, 2, 3, 4, 5, 6}}, {{}, {}}, {{0, 4}, {}}};
    state.noSpeech = 0.5;
    state.live = {{{5, -1, 7}, -1.5}, {{}, -2}};
    state.finished = {{{9}, -0.5}};
    return state;
}

/// Where each section begins, by its name.
std::size_t placeOf(const std::vector<std::uint8_t>& bytes, const std::string& section) {
    const std::string all(bytes.begin(), bytes.end());
    return all.find(section + std::string(8 - section.size(), '\0'));
}

TEST(PromptStateTest, ComesBackAsItWas) {
    for (const PromptState& state : {PromptState{}, someState()}) {
        const auto read = parsePromptState(toBytes(state));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(*read, state);
    }
}

TEST(PromptStateTest, ADamagedSectionIsRefusedByItsName) {
    const std::vector<std::uint8_t> whole = toBytes(someState());
    constexpr std::size_t kHead = 24;  // name, size, checksum
    for (const std::string section : {"header", "text", "mask", "cache", "beams"}) {
        const std::size_t place = placeOf(whole, section);
        ASSERT_NE(place, std::string::npos);
        for (const std::size_t at : {place, place + 8, place + 16, place + kHead}) {
            std::vector<std::uint8_t> bytes = whole;
            bytes[at] ^= 0x10;
            const auto read = parsePromptState(bytes);
            ASSERT_FALSE(read);
            EXPECT_EQ(read.error().code, ErrorCode::Corruption);
            EXPECT_EQ(read.error().message, "section '" + section + "' is damaged");
        }
    }
}

TEST(PromptStateTest, NothingElseIsTaken) {
    std::vector<std::uint8_t> bytes = toBytes(someState());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_EQ(parsePromptState(std::span(bytes).first(size)).error().code,
                  ErrorCode::Corruption);
    }
    bytes.push_back(0);
    EXPECT_EQ(parsePromptState(bytes).error().code, ErrorCode::Corruption);
    bytes.pop_back();
    bytes[4] = 2;
    EXPECT_EQ(parsePromptState(bytes).error().code, ErrorCode::Unsupported);
}

TEST(PromptStateTest, AnyByteMayBeWrong) {
    const std::vector<std::uint8_t> whole = toBytes(someState());
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::uint8_t> bytes = whole;
        for (int i = 0; i < 3; ++i) {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        const auto read = parsePromptState(bytes);
        EXPECT_TRUE(!read || *read == someState());
    }
}

TEST(PromptStateTest, ClipsAreToldApart) {
    const std::vector<float> one{0.5F, 0.25F};
    const std::vector<float> other{0.5F, 0.26F};
    EXPECT_EQ(clipKey(one), clipKey(std::vector<float>(one)));
    EXPECT_NE(clipKey(one), clipKey(other));
    EXPECT_NE(clipKey(one), clipKey(std::span(one).first(1)));
}

}  // namespace
}  // namespace bifocal
