// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/word_piece.h"

#include "tests/core/prompt/vocabulary.h"
#include "tests/golden/golden_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bifocal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kLimit = 128;

WordPieceTokenizer smallTokenizer() {
    auto tokenizer = WordPieceTokenizer::load(
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\nred\nre\n##d\n##dish\nboat\n,\n猫\ncafe\n");
    return *std::move(tokenizer);
}

TEST(WordPieceTest, EqualsTheReferenceOnEveryGoldenText) {
    const auto tokenizer = test::partTokenizer();
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const auto cases = golden::readTokenCases(std::string(BIFOCAL_GOLDEN_DIR) + "/tokens.tsv");
    ASSERT_EQ(cases.size(), 5000U);

    for (const auto& golden : cases) {
        const TokenSequence sequence = tokenizer->encode(golden.text, kLimit);

        ASSERT_EQ(sequence.ids, golden.ids) << testing::PrintToString(golden.text);
        ASSERT_LE(sequence.ids.size(), kLimit);
    }
}

TEST(WordPieceTest, PrefersTheLongestPiece) {
    EXPECT_THAT(smallTokenizer().encode("Reddish red, boat", kLimit).ids,
                ElementsAre(2, 4, 7, 4, 9, 8, 3));
}

TEST(WordPieceTest, DropsAccentsAndSpacesChinese) {
    EXPECT_THAT(smallTokenizer().encode("CAFÉ猫cafe\u0301", kLimit).ids,
                ElementsAre(2, 11, 10, 11, 3));
}

TEST(WordPieceTest, GivesOneUnknownForAWordWithAStrangePart) {
    EXPECT_THAT(smallTokenizer().encode("redx boat", kLimit).ids, ElementsAre(2, 1, 8, 3));
}

TEST(WordPieceTest, GivesOneUnknownForAWordOfMoreThanAHundredCharacters) {
    std::string word = "re";
    for (int count = 2; count < 100; ++count) {
        word += "d";
    }

    EXPECT_EQ(smallTokenizer().encode(word, 1000).ids.size(), 100U);  // red, then 97 "##d"
    EXPECT_THAT(smallTokenizer().encode(word + "d", 1000).ids, ElementsAre(2, 1, 3));
}

TEST(WordPieceTest, CountsTheWordsThatItDoesNotKnow) {
    EXPECT_EQ(smallTokenizer().encode("red boat", kLimit).unknownCount, 0U);
    EXPECT_EQ(smallTokenizer().encode("red \u82b1 zebra", kLimit).unknownCount, 2U);
}

TEST(WordPieceTest, KeepsBothEndsWhenItCuts) {
    const TokenSequence whole = smallTokenizer().encode("red boat red", 5);
    const TokenSequence cut = smallTokenizer().encode("red boat red", 4);

    EXPECT_THAT(whole.ids, ElementsAre(2, 4, 8, 4, 3));
    EXPECT_FALSE(whole.truncated);
    EXPECT_THAT(cut.ids, ElementsAre(2, 4, 8, 3));
    EXPECT_TRUE(cut.truncated);
}

TEST(WordPieceTest, NeverGivesMoreThanTheLimit) {
    for (std::size_t limit = 0; limit < 4; ++limit) {
        EXPECT_LE(smallTokenizer().encode("red boat", limit).ids.size(), limit);
        EXPECT_TRUE(smallTokenizer().encode("red boat", limit).truncated);
    }
}

TEST(WordPieceTest, ReadsSpecialTokensAnywhereInTheText) {
    EXPECT_THAT(smallTokenizer().encode("red[SEP]boat[PAD]", kLimit).ids,
                ElementsAre(2, 4, 3, 8, 0, 3));
    EXPECT_THAT(smallTokenizer().encode("[MASK]", kLimit).ids,  // not in this vocabulary
                ElementsAre(2, 1, 1, 1, 3));
}

TEST(WordPieceTest, DropsIllFormedUtf8) {
    EXPECT_THAT(smallTokenizer()
                    .encode("re\xff"
                            "d\xc3",
                            kLimit)
                    .ids,
                ElementsAre(2, 4, 3));
}

TEST(WordPieceTest, ReadsAVocabularyWithOrWithoutALastLineEnd) {
    const auto unix = WordPieceTokenizer::load("[UNK]\n[CLS]\n[SEP]\nred");
    const auto windows = WordPieceTokenizer::load("[UNK]\r\n[CLS]\r\n[SEP]\r\nred\r\n");

    ASSERT_TRUE(unix);
    ASSERT_TRUE(windows);
    EXPECT_THAT(unix->encode("red", kLimit).ids, ElementsAre(1, 3, 2));
    EXPECT_THAT(windows->encode("red", kLimit).ids, ElementsAre(1, 3, 2));
}

TEST(WordPieceTest, EndsOnAVocabularyOfOddTokens) {
    const auto tokenizer = WordPieceTokenizer::load("[UNK]\n[CLS]\n[SEP]\n##\n\n");

    ASSERT_TRUE(tokenizer);
    EXPECT_THAT(tokenizer->encode("red", kLimit).ids, ElementsAre(1, 0, 2));
}

TEST(WordPieceTest, RefusesAVocabularyWithoutItsSpecialTokens) {
    for (const char* vocabulary : {"", "red\n", "[UNK]\n[CLS]\n", "[CLS]\n[SEP]\n"}) {
        const auto tokenizer = WordPieceTokenizer::load(vocabulary);

        ASSERT_FALSE(tokenizer) << vocabulary;
        EXPECT_EQ(tokenizer.error().code, ErrorCode::Corruption);
        EXPECT_THAT(tokenizer.error().message, HasSubstr("is missing"));
    }
}

}  // namespace
}  // namespace bifocal
