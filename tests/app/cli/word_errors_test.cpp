// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/word_errors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

using Words = std::vector<std::string>;

TEST(WordErrors, WordsAreComparedWithoutCaseAndPunctuation) {
    EXPECT_EQ(comparedWords(" Don't press  1, PLEASE-now... "),
              (Words{"dont", "press", "1", "please", "now"}));
    EXPECT_TRUE(comparedWords("?! -").empty());
}

TEST(WordErrors, CountsInsertionsDropsAndChanges) {
    EXPECT_EQ(wordErrors({"a", "b", "c"}, {"a", "b", "c"}), 0U);
    EXPECT_EQ(wordErrors({"a", "b", "c"}, {"a", "x", "c"}), 1U);
    EXPECT_EQ(wordErrors({"a", "b", "c"}, {"a", "c"}), 1U);
    EXPECT_EQ(wordErrors({"a", "b", "c"}, {"a", "b", "x", "y", "c"}), 2U);
    EXPECT_EQ(wordErrors({"a", "b", "c"}, {}), 3U);
    EXPECT_EQ(wordErrors({}, {"a"}), 1U);
    EXPECT_EQ(wordErrors({"a", "b"}, {"b", "a"}), 2U);
}

TEST(WordErrors, TextsAreNamedLines) {
    const auto texts = readTexts("; a comment: no\n\na: Hello: you\nno colon\nb-c: Yes\na: again");
    EXPECT_EQ(texts.size(), 2U);
    EXPECT_EQ(texts.at("a"), "Hello: you");
    EXPECT_EQ(texts.at("b-c"), "Yes");
    EXPECT_TRUE(readTexts("").empty());
}

}  // namespace
}  // namespace bifocal::cli
