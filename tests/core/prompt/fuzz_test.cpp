// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/prompt.h"
#include "tests/core/prompt/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>

namespace bifocal {
namespace {

constexpr std::uint32_t kSeed = 20'240'611;
constexpr int kRounds = 8'000;

/// Bytes, fragments that mean something to the grammar or the tokenizer, and broken UTF-8.
std::string randomText(std::mt19937& random) {
    static const std::array<std::string, 24> kFragments{
        " ",      "-",     "\"",     "“",      "”",  "−",    "[SEP]",        "[",
        "\u0301", "猫",    "🙂",   "\u200D", "\t", "word", "\xf0\x9f\x99", "\xed\xa0\x80",
        "\u3000", "-word", "-\"a b", "가",     "#",  "##",   "\xc0\x80",     "\xf4\x90\x80\x80"};
    std::string text;
    const auto length = std::uniform_int_distribution<int>(0, 40)(random);
    for (int index = 0; index < length; ++index) {
        if (random() % 3 == 0) {
            text.push_back(static_cast<char>(random() & 0xFFU));
        } else {
            text += kFragments[random() % kFragments.size()];
        }
    }
    return text;
}

bool isWellFormed(const std::string& text) {
    // Written without ICU, so that it does not share a fault with the code under test.
    for (std::size_t index = 0; index < text.size();) {
        const auto lead = static_cast<std::uint8_t>(text[index]);
        const std::size_t length = lead < 0x80   ? 1
                                   : lead < 0xC2 ? 0
                                   : lead < 0xE0 ? 2
                                   : lead < 0xF0 ? 3
                                   : lead < 0xF5 ? 4
                                                 : 0;
        if (length == 0 || index + length > text.size()) {
            return false;
        }
        std::uint32_t value = length == 1 ? lead : lead & (0xFFU >> (length + 1));
        for (std::size_t more = 1; more < length; ++more) {
            const auto byte = static_cast<std::uint8_t>(text[index + more]);
            if ((byte & 0xC0U) != 0x80) {
                return false;
            }
            value = value << 6U | (byte & 0x3FU);
        }
        const bool isOverlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
        if (isOverlong || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
            return false;
        }
        index += length;
    }
    return true;
}

bool hasControl(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char byte) {
        return static_cast<std::uint8_t>(byte) < 0x20 || byte == 0x7F;
    });
}

TEST(PromptFuzzTest, AnyBytesGiveAnAnswerThatHoldsWhatTheHeaderSays) {
    std::mt19937 random(kSeed);
    for (int round = 0; round < kRounds; ++round) {
        Prompt prompt;
        prompt.text = randomText(random);
        prompt.negatives = {randomText(random)};
        const std::string context = testing::PrintToString(prompt.text);

        const auto once = normalizePrompt(prompt);

        if (!once) {
            ASSERT_EQ(once.error().code, ErrorCode::InvalidArgument) << context;
            continue;
        }
        ASSERT_TRUE(isWellFormed(once->prompt.text)) << context;
        ASSERT_FALSE(hasControl(once->prompt.text)) << context;
        ASSERT_EQ(once->prompt.text.find("  "), std::string::npos) << context;
        ASSERT_NE(once->prompt.text.front(), ' ') << context;
        ASSERT_NE(once->prompt.text.back(), ' ') << context;
        for (const std::string& negative : once->prompt.negatives) {
            ASSERT_FALSE(negative.empty()) << context;
            ASSERT_TRUE(isWellFormed(negative)) << context;
        }
        const auto twice = normalizePrompt(once->prompt);
        ASSERT_TRUE(twice) << context;
        ASSERT_EQ(twice->prompt.text, once->prompt.text) << context;
        ASSERT_EQ(twice->prompt.negatives, once->prompt.negatives) << context;
    }
}

TEST(PromptFuzzTest, AnyBytesTokenizeWithinTheLimit) {
    const auto tokenizer = test::partTokenizer();
    ASSERT_TRUE(tokenizer);
    std::mt19937 random(kSeed);
    for (int round = 0; round < kRounds; ++round) {
        const std::string text = randomText(random);
        const std::size_t limit = random() % 40;

        const TokenSequence cut = tokenizer->encode(text, limit);
        const TokenSequence whole = tokenizer->encode(text, 100'000);

        ASSERT_LE(cut.ids.size(), limit);
        ASSERT_EQ(cut.truncated, whole.ids.size() > limit) << testing::PrintToString(text);
        const std::size_t shared = limit > 0 ? cut.ids.size() - 1 : 0;
        ASSERT_TRUE(std::equal(cut.ids.begin(),
                               cut.ids.begin() + static_cast<std::ptrdiff_t>(shared),
                               whole.ids.begin()))
            << testing::PrintToString(text);
        (void)scriptsOf(text);
        (void)namedColours(text);
    }
}

}  // namespace
}  // namespace bifocal
