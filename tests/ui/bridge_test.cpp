// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/drafts.h"
#include "tests/ui/fake_engine.h"
#include "ui/bridge/engine_bridge.h"
#include "ui/bridge/engine_text.h"
#include "ui/bridge/error_text.h"
#include "ui/bridge/image_convert.h"
#include "ui/bridge/post_queue.h"
#include "ui/bridge/session.h"
#include "ui/bridge/stall_monitor.h"

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace bifocal::ui {
namespace {

using test::draftOf;
using test::FakeEngine;

/// Runs `call` on a thread of its own, as the engine would, and waits for it.
template <typename Call>
void onAnotherThread(Call call) {
    std::thread(call).join();
}

void runEvents() {
    QCoreApplication::processEvents();
}

/// Changes of the library are made on another thread: waits for them and hears what they said.
void settle(EngineBridge& bridge) {
    bridge.finishChanges();
    runEvents();
}

TEST(PostQueueTest, RunsCallsInOrderOnQtsThread) {
    const auto queue = PostQueue::make();
    std::vector<int> order;
    bool isOnQtsThread = true;

    onAnotherThread([&] {
        for (int i = 0; i < 3; ++i) {
            queue->post([&, i] {
                order.push_back(i);
                isOnQtsThread = isOnQtsThread && QThread::currentThread() == qApp->thread();
            });
        }
    });
    EXPECT_TRUE(order.empty());
    runEvents();

    EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
    EXPECT_TRUE(isOnQtsThread);
    queue->close();
}

TEST(PostQueueTest, NothingRunsAfterClosing) {
    const auto queue = PostQueue::make();
    int count = 0;
    queue->post([&] {
        ++count;
        queue->close();
    });
    queue->post([&] { ++count; });
    runEvents();
    queue->post([&] { ++count; });
    runEvents();

    EXPECT_EQ(count, 1);
}

TEST(PostQueueTest, TakesCallsFromManyThreads) {
    const auto queue = PostQueue::make();
    std::atomic<int> done = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) {
                queue->post([&] { ++done; });
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    runEvents();

    EXPECT_EQ(done, 2000);
    queue->close();
}

TEST(ImageConvertTest, PixelsSurviveTheRoundTrip) {
    ImageBuffer image = FakeEngine::picture(3, 10, 200, 30);
    image.rgba[3] = 255;

    const ImageBuffer back = toImageBuffer(toQImage(image));

    EXPECT_EQ(back.width, 3);
    EXPECT_EQ(back.rgba, image.rgba);
    EXPECT_TRUE(toQImage({}).isNull());
    EXPECT_TRUE(toImageBuffer({}).isEmpty());
}

TEST(ErrorTextTest, EveryCodeHasASentenceThatIsNotTheEnginesMessage) {
    for (int code = 1; code <= static_cast<int>(ErrorCode::Internal); ++code) {
        for (int doing = 1; doing <= static_cast<int>(Doing::Exporting); ++doing) {
            const MessageItem message =
                errorText({static_cast<ErrorCode>(code), "raw message"}, static_cast<Doing>(doing));
            EXPECT_FALSE(message.text.isEmpty()) << code << " " << doing;
            EXPECT_FALSE(message.text.contains(QLatin1String("raw"))) << code << " " << doing;
            EXPECT_EQ(message.detail, QStringLiteral("raw message"));
        }
    }
}

class EngineBridgeTest : public testing::Test {
protected:
    FakeEngine engine_;
    std::unique_ptr<EngineBridge> bridge_ = std::make_unique<EngineBridge>(engine_);
    QSignalSpy answered_{bridge_.get(), &EngineBridge::answered};
    QSignalSpy searchFailed_{bridge_.get(), &EngineBridge::searchFailed};
    QSignalSpy errors_{bridge_.get(), &EngineBridge::errorRaised};
};

TEST_F(EngineBridgeTest, PromptReachesTheEngineAsItWasDrafted) {
    PromptDraft draft = draftOf("  a flower ");
    draft.minus = {QStringLiteral("tree")};
    draft.balance = 0.25;
    draft.picture = std::filesystem::path("/pictures/a.png");
    draft.collection = CollectionId{3};

    bridge_->submit(draft);

    ASSERT_EQ(engine_.submitted.size(), 1U);
    const Prompt& prompt = engine_.submitted[0].prompt;
    EXPECT_EQ(prompt.text, "a flower");
    EXPECT_EQ(prompt.negatives, std::vector<std::string>{"tree"});
    EXPECT_EQ(prompt.balance, 0.25);
    ASSERT_TRUE(prompt.image.has_value());
    EXPECT_EQ(std::get<ImageFile>(prompt.image->source).path, "/pictures/a.png");
    EXPECT_EQ(prompt.filters.collections, std::vector<CollectionId>{CollectionId{3}});
}

TEST_F(EngineBridgeTest, PartialAndFinalAnswersArriveOnQtsThread) {
    bridge_->submit(draftOf("flower"));

    onAnotherThread([&] {
        engine_.answer(
            engine_.submitted[0], PromptEventKind::Partial, {FakeEngine::row(1, "a.png", 0.3F, 0)});
        engine_.answer(
            engine_.submitted[0], PromptEventKind::Done, {FakeEngine::row(2, "b.png", 0.4F, 0.3F)});
    });
    EXPECT_EQ(answered_.count(), 0);
    runEvents();

    ASSERT_EQ(answered_.count(), 2);
    const auto partial = answered_.at(0).at(0).value<AnswerSummary>();
    const auto final = answered_.at(1).at(0).value<AnswerSummary>();
    EXPECT_EQ(partial.state, AnswerSummary::State::Partial);
    EXPECT_EQ(final.state, AnswerSummary::State::Final);
    EXPECT_EQ(final.strongCount, 1);
    EXPECT_EQ(final.searchedCount, 796U);
    EXPECT_EQ(answered_.at(1).at(1).value<QList<ResultItem>>().first().file, FileId{2});
}

TEST_F(EngineBridgeTest, LaterPromptSupersedesAndSilencesTheEarlierOne) {
    bridge_->submit(draftOf("flow"));
    bridge_->submit(draftOf("flower"));
    EXPECT_EQ(engine_.submitted[1].supersedes, engine_.submitted[0].request);

    engine_.answer(
        engine_.submitted[0], PromptEventKind::Done, {FakeEngine::row(1, "old.png", 0.5F, 0)});
    engine_.answer(
        engine_.submitted[1], PromptEventKind::Done, {FakeEngine::row(2, "new.png", 0.5F, 0)});
    runEvents();

    ASSERT_EQ(answered_.count(), 1);
    EXPECT_EQ(answered_.at(0).at(1).value<QList<ResultItem>>().first().file, FileId{2});
}

TEST_F(EngineBridgeTest, RefusedPromptFailsAtOnceAndStopsTheOneBefore) {
    bridge_->submit(draftOf("flower"));
    engine_.submitError = Error{ErrorCode::InvalidArgument, "empty prompt"};

    EXPECT_EQ(bridge_->submit(draftOf("…")), 0U);

    ASSERT_EQ(searchFailed_.count(), 1);
    EXPECT_EQ(engine_.cancelled, std::vector<RequestId>{engine_.submitted[0].request});
}

TEST_F(EngineBridgeTest, FailedPromptIsASentenceWithTheMessageAsDetail) {
    bridge_->submit(draftOf("flower"));

    engine_.fail(engine_.submitted[0], {ErrorCode::Unsupported, "script: Thai"});
    runEvents();

    ASSERT_EQ(searchFailed_.count(), 1);
    const auto message = searchFailed_.at(0).at(0).value<MessageItem>();
    EXPECT_EQ(message.detail, QStringLiteral("script: Thai"));
    EXPECT_FALSE(message.text.contains(QLatin1String("Thai")));
}

TEST_F(EngineBridgeTest, CancelledPromptSaysNothing) {
    bridge_->submit(draftOf("flower"));
    const auto asked = engine_.submitted[0];
    bridge_->cancelPrompt();

    engine_.answer(asked, PromptEventKind::Cancelled, {});
    runEvents();

    EXPECT_EQ(engine_.cancelled, std::vector<RequestId>{asked.request});
    EXPECT_EQ(answered_.count() + searchFailed_.count(), 0);
}

TEST_F(EngineBridgeTest, NothingArrivesAfterTheBridgeIsGone) {
    bridge_->submit(draftOf("flower"));
    engine_.answer(engine_.submitted[0], PromptEventKind::Done, {});
    const auto asked = engine_.submitted[0];

    bridge_.reset();
    runEvents();
    engine_.answer(asked, PromptEventKind::Done, {});
    runEvents();

    EXPECT_EQ(answered_.count(), 0);
}

TEST_F(EngineBridgeTest, FolderThatCannotBeAddedIsAMessageWithAnAction) {
    engine_.addError = Error{ErrorCode::NotFound, "/nowhere"};

    bridge_->addFolder("/nowhere");
    settle(*bridge_);

    ASSERT_EQ(errors_.count(), 1);
    EXPECT_EQ(errors_.at(0).at(0).value<MessageItem>().action, MessageItem::Action::ChooseFolder);
    EXPECT_TRUE(engine_.runs.empty());
}

TEST_F(EngineBridgeTest, ScanIsAnnouncedPausedResumedAndEnded) {
    QSignalSpy collections(bridge_.get(), &EngineBridge::collectionsChanged);
    QSignalSpy ended(bridge_.get(), &EngineBridge::indexingEnded);
    bridge_->addFolder("/pictures");
    settle(*bridge_);
    ASSERT_EQ(engine_.runs.size(), 1U);
    const CollectionId id = engine_.runs[0].collection;
    IndexProgress progress;
    progress.request = engine_.runs[0].request;
    progress.collection = id;
    progress.state = IndexState::Indexing;
    progress.foundCount = 10;
    progress.doneCount = 4;

    engine_.runs[0].handler(progress);
    runEvents();
    const auto item = collections.last().at(0).value<QList<CollectionItem>>().first();
    EXPECT_EQ(item.scan, ScanState::Indexing);
    EXPECT_EQ(item.doneCount, 4U);
    bridge_->pauseIndexing(id);
    bridge_->resumeIndexing(id);
    progress.state = IndexState::Done;
    engine_.runs[0].handler(progress);
    runEvents();

    EXPECT_EQ(engine_.paused, std::vector<RequestId>{engine_.runs[0].request});
    EXPECT_EQ(engine_.resumed, std::vector<RequestId>{engine_.runs[0].request});
    EXPECT_EQ(ended.count(), 1);
    EXPECT_EQ(collections.last().at(0).value<QList<CollectionItem>>().first().scan,
              ScanState::Idle);
}

TEST_F(EngineBridgeTest, ScanThatEndsBeforeItsRequestIsKnownIsOver) {
    QSignalSpy collections(bridge_.get(), &EngineBridge::collectionsChanged);
    engine_.addCollectionRecord("/pictures", 0);
    bridge_->refresh();
    engine_.endsIndexingAtOnce = true;
    bridge_->startIndexing(CollectionId{1});
    EXPECT_EQ(collections.last().at(0).value<QList<CollectionItem>>().first().scan,
              ScanState::Walking);
    settle(*bridge_);

    EXPECT_EQ(collections.last().at(0).value<QList<CollectionItem>>().first().scan,
              ScanState::Idle);
}

TEST_F(EngineBridgeTest, ScanThatCannotStartIsNotShown) {
    QSignalSpy collections(bridge_.get(), &EngineBridge::collectionsChanged);
    engine_.addCollectionRecord("/pictures", 0);
    bridge_->refresh();
    engine_.indexError = Error{ErrorCode::Busy, "pid 7"};

    bridge_->startIndexing(CollectionId{1});
    settle(*bridge_);

    EXPECT_EQ(errors_.count(), 1);
    EXPECT_EQ(collections.last().at(0).value<QList<CollectionItem>>().first().scan,
              ScanState::Idle);
}

TEST_F(EngineBridgeTest, WhatIsAskedForWhileAnotherProgramWritesIsDoneAfterwards) {
    engine_.addCollectionRecord("/pictures", 0);
    engine_.state.writerProcess = 7;
    engine_.indexError = Error{ErrorCode::Busy, "pid 7"};
    bridge_->startIndexing(CollectionId{1});
    settle(*bridge_);
    bridge_->addFolder("/more");
    settle(*bridge_);
    EXPECT_EQ(errors_.count(), 1) << "said once";
    bridge_->refresh();
    settle(*bridge_);
    EXPECT_TRUE(engine_.runs.empty()) << "it still writes";

    engine_.state.writerProcess.reset();
    engine_.indexError.reset();
    bridge_->refresh();
    settle(*bridge_);

    EXPECT_EQ(engine_.runs.size(), 2U);
    EXPECT_EQ(errors_.count(), 1);
}

TEST_F(EngineBridgeTest, HiddenWindowLetsTheEngineRest) {
    QSignalSpy changes(bridge_.get(), &EngineBridge::libraryChanged);
    bridge_->refresh();
    bridge_->setPresence(EngineBridge::Presence::Hidden);
    EXPECT_EQ(engine_.attention, Engine::Attention::Unwatched);

    ++engine_.state.libraryGeneration;
    bridge_->setPresence(EngineBridge::Presence::Shown);

    EXPECT_EQ(engine_.attention, Engine::Attention::Watched);
    EXPECT_EQ(changes.count(), 1) << "what was missed is caught up with";
}

TEST_F(EngineBridgeTest, HiddenWindowStillWaitsForAnotherProgram) {
    engine_.addCollectionRecord("/pictures", 0);
    bridge_->setPresence(EngineBridge::Presence::Hidden);
    engine_.state.writerProcess = 7;
    engine_.indexError = Error{ErrorCode::Busy, "pid 7"};
    bridge_->startIndexing(CollectionId{1});
    settle(*bridge_);
    EXPECT_EQ(engine_.attention, Engine::Attention::Watched);

    engine_.state.writerProcess.reset();
    engine_.indexError.reset();
    bridge_->refresh();
    settle(*bridge_);

    EXPECT_EQ(engine_.runs.size(), 1U);
    EXPECT_EQ(engine_.attention, Engine::Attention::Unwatched);
}

TEST_F(EngineBridgeTest, RemovedFolderIsGoneFromTheList) {
    QSignalSpy collections(bridge_.get(), &EngineBridge::collectionsChanged);
    engine_.addCollectionRecord("/pictures", 0);
    bridge_->refresh();

    bridge_->removeCollection(CollectionId{1});
    settle(*bridge_);

    EXPECT_TRUE(collections.last().at(0).value<QList<CollectionItem>>().isEmpty());
}

TEST_F(EngineBridgeTest, ScanThatFailsOrCannotStartIsAMessage) {
    bridge_->addFolder("/pictures");
    settle(*bridge_);
    const CollectionId id = engine_.runs[0].collection;
    IndexProgress progress;
    progress.collection = id;
    progress.state = IndexState::Failed;
    progress.error = Error{ErrorCode::ResourceExhausted, "disk full"};
    engine_.runs[0].handler(progress);
    runEvents();
    EXPECT_EQ(errors_.count(), 1);

    engine_.indexError = Error{ErrorCode::NotFound, "gone"};
    bridge_->startIndexing(id);
    settle(*bridge_);

    EXPECT_EQ(errors_.count(), 2);
}

TEST_F(EngineBridgeTest, FailuresAreListedOrTheErrorIsSaid) {
    QSignalSpy listed(bridge_.get(), &EngineBridge::failuresListed);
    FailureRecord record;
    record.path = "/pictures/broken.png";
    record.code = ErrorCode::Corruption;
    record.reason = "libpng: bad";

    bridge_->requestFailures();
    engine_.failureHandlers[0](std::vector<FailureRecord>{record});
    bridge_->requestFailures();
    engine_.failureHandlers[1](Error{ErrorCode::Corruption, "library.sqlite"});
    runEvents();

    ASSERT_EQ(listed.count(), 1);
    const auto item = listed.at(0).at(0).value<QList<FailureItem>>().first();
    EXPECT_EQ(item.reason, QStringLiteral("it is damaged"));
    EXPECT_EQ(item.detail, QStringLiteral("libpng: bad"));
    EXPECT_EQ(errors_.count(), 1);
}

TEST_F(EngineBridgeTest, OnlyTheLastBrowseIsHeard) {
    QSignalSpy browsed(bridge_.get(), &EngineBridge::browsed);
    bridge_->browse({}, 0, 10);
    bridge_->browse(CollectionId{2}, 0, 10);

    engine_.browses[0].handler(std::vector<ResultRow>{FakeEngine::row(1, "a.png", 0, 0)});
    engine_.browses[1].handler(std::vector<ResultRow>{FakeEngine::row(2, "b.png", 0, 0)});
    runEvents();

    ASSERT_EQ(browsed.count(), 1);
    const auto rows = browsed.at(0).at(2).value<QList<ResultItem>>();
    EXPECT_EQ(rows.first().file, FileId{2});
    EXPECT_EQ(rows.first().fit, Fit::None);
}

TEST_F(EngineBridgeTest, BrowsingThatFailsIsAMessage) {
    bridge_->browse({}, 0, 10);
    engine_.browses[0].handler(Error{ErrorCode::Internal, "disk"});
    runEvents();

    EXPECT_EQ(errors_.count(), 1);
}

TEST_F(EngineBridgeTest, PackThatFailsIsSaidOnce) {
    engine_.state.packState = PackState::Failed;
    engine_.state.pack.reset();
    engine_.state.packError = Error{ErrorCode::NotFound, "pack.json"};

    bridge_->refresh();
    bridge_->refresh();

    EXPECT_EQ(errors_.count(), 1);
}

TEST_F(EngineBridgeTest, TraceIsWrittenOffQtsThreadOrTheErrorIsSaid) {
    const QTemporaryDir folder;
    QSignalSpy exported(bridge_.get(), &EngineBridge::traceExported);
    engine_.writableProfiler().beginRequest(RequestId{1}, "“flower”", Urgency::Interactive);
    engine_.writableProfiler().endRequest(RequestId{1}, profile::Outcome::Done);

    bridge_->exportTrace(folder.filePath(QStringLiteral("trace.json")).toStdString(),
                         TraceFormat::Chrome);
    ASSERT_TRUE(exported.wait());
    bridge_->exportTrace(folder.filePath(QStringLiteral("no/such/folder.csv")).toStdString(),
                         TraceFormat::Csv);
    ASSERT_TRUE(errors_.wait());

    QFile file(folder.filePath(QStringLiteral("trace.json")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("traceEvents"));
}

TEST_F(EngineBridgeTest, ProfileFlowsOnlyWhileWatched) {
    QSignalSpy sampled(bridge_.get(), &EngineBridge::sampled);
    profile::Sample sample;
    sample.memory.residentBytes = 7;
    engine_.writableProfiler().addSample(sample);

    bridge_->refresh();
    EXPECT_EQ(sampled.count(), 0);
    bridge_->watchProfiler(EngineBridge::Watch::On);

    ASSERT_EQ(sampled.count(), 1);
    EXPECT_EQ(sampled.at(0).at(0).value<QList<SampleItem>>().first().residentBytes, 7U);
}

TEST_F(EngineBridgeTest, RequestsAreCalledInTheReadersWords) {
    QSignalSpy listed(bridge_.get(), &EngineBridge::requestsListed);
    profile::Profiler& profiler = engine_.writableProfiler();
    PromptDraft both = draftOf("yellow");
    both.picture = std::filesystem::path("/pictures/a.png");
    PromptDraft picture;
    picture.picture = both.picture;
    for (const PromptDraft& draft : {draftOf("flower"), both, picture}) {
        bridge_->submit(draft);
        profiler.beginRequest(engine_.submitted.back().request, "label", Urgency::Interactive);
    }
    bridge_->addFolder("/pictures/Stamps");
    settle(*bridge_);
    profiler.beginRequest(engine_.runs[0].request, "label", Urgency::Batch);
    profiler.beginRequest(RequestId{4711}, "of another window", Urgency::Interactive);

    bridge_->watchProfiler(EngineBridge::Watch::On);

    QStringList labels;
    for (const RequestItem& item : listed.last().at(0).value<QList<RequestItem>>()) {
        labels.prepend(item.label);
    }
    EXPECT_EQ(labels.join(QLatin1Char('|')).toStdString(),
              "“flower”|picture + “yellow”|picture|index Stamps|of another window");
}

TEST_F(EngineBridgeTest, DeviceIsSaidInASentenceOfTheWindows) {
    QSignalSpy device(bridge_.get(), &EngineBridge::deviceChanged);
    engine_.state.pack->deviceFacts = {DeviceReason::OnlyCpu, PrecisionReason::Bf16Missing};
    engine_.state.pack->deviceWhy = "raw";

    bridge_->refresh();

    ASSERT_EQ(device.count(), 1);
    EXPECT_EQ(device.at(0).at(0).value<DeviceItem>().why.toStdString(),
              "These models run on the CPU. This processor lacks BF16 (AVX-512 BF16).");
}

TEST(EngineTextTest, EveryFactHasASentenceAndUnknownStagesTheirName) {
    for (const auto device : {DeviceReason::OnlyCpu, DeviceReason::NoGpuFound}) {
        for (const auto precision : {PrecisionReason::AskedFor,
                                     PrecisionReason::Bf16Native,
                                     PrecisionReason::Bf16Missing}) {
            EXPECT_GT(deviceReasonText({device, precision}).count(QLatin1Char('.')), 1);
        }
    }
    EXPECT_EQ(stageText("encode_text"), QStringLiteral("encode text"));
    EXPECT_EQ(stageText("a_new_stage"), QStringLiteral("a new stage"));
}

TEST(StallMonitorTest, SeesABlockedLoop) {
    StallMonitor monitor;
    QSignalSpy stalled(&monitor, &StallMonitor::stalled);
    QElapsedTimer busy;
    busy.start();
    while (busy.elapsed() < 120) {
        // a call that does not come back
    }

    EXPECT_TRUE(stalled.wait(1000));
    EXPECT_GE(monitor.figures().stallCount, 1U);
    EXPECT_GT(monitor.figures().longestMs, 50);
}

}  // namespace
}  // namespace bifocal::ui
