// SPDX-License-Identifier: Apache-2.0
#include "core/library/internal/name_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bifocal::library {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NameWords, AreWhatAPersonReadsInAName) {
    EXPECT_THAT(nameWords("red-flower_2"), ElementsAre("red", "flower", "2"));
    EXPECT_THAT(nameWords("redFlower"), ElementsAre("red", "Flower"));
    EXPECT_THAT(nameWords("NASA"), ElementsAre("NASA"));
    EXPECT_THAT(nameWords("frog12"), ElementsAre("frog", "12"));
    EXPECT_THAT(nameWords("Café Zoë"), ElementsAre("Café", "Zoë"));
    EXPECT_THAT(nameWords(""), IsEmpty());
    EXPECT_THAT(nameWords("-- (_) --"), IsEmpty());
}

TEST(NameWords, AHashIsOneWordNotManyFragments) {
    EXPECT_THAT(nameWords("3f2a9cde11b0"), ElementsAre("3f2a9cde11b0"));
    EXPECT_THAT(nameWords("a1b2c3_cat"), ElementsAre("a1b2c3", "cat"));
}

TEST(NameWords, ChineseIsSplitIntoItsCharacters) {
    EXPECT_THAT(nameWords("红花2019"), ElementsAre("红", "花", "2019"));
    EXPECT_THAT(nameWords("海边，日落"), ElementsAre("海", "边", "日", "落"));
}

TEST(NameWords, BytesThatAreNoTextSeparate) {
    EXPECT_THAT(nameWords("red\xff\xfe"
                          "tree"),
                ElementsAre("red", "tree"));
    EXPECT_THAT(nameWords("red\xe7\xba"), ElementsAre("red"));
    EXPECT_THAT(nameWords("\xc3"), IsEmpty());
}

TEST(NamePhrases, AskForEveryWordThatTellsSomething) {
    EXPECT_THAT(namePhrases("A photo of the red frog."), ElementsAre("red", "frog"));
    EXPECT_THAT(namePhrases("RE16 TGK re16"), ElementsAre("RE 16", "TGK", "re 16"));
    EXPECT_THAT(namePhrases("frog frog"), ElementsAre("frog"));
    EXPECT_THAT(namePhrases("红花"), ElementsAre("红 花"));
    EXPECT_THAT(namePhrases("?! \" the"), IsEmpty());
}

TEST(MatchExpression, QuotesEachPhrase) {
    EXPECT_EQ(matchExpression({"RE 16", "NOT"}), "\"RE 16\" AND \"NOT\"");
    EXPECT_EQ(matchExpression({}), "");
}

TEST(NamedPath, LeavesExtensionAndRootOut) {
    const NamedPath named = namedPath("/home/cats/garden/2019/red-frog.cat.png", "/home/cats");
    EXPECT_EQ(named.name, "red frog cat");
    EXPECT_EQ(named.folders, "garden 2019");
    EXPECT_EQ(namedPath("/home/cats/frog.png", "/home/cats").folders, "");
}

}  // namespace
}  // namespace bifocal::library
