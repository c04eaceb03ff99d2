// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace bifocal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Prompt promptOf(std::string text) {
    Prompt prompt;
    prompt.text = std::move(text);
    return prompt;
}

Prompt withPicture(Prompt prompt) {
    prompt.image = ImageSource{ImageFile{"boat.png"}, std::nullopt};
    return prompt;
}

NormalizedPrompt normalized(std::string text) {
    auto result = normalizePrompt(promptOf(std::move(text)));
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? *std::move(result) : NormalizedPrompt{};
}

TEST(NormalizePromptTest, CleansTheText) {
    struct Case {
        std::string given;
        std::string expected;
    };
    const Case cases[] = {
        {"  red boat \n", "red boat"},
        {"\u3000红色\u00A0\u2003的车\u2028", "红色 的车"},
        {std::string("re\0d\x07 b\to\x7f"
                     "at",
                     12),
         "red b oat"},
        {"\uFEFFred", "red"},
        {"caf\xe9 table \xf0\x9f", "caf table"},
        {"family 👨‍👩‍👧", "family 👨‍👩‍👧"},
        {"m:", "m:"},
        {"2:", "2:"},
        {"🙂", "🙂"},
        {"→", "→"},
        {"c++ - a language", "c++ - a language"},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(normalized(one.given).prompt.text, one.expected);
    }
}

TEST(NormalizePromptTest, RefusesAPromptThatSaysNothing) {
    for (const std::string& text : {std::string(),
                                    std::string("  \t\n\u3000"),
                                    std::string("-"),
                                    std::string("+"),
                                    std::string("?!"),
                                    std::string("− ＋ …"),
                                    std::string("\0\0", 2),
                                    std::string("\xff\xfe\xfd"),
                                    std::string("\u200B\u200D\uFE0F"),
                                    std::string("-\"\"")}) {
        const auto result = normalizePrompt(promptOf(text));

        ASSERT_FALSE(result) << testing::PrintToString(text);
        EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(result.error().message, HasSubstr("no words and no picture"));
    }
}

TEST(NormalizePromptTest, SaysSoWhenThereAreOnlyNegatives) {
    const auto result = normalizePrompt(promptOf("-dog"));

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(result.error().message, HasSubstr("not what to look for"));
}

TEST(NormalizePromptTest, MovesNegativesOutOfTheText) {
    struct Case {
        const char* given;
        const char* text;
        std::vector<std::string> negatives;
    };
    const Case cases[] = {
        {"cat -dog", "cat", {"dog"}},
        {"-dog cat", "cat", {"dog"}},
        {"cat -dog, bird", "cat bird", {"dog"}},
        {"cat -\"old man\" hat", "cat hat", {"old man"}},
        {"cat -“old man”", "cat", {"old man"}},
        {"cat -\"old m", "cat", {"old m"}},
        {"cat −dog －rat", "cat", {"dog", "rat"}},
        {"cat -dog -dog", "cat", {"dog"}},
        {"猫 -狗", "猫", {"狗"}},
        {"cat -🙂", "cat", {"🙂"}},
        {"cat -c++", "cat", {"c++"}},
        {"cat -o'clock!", "cat", {"o'clock"}},
        {"t-shirt - blue", "t-shirt - blue", {}},
        {"sea at -5 degrees", "sea at -5 degrees", {}},
        {"cat --dog -> -.", "cat --dog -> -.", {}},
        {"cat -\"?\"", "cat", {}},
        {"cat -\"a\"-\"b\"", "cat", {"a", "b"}},
    };
    for (const Case& one : cases) {
        const NormalizedPrompt result = normalized(one.given);

        EXPECT_EQ(result.prompt.text, one.text) << one.given;
        EXPECT_EQ(result.prompt.negatives, one.negatives) << one.given;
        EXPECT_FALSE(result.isShortened);
    }
}

TEST(NormalizePromptTest, KeepsGivenNegativesFirstAndDropsEmptyOnes) {
    Prompt prompt = promptOf("cat -dog -rat");
    prompt.negatives = {"  snow\n", "", "-", "dog", "snow"};

    const auto result = normalizePrompt(prompt);

    ASSERT_TRUE(result);
    EXPECT_THAT(result->prompt.negatives, ElementsAre("snow", "dog", "rat"));
}

TEST(NormalizePromptTest, LimitsTheNumberOfNegatives) {
    std::string text = "cat";
    for (std::size_t index = 0; index <= kMaxNegativeCount; ++index) {
        text += " -word" + std::to_string(index);
    }

    const NormalizedPrompt result = normalized(text);

    EXPECT_THAT(result.prompt.negatives, SizeIs(kMaxNegativeCount));
    EXPECT_TRUE(result.isShortened);
    EXPECT_EQ(result.prompt.text, "cat");
}

TEST(NormalizePromptTest, CutsALongPasteAtACharacter) {
    std::string paste = "x";
    while (paste.size() < 1'000'000) {
        paste += "猫";
    }

    const NormalizedPrompt result = normalized(paste);

    EXPECT_TRUE(result.isShortened);
    EXPECT_LE(result.prompt.text.size(), kMaxPromptBytes);
    EXPECT_GT(result.prompt.text.size(), kMaxPromptBytes - 3);
    EXPECT_EQ((result.prompt.text.size() - 1) % 3, 0U);
    EXPECT_EQ(result.prompt.text.substr(result.prompt.text.size() - 3), "猫");
}

TEST(NormalizePromptTest, KeepsATextOfExactlyTheLimit) {
    const NormalizedPrompt fits = normalized(std::string(kMaxPromptBytes, 'a') + "  ");
    const NormalizedPrompt cut = normalized(std::string(kMaxPromptBytes + 1, 'a'));

    EXPECT_FALSE(fits.isShortened);
    EXPECT_EQ(fits.prompt.text.size(), kMaxPromptBytes);
    EXPECT_TRUE(cut.isShortened);
    EXPECT_EQ(cut.prompt.text.size(), kMaxPromptBytes);
}

TEST(NormalizePromptTest, DecidesTheMode) {
    Prompt spoken;
    spoken.speech = SpeechClip{{0.1F}};
    Prompt silent = spoken;
    silent.speech->samples.clear();

    EXPECT_EQ(normalizePrompt(promptOf("cat"))->mode, PromptMode::TextOnly);
    EXPECT_EQ(normalizePrompt(withPicture(promptOf("cat")))->mode, PromptMode::Fused);
    EXPECT_EQ(normalizePrompt(withPicture(promptOf(" ")))->mode, PromptMode::ImageOnly);
    EXPECT_EQ(normalizePrompt(withPicture(promptOf("+ -dog")))->mode, PromptMode::ImageOnly);
    EXPECT_EQ(normalizePrompt(spoken)->mode, PromptMode::TextOnly);
    EXPECT_EQ(normalizePrompt(withPicture(spoken))->mode, PromptMode::Fused);
    EXPECT_EQ(normalizePrompt(withPicture(silent))->mode, PromptMode::ImageOnly);
    EXPECT_FALSE(normalizePrompt(silent));
}

TEST(NormalizePromptTest, KeepsNegativesBesideAPicture) {
    const auto result = normalizePrompt(withPicture(promptOf("+ -dog")));

    ASSERT_TRUE(result);
    EXPECT_THAT(result->prompt.text, IsEmpty());
    EXPECT_THAT(result->prompt.negatives, ElementsAre("dog"));
}

TEST(NormalizePromptTest, RefusesNumbersOutsideTheirRange) {
    for (const double balance : {-0.01,
                                 1.01,
                                 std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()}) {
        Prompt prompt = promptOf("cat");
        prompt.balance = balance;
        const auto result = normalizePrompt(prompt);
        ASSERT_FALSE(result) << balance;
        EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(result.error().message, HasSubstr("balance"));
    }
    for (const int count : {std::numeric_limits<int>::min(), 0, kMaxResultCount + 1}) {
        Prompt prompt = promptOf("cat");
        prompt.resultCount = count;
        const auto result = normalizePrompt(prompt);
        ASSERT_FALSE(result) << count;
        EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(result.error().message, HasSubstr("result count"));
    }
    for (const double balance : {0.0, 1.0}) {
        Prompt prompt = promptOf("cat");
        prompt.balance = balance;
        prompt.resultCount = balance == 0.0 ? 1 : kMaxResultCount;
        EXPECT_TRUE(normalizePrompt(prompt));
    }
}

TEST(NormalizePromptTest, RefusesAnEmptyRegion) {
    Prompt prompt = withPicture(promptOf("cat"));
    prompt.image->region = PixelRect{10, 10, 0, 5};

    const auto result = normalizePrompt(prompt);

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace bifocal
