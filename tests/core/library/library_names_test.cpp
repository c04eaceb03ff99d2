// SPDX-License-Identifier: Apache-2.0
#include "core/library/internal/name_words.h"
#include "core/library/library.h"
#include "tests/core/library/library_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace bifocal::library {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class LibraryNamesTest : public ::testing::Test {
protected:
    void SetUp() override {
        library_ = openOrFail(folder_.path(), LibraryAccess::Write);
        collection_ = *library_->addCollection("/pictures");
    }

    void add(const std::string& name) {
        paths_.push_back("/pictures/" + name);
        LibraryChange change;
        change.upserts = {fileOf(collection_, paths_.back(), paths_.size())};
        ASSERT_TRUE(library_->apply(change));
    }

    /// Names of the files that match, strongest first.
    std::vector<std::string> named(const std::string& text, std::size_t atMost = 1000) {
        const auto matches = library_->filesNamed(text, atMost);
        EXPECT_TRUE(matches) << matches.error().message;
        std::vector<std::string> names;
        for (const NameMatch& match : *matches) {
            const auto files = *library_->filesWithContent(match.content);
            names.push_back(files.front().path.lexically_relative("/pictures").native());
        }
        return names;
    }

    TemporaryFolder folder_;
    std::unique_ptr<Library> library_;
    CollectionId collection_;
    std::vector<std::filesystem::path> paths_;
};

TEST_F(LibraryNamesTest, TheFilesOwnNameComesBeforeItsFolders) {
    add("frogs/IMG_0001.png");
    add("old red frog.png");
    add("frog.png");
    add("toad.png");

    EXPECT_THAT(named("frog"), ElementsAre("frog.png", "old red frog.png", "frogs/IMG_0001.png"));
    const auto matches = *library_->filesNamed("frog", 10);
    EXPECT_TRUE(matches[1].isOwnName);
    EXPECT_FALSE(matches[2].isOwnName);
    EXPECT_GT(matches[0].strength, matches[1].strength);
    EXPECT_GT(matches[1].strength, 0.5F);
    EXPECT_LT(matches[2].strength, 0.5F);
}

TEST_F(LibraryNamesTest, CaseAccentsAndEndingsDoNotMatter) {
    add("Café Flowers.png");

    EXPECT_THAT(named("cafe flower"), ElementsAre("Café Flowers.png"));
    EXPECT_THAT(named("CAFÉ"), ElementsAre("Café Flowers.png"));
}

TEST_F(LibraryNamesTest, ChineseNamesAreFoundByAnyPart) {
    add("上海红花.png");
    add("花红.png");

    EXPECT_THAT(named("红花"), ElementsAre("上海红花.png"));
    EXPECT_THAT(named("花"), UnorderedElementsAre("上海红花.png", "花红.png"));
}

TEST_F(LibraryNamesTest, ASerialNumberIsFoundAndItsFragmentsAreNot) {
    add("3f2a9cde11b0.png");
    add("RE16 TGK.png");
    add("RE17.png");

    EXPECT_THAT(named("3f2a9cde11b0"), ElementsAre("3f2a9cde11b0.png"));
    EXPECT_THAT(named("cde"), IsEmpty());
    EXPECT_THAT(named("RE16"), ElementsAre("RE16 TGK.png"));
    EXPECT_THAT(named("vitamin 3"), IsEmpty());
}

TEST_F(LibraryNamesTest, WhatTooManyNamesShareTellsNothing) {
    for (int i = 0; i < 12; ++i) {
        add("IMG_" + std::to_string(1000 + i) + ".png");
    }

    EXPECT_THAT(named("img", 11), IsEmpty());
    EXPECT_EQ(named("img", 12).size(), 12U);
    EXPECT_THAT(named("IMG_1003", 11), ElementsAre("IMG_1003.png"));
}

TEST_F(LibraryNamesTest, TextOfAnyKindIsAQueryNotACommand) {
    add("not or near.png");

    for (const std::string text : {"",
                                   " ",
                                   "the",
                                   "\"",
                                   "*",
                                   "name:x",
                                   "a OR b",
                                   "(",
                                   "-",
                                   "NEAR(",
                                   "'; DROP TABLE files; --",
                                   "\xff\xfe",
                                   "^x"}) {
        EXPECT_TRUE(library_->filesNamed(text, 10)) << text;
    }
    EXPECT_THAT(named("NOT"), ElementsAre("not or near.png"));
}

TEST_F(LibraryNamesTest, NamesGoWithTheirFilesAndSurviveAChange) {
    add("frog.png");
    add("toad.png");
    LibraryChange change;
    change.upserts = {fileOf(collection_, paths_[0], 77)};  // other pixels under the same name
    change.removals = {library_->fileAt(paths_[1])->value().id};
    ASSERT_TRUE(library_->apply(change));

    EXPECT_THAT(named("frog"), ElementsAre("frog.png"));
    EXPECT_THAT(named("toad"), IsEmpty());
    add("toad.png");  // comes again, and then cannot be read any more
    ASSERT_THAT(named("toad"), ElementsAre("toad.png"));
    LibraryChange broken;
    broken.failures = {{collection_, paths_[1], {}, ErrorCode::Corruption, "cut off"}};
    ASSERT_TRUE(library_->apply(broken));
    EXPECT_THAT(named("toad"), IsEmpty());
    ASSERT_TRUE(library_->removeCollection(collection_));
    EXPECT_THAT(named("frog"), IsEmpty());
    EXPECT_THAT(library_->check()->problems, IsEmpty());
}

TEST_F(LibraryNamesTest, MoreWordsNeverFindMore) {
    const std::vector<std::string> words{
        "red", "frog", "IMG", "2019", "tree", "a1b2c3", "花", "the", "RE16", "zebra", "-", "Frogs"};
    std::mt19937 random(20'250'101);
    const auto pick = [&] { return words[random() % words.size()]; };
    for (int i = 0; i < 200; ++i) {
        add(pick() + "/" + std::to_string(i) + "/" + pick() + "_" + pick() + ".png");
    }
    for (int turn = 0; turn < 300; ++turn) {
        std::string text = pick();
        const auto listOf = [&] {
            const auto names = named(text);
            return std::set<std::string>(names.begin(), names.end());
        };
        std::set<std::string> before = listOf();
        for (int more = 0; more < 3; ++more) {
            const bool asked = !namePhrases(text).empty();
            text += " " + pick();
            const std::set<std::string> after = listOf();
            if (asked) {  // of words that ask for nothing nothing is found at first
                EXPECT_TRUE(std::includes(before.begin(), before.end(), after.begin(), after.end()))
                    << text;
            }
            before = after;
        }
    }
}

}  // namespace
}  // namespace bifocal::library
