// SPDX-License-Identifier: Apache-2.0
#include "ui/models/collection_model.h"
#include "ui/models/failure_model.h"
#include "ui/models/message_list_model.h"
#include "ui/models/profiler_series.h"
#include "ui/models/request_model.h"
#include "ui/models/result_model.h"
#include "ui/models/roles.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <gtest/gtest.h>

namespace bifocal::ui {
namespace {

using TesterMode = QAbstractItemModelTester::FailureReportingMode;

ResultItem resultItem(int number, float words = 0.5F, float looks = 0.25F) {
    ResultItem item;
    item.file = FileId{static_cast<std::uint64_t>(number)};
    item.content.bytes[0] = static_cast<std::uint8_t>(number);
    item.path = "/pictures/" + std::to_string(number) + ".png";
    item.words = words;
    item.looks = looks;
    item.fit = Fit::Fair;
    return item;
}

QList<ResultItem> resultItems(std::initializer_list<int> numbers) {
    QList<ResultItem> items;
    for (const int number : numbers) {
        items.append(resultItem(number));
    }
    return items;
}

QList<int> numbersOf(const ResultModel& model) {
    QList<int> numbers;
    for (int row = 0; row < model.rowCount(); ++row) {
        numbers.append(static_cast<int>(model.itemAt(row).file.value));
    }
    return numbers;
}

/// A result model under Qt's own tester, which aborts the test on any broken promise of a model.
class ResultModelTest : public testing::Test {
protected:
    ResultModel model_;
    QAbstractItemModelTester tester_{&model_, TesterMode::Fatal};
};

TEST_F(ResultModelTest, NewAnswerIsOneReset) {
    QSignalSpy resets(&model_, &QAbstractItemModel::modelReset);

    model_.replace(resultItems({1, 2, 3}));

    EXPECT_EQ(resets.count(), 1);
    EXPECT_EQ(numbersOf(model_), (QList<int>{1, 2, 3}));
}

TEST_F(ResultModelTest, RefiningMovesInsertsAndRemovesWithoutReset) {
    model_.replace(resultItems({1, 2, 3, 4}));
    QSignalSpy resets(&model_, &QAbstractItemModel::modelReset);
    QSignalSpy moves(&model_, &QAbstractItemModel::rowsMoved);
    QSignalSpy inserts(&model_, &QAbstractItemModel::rowsInserted);
    QSignalSpy removals(&model_, &QAbstractItemModel::rowsRemoved);

    model_.refine(resultItems({3, 1, 5, 4}));

    EXPECT_EQ(numbersOf(model_), (QList<int>{3, 1, 5, 4}));
    EXPECT_EQ(resets.count(), 0);
    EXPECT_EQ(moves.count(), 1);
    EXPECT_EQ(inserts.count(), 1);
    EXPECT_EQ(removals.count(), 1);
}

TEST_F(ResultModelTest, PersistentIndexFollowsItsPictureWhileRefining) {
    model_.replace(resultItems({1, 2, 3}));
    const QPersistentModelIndex two(model_.index(1));

    model_.refine(resultItems({4, 3, 1, 2}));

    EXPECT_EQ(two.row(), 3);
}

TEST_F(ResultModelTest, PinnedRowStaysWhileRefining) {
    model_.replace(resultItems({1, 2, 3}));
    model_.setPinnedRow(1);

    model_.refine(resultItems({3, 1, 4, 2}));

    EXPECT_EQ(model_.itemAt(1).file, FileId{2});
    EXPECT_EQ(numbersOf(model_), (QList<int>{3, 2, 1, 4}));
}

TEST_F(ResultModelTest, OwnPictureIsFirstEvenWhenTheFirstRowIsPinned) {
    model_.replace(resultItems({1, 2}));
    model_.setPinnedRow(0);
    QList<ResultItem> final = resultItems({2, 1});
    final.first().isThisPicture = true;

    model_.refine(final);

    EXPECT_EQ(numbersOf(model_), (QList<int>{2, 1}));
    EXPECT_EQ(model_.index(0).data().toString(), QStringLiteral("this picture"));
}

TEST_F(ResultModelTest, AppendingIsOneInsertion) {
    model_.replace(resultItems({1}));
    QSignalSpy inserts(&model_, &QAbstractItemModel::rowsInserted);

    model_.append(resultItems({2, 3}));

    ASSERT_EQ(inserts.count(), 1);
    EXPECT_EQ(inserts.at(0).at(1).toInt(), 1);
    EXPECT_EQ(inserts.at(0).at(2).toInt(), 2);
}

TEST_F(ResultModelTest, ThumbnailIsWantedOnceAndArrivesAsOneRole) {
    model_.replace(resultItems({1, 2}));
    QSignalSpy wanted(&model_, &ResultModel::thumbnailWanted);
    QSignalSpy changes(&model_, &QAbstractItemModel::dataChanged);
    QImage image(4, 4, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::red);

    EXPECT_FALSE(model_.index(0).data(ThumbnailRole).isValid());
    EXPECT_FALSE(model_.index(0).data(ThumbnailRole).isValid());
    model_.setThumbnail(model_.itemAt(0).content, image);

    EXPECT_EQ(wanted.count(), 1);
    ASSERT_EQ(changes.count(), 1);
    EXPECT_EQ(changes.at(0).at(0).toModelIndex().row(), 0);
    EXPECT_EQ(changes.at(0).at(2).value<QList<int>>(), QList<int>{ThumbnailRole});
    EXPECT_EQ(model_.index(0).data(ThumbnailRole).value<QImage>(), image);
}

TEST_F(ResultModelTest, FailedThumbnailIsSaidAndNotAskedForAgain) {
    model_.replace(resultItems({1}));
    EXPECT_FALSE(model_.index(0).data(ThumbnailRole).isValid());
    QSignalSpy wanted(&model_, &ResultModel::thumbnailWanted);
    QSignalSpy changes(&model_, &QAbstractItemModel::dataChanged);

    model_.setThumbnailFailed(model_.itemAt(0).content);

    ASSERT_EQ(changes.count(), 1);
    EXPECT_EQ(changes.at(0).at(2).value<QList<int>>(), QList<int>{ThumbnailFailedRole});
    EXPECT_TRUE(model_.index(0).data(ThumbnailFailedRole).toBool());
    EXPECT_FALSE(model_.index(0).data(ThumbnailRole).isValid());
    EXPECT_EQ(wanted.count(), 0);
}

TEST_F(ResultModelTest, ForgottenRequestMayBeAskedForAgain) {
    model_.replace(resultItems({1}));
    QSignalSpy wanted(&model_, &ResultModel::thumbnailWanted);
    EXPECT_FALSE(model_.index(0).data(ThumbnailRole).isValid());

    model_.forgetThumbnailRequest(model_.itemAt(0).content);
    EXPECT_FALSE(model_.index(0).data(ThumbnailRole).isValid());

    EXPECT_EQ(wanted.count(), 2);
}

TEST_F(ResultModelTest, BarIsRelativeToTheBestRowAndNegativePartsAreNothing) {
    model_.replace({resultItem(1, 0.6F, 0.2F), resultItem(2, 0.4F, -0.1F)});

    EXPECT_NEAR(model_.index(0).data(WordsShareRole).toDouble(), 0.75, 1e-6);
    EXPECT_NEAR(model_.index(0).data(LooksShareRole).toDouble(), 0.25, 1e-6);
    EXPECT_NEAR(model_.index(1).data(WordsShareRole).toDouble(), 0.5, 1e-6);
    EXPECT_EQ(model_.index(1).data(LooksShareRole).toDouble(), 0);
}

TEST_F(ResultModelTest, PagesAreAskedForOneAtATimeAndOnlyWhileThereAreMore) {
    model_.replace(resultItems({1, 2}));
    EXPECT_FALSE(model_.canFetchMore({}));
    model_.setPaging(ResultModel::Paging::MayHaveMore);
    QSignalSpy pages(&model_, &ResultModel::pageWanted);

    model_.fetchMore({});
    model_.fetchMore({});

    ASSERT_EQ(pages.count(), 1);
    EXPECT_EQ(pages.at(0).at(0).toInt(), 2);
    model_.setPaging(ResultModel::Paging::Complete);
    EXPECT_FALSE(model_.canFetchMore({}));
}

TEST_F(ResultModelTest, ForeignIndexHasNoData) {
    ResultModel other;
    other.replace(resultItems({1}));
    model_.replace(resultItems({1}));

    EXPECT_EQ(model_.item(other.index(0)), nullptr);
    EXPECT_EQ(model_.item(QModelIndex()), nullptr);
    EXPECT_NE(model_.item(model_.index(0)), nullptr);
}

CollectionItem collection(std::uint64_t id, const char* name, std::uint64_t files) {
    CollectionItem item;
    item.id = CollectionId{id};
    item.name = QString::fromUtf8(name);
    item.fileCount = files;
    return item;
}

TEST(CollectionModelTest, FirstRowIsEverythingAndAddsUp) {
    CollectionModel model;
    const QAbstractItemModelTester tester(&model, TesterMode::Fatal);
    QSignalSpy inserts(&model, &QAbstractItemModel::rowsInserted);

    model.setCollections({collection(1, "Pictures", 11612), collection(2, "Stamps", 796)});

    EXPECT_EQ(inserts.count(), 2);
    ASSERT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.index(0).data().toString(), QStringLiteral("Everything"));
    EXPECT_EQ(model.index(0).data(CountRole).toULongLong(), 12408U);
}

TEST(CollectionModelTest, OnlyWhatDiffersIsSignalled) {
    CollectionModel model;
    model.setCollections({collection(1, "Pictures", 10), collection(2, "Stamps", 20)});
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    QSignalSpy removals(&model, &QAbstractItemModel::rowsRemoved);

    model.setCollections({collection(1, "Pictures", 10), collection(2, "Stamps", 20)});
    EXPECT_EQ(changes.count(), 0);
    model.setCollections({collection(2, "Stamps", 20)});

    EXPECT_EQ(removals.count(), 1);
    ASSERT_EQ(changes.count(), 1);  // everything is fewer now
    EXPECT_EQ(changes.at(0).at(0).toModelIndex().row(), 0);
}

TEST(CollectionModelTest, ScanIsToldInFigures) {
    CollectionModel model;
    CollectionItem item = collection(2, "Stamps", 500);
    item.scan = ScanState::Indexing;
    item.foundCount = 796;
    item.doneCount = 509;
    item.picturesPerSecond = 41.3;
    item.secondsLeft = 6.9;

    model.setCollections({item});

    EXPECT_EQ(model.index(1).data(ProgressTextRole).toString(),
              QStringLiteral("509 of 796 · 41/s · 7 s left"));
    EXPECT_NEAR(model.index(1).data(ProgressRole).toDouble(), 509.0 / 796, 1e-9);
    EXPECT_FALSE(model.index(0).data(ProgressRole).isValid());
    EXPECT_EQ(model.namesBeingScanned(), QStringList{QStringLiteral("Stamps")});
}

TEST(CollectionModelTest, PausedScanHasNoRateAndIsNotBeingScanned) {
    CollectionModel model;
    CollectionItem item = collection(2, "Stamps", 500);
    item.scan = ScanState::Paused;
    item.foundCount = 796;
    item.doneCount = 509;
    item.picturesPerSecond = 41.3;

    model.setCollections({item});

    EXPECT_EQ(model.index(1).data(ProgressTextRole).toString(),
              QStringLiteral("509 of 796 · paused"));
    EXPECT_TRUE(model.namesBeingScanned().isEmpty());
}

TEST(CollectionModelTest, FailureCountIsAnnouncedWhenItChanges) {
    CollectionModel model;
    QSignalSpy counts(&model, &CollectionModel::failureCountChanged);
    CollectionItem item = collection(2, "Stamps", 500);
    item.failureCount = 3;

    model.setCollections({item});
    model.setCollections({item});

    ASSERT_EQ(counts.count(), 1);
    EXPECT_EQ(counts.at(0).at(0).toULongLong(), 3U);
}

TEST(FailureModelTest, EqualListChangesNothing) {
    FailureModel model;
    const QAbstractItemModelTester tester(&model, TesterMode::Fatal);
    const QList<FailureItem> failures{
        {CollectionId{1}, "/pictures/a.png", QStringLiteral("it is damaged"), QStringLiteral("x")}};
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);

    model.setFailures(failures);
    model.setFailures(failures);

    EXPECT_EQ(resets.count(), 1);
    EXPECT_EQ(model.index(0).data().toString(), QStringLiteral("a.png"));
    EXPECT_EQ(model.index(0).data(ReasonRole).toString(), QStringLiteral("it is damaged"));
}

RequestItem request(std::uint64_t id, double ms, RequestState state = RequestState::Done) {
    RequestItem item;
    item.id = id;
    item.label = QStringLiteral("“flower”");
    item.totalMs = ms;
    item.state = state;
    return item;
}

TEST(RequestModelTest, NewOnesComeFirstAndOldOnesLeave) {
    RequestModel model;
    const QAbstractItemModelTester tester(&model, TesterMode::Fatal);
    model.setRequests({request(2, 20), request(1, 10)});
    QSignalSpy inserts(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy removals(&model, &QAbstractItemModel::rowsRemoved);
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);

    model.setRequests({request(3, 30), request(2, 20)});

    EXPECT_EQ(inserts.count(), 1);
    EXPECT_EQ(removals.count(), 1);
    EXPECT_EQ(changes.count(), 0);
    EXPECT_EQ(model.itemAt(0).id, 3U);
    EXPECT_EQ(model.longestMs(RequestClass::Interactive), 30);
}

TEST(RequestModelTest, EndOfARunningRequestIsOneChange) {
    RequestModel model;
    model.setRequests({request(2, 20), request(1, 10, RequestState::Running)});
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);

    model.setRequests({request(2, 20), request(1, 12, RequestState::Superseded)});

    ASSERT_EQ(changes.count(), 1);
    EXPECT_EQ(changes.at(0).at(0).toModelIndex().row(), 1);
    EXPECT_EQ(model.index(1).data(ClassTextRole).toString(), QStringLiteral("superseded"));
}

TEST(MessageListModelTest, SameSentenceIsListedOnceUntilDismissed) {
    MessageListModel model;
    const QAbstractItemModelTester tester(&model, TesterMode::Fatal);
    QSignalSpy inserts(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy removals(&model, &QAbstractItemModel::rowsRemoved);
    MessageItem message;
    message.text = QStringLiteral("The disk is full.");

    model.add(message);
    model.add(message);
    EXPECT_EQ(model.rowCount(), 1);
    model.dismiss(0);
    model.add(message);

    EXPECT_EQ(inserts.count(), 2);
    EXPECT_EQ(removals.count(), 1);
}

TEST(ProfilerSeriesTest, KeepsOneMinute) {
    ProfilerSeries series;
    QSignalSpy changed(&series, &ProfilerSeries::changed);
    SampleItem old;
    old.secondsAgo = 61;
    SampleItem now;
    now.secondsAgo = 0;
    now.vramBytes = 5;

    series.setSamples({old, now});

    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(series.samples().size(), 1);
    EXPECT_TRUE(series.hasVram());
}

}  // namespace
}  // namespace bifocal::ui
