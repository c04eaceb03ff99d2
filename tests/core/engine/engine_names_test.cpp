// SPDX-License-Identifier: Apache-2.0
#include "tests/core/engine/engine_fixture.h"

#include <algorithm>
#include <set>

namespace bifocal::test {
namespace {

/// Pictures whose names and pixels say different things.
class EngineNamesTest : public EngineTest {
protected:
    void SetUp() override {
        EngineTest::SetUp();
        add("red.png", solidImage(40, 40, 255, 0, 0));
        add("zeppelin.png", solidImage(40, 40, 0, 0, 255));
        for (int i = 0; i < 30; ++i) {
            add("IMG_" + std::to_string(1000 + i) + ".png", numbered(i));
        }
        indexed(*engine_);
    }

    static const ResultRow* rowOf(const PromptEvent& event, const std::string& name) {
        const auto& rows = event.results->rows;
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const ResultRow& row) {
            return row.file.path.filename() == name;
        });
        return found == rows.end() ? nullptr : &*found;
    }
};

TEST_F(EngineNamesTest, AWordThatOnlyANameHoldsFindsItAndSaysWhy) {
    const PromptEvent end = ask(*engine_, words("zeppelin"));

    ASSERT_EQ(end.kind, PromptEventKind::Done);
    const ResultRow* row = rowOf(end, "zeppelin.png");
    ASSERT_NE(row, nullptr);
    EXPECT_LT(row - end.results->rows.data(), 2);
    EXPECT_GT(row->name.share, 0.0F);
    EXPECT_TRUE(row->name.isOwnName);
    EXPECT_LE(row->confidence, Confidence::Fair);
    EXPECT_NE(end.results->answer, Answer::None);
    EXPECT_EQ(std::count_if(end.results->rows.begin(),
                            end.results->rows.end(),
                            [](const ResultRow& other) { return other.name.share > 0; }),
              1);
}

TEST_F(EngineNamesTest, WhatIsSeenAndCalledTheSameIsBeforeWhatIsOnlySeen) {
    add("b.png", solidImage(40, 40, 250, 0, 0));
    indexed(*engine_);

    EXPECT_EQ(names(ask(*engine_, words("red"))).front(), "red.png");
}

TEST_F(EngineNamesTest, WithoutWeightNamesPlayNoPart) {
    Prompt prompt = words("zeppelin");
    prompt.nameWeight = 0;

    const PromptEvent end = ask(*engine_, prompt);

    ASSERT_EQ(end.kind, PromptEventKind::Done);
    for (const ResultRow& row : end.results->rows) {
        EXPECT_EQ(row.name.share, 0.0F);
    }
    prompt.nameWeight = 1.5;
    PromptRecorder recorder;
    EXPECT_EQ(engine_->submit(prompt, recorder.handler()).error().code, ErrorCode::InvalidArgument);
}

TEST_F(EngineNamesTest, APictureAloneAndABalanceAtLooksAskForNoNames) {
    Prompt prompt = picture(pictures() / "red.png");
    prompt.text = "zeppelin";
    prompt.balance = 1;

    const PromptEvent end = ask(*engine_, prompt);

    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_EQ(rowOf(end, "zeppelin.png")->name.share, 0.0F);
}

TEST_F(EngineNamesTest, ANegativeTakesItsNamesAway) {
    Prompt prompt = words("zeppelin");
    prompt.negatives = {"zeppelin"};

    const PromptEvent end = ask(*engine_, prompt);

    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_EQ(rowOf(end, "zeppelin.png")->name.share, 0.0F);
}

TEST_F(EngineNamesTest, MoreResultsDoNotChangeTheOrderOfTheFirst) {
    Prompt few = words("img 1003");
    few.resultCount = 3;
    Prompt many = few;
    many.resultCount = 1000;

    const auto first = names(ask(*engine_, few));
    const auto all = names(ask(*engine_, many));

    ASSERT_EQ(first.size(), 3U);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 32U);
}

TEST_F(EngineNamesTest, AStricterAnswerIsAPartOfALaxerOne) {
    for (const std::string text : {"red", "zeppelin", "green blue", "img 1007", "qwertyzxcv"}) {
        Prompt prompt = words(text);
        std::vector<std::string> laxer = names(ask(*engine_, prompt));
        const std::size_t all = laxer.size();
        for (const Strictness strictness : {Strictness::Fair, Strictness::Strong}) {
            prompt.strictness = strictness;
            const PromptEvent end = ask(*engine_, prompt);
            ASSERT_EQ(end.kind, PromptEventKind::Done);
            const std::vector<std::string> stricter = names(end);
            for (const std::string& name : stricter) {
                EXPECT_NE(std::find(laxer.begin(), laxer.end(), name), laxer.end()) << text;
            }
            for (const ResultRow& row : end.results->rows) {
                EXPECT_LE(row.confidence,
                          strictness == Strictness::Fair ? Confidence::Fair : Confidence::Strong);
            }
            EXPECT_EQ(stricter.size() + end.results->hiddenCount, all) << text;
            laxer = stricter;
        }
    }
}

TEST_F(EngineNamesTest, AFilterHoldsForNamesAsWell) {
    const auto other = folder_.path() / "other";
    ASSERT_TRUE(makeDirectories(other));
    const auto collection = engine_->addCollection(other);
    ASSERT_TRUE(collection);
    Prompt prompt = words("zeppelin");
    prompt.filters.collections = {*collection};

    const PromptEvent end = ask(*engine_, prompt);

    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_TRUE(end.results->rows.empty());
}

}  // namespace
}  // namespace bifocal::test
