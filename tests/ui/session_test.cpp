// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/session.h"

#include "tests/ui/drafts.h"
#include "tests/ui/fake_engine.h"

#include <QCoreApplication>
#include <QSignalSpy>

#include <gtest/gtest.h>

namespace bifocal::ui {
namespace {

using test::draftOf;

class SessionTest : public testing::Test {
protected:
    void SetUp() override {
        engine_.addCollectionRecord("/pictures", 10);
        session_.start();
        engine_.browses.back().handler(
            std::vector<ResultRow>{test::FakeEngine::row(1, "a.png", 0, 0)});
        QCoreApplication::processEvents();
    }

    test::FakeEngine engine_;
    Session session_{engine_};
};

TEST_F(SessionTest, StartsWithTheNewestPicturesOfEverything) {
    EXPECT_EQ(session_.summary().state, AnswerSummary::State::Browsing);
    EXPECT_EQ(session_.results().rowCount(), 1);
    EXPECT_EQ(session_.summary().searchedCount, 10U);
}

TEST_F(SessionTest, FinalAnswerReplacesThePartialOneInPlace) {
    session_.search(draftOf("flower"));
    engine_.answer(
        engine_.submitted[0],
        PromptEventKind::Partial,
        {test::FakeEngine::row(1, "a.png", 0.3F, 0), test::FakeEngine::row(2, "b.png", 0.2F, 0)});
    QCoreApplication::processEvents();
    QSignalSpy resets(&session_.results(), &QAbstractItemModel::modelReset);

    engine_.answer(engine_.submitted[0],
                   PromptEventKind::Done,
                   {test::FakeEngine::row(2, "b.png", 0.4F, 0.3F),
                    test::FakeEngine::row(1, "a.png", 0.3F, 0)});
    QCoreApplication::processEvents();

    EXPECT_EQ(resets.count(), 0);
    EXPECT_EQ(session_.results().itemAt(0).file, FileId{2});
    EXPECT_EQ(session_.summary().state, AnswerSummary::State::Final);
}

TEST_F(SessionTest, EmptyPromptGoesBackToThePictures) {
    session_.search(draftOf("flower"));
    session_.search({});

    EXPECT_EQ(engine_.cancelled, std::vector<RequestId>{engine_.submitted[0].request});
    EXPECT_EQ(engine_.browses.size(), 2U);
}

TEST_F(SessionTest, ChosenCollectionNarrowsThePrompt) {
    session_.search(draftOf("flower"));
    session_.selectCollection(CollectionId{1});

    ASSERT_EQ(engine_.submitted.size(), 2U);
    EXPECT_EQ(engine_.submitted[1].prompt.filters.collections,
              std::vector<CollectionId>{CollectionId{1}});
}

TEST_F(SessionTest, RefusedPromptIsKeptAsAMessage) {
    engine_.submitError = Error{ErrorCode::Busy, "queue full"};

    session_.search(draftOf("flower"));

    EXPECT_EQ(session_.summary().state, AnswerSummary::State::Failed);
    ASSERT_EQ(session_.messages().rowCount(), 1);
    EXPECT_EQ(session_.messages().itemAt(0).action, MessageItem::Action::Retry);
}

TEST_F(SessionTest, NextPageIsAppended) {
    std::vector<ResultRow> page;
    for (int i = 1; i <= Session::kPageRows; ++i) {
        page.push_back(test::FakeEngine::row(i, std::to_string(i) + ".png", 0, 0));
    }
    session_.search({});
    engine_.browses.back().handler(page);
    QCoreApplication::processEvents();
    ASSERT_TRUE(session_.results().canFetchMore({}));

    session_.results().fetchMore({});
    ASSERT_EQ(engine_.browses.back().offset, std::size_t{Session::kPageRows});
    engine_.browses.back().handler(
        std::vector<ResultRow>{test::FakeEngine::row(Session::kPageRows + 1, "last.png", 0, 0)});
    QCoreApplication::processEvents();

    EXPECT_EQ(session_.results().rowCount(), Session::kPageRows + 1);
    EXPECT_FALSE(session_.results().canFetchMore({}));
}

}  // namespace
}  // namespace bifocal::ui
