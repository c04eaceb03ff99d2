// SPDX-License-Identifier: Apache-2.0
#include "core/base/files.h"
#include "core/index/vector_index.h"
#include "core/library/library.h"
#include "core/pipeline/library_check.h"
#include "core/pipeline/library_writer.h"
#include "tests/core/engine/engine_fixture.h"

#include <algorithm>
#include <cstdint>
#include <future>
#include <thread>

namespace bifocal::test {
namespace {

using EngineIndexTest = EngineTest;

TEST_F(EngineIndexTest, OnlyWhatChangedIsReadAgain) {
    for (int i = 0; i < 20; ++i) {
        add("a" + std::to_string(i) + ".png", numbered(i));
    }
    addText("notes.txt", "not a picture, and not named like one");
    IndexSummary first = indexed(*engine_);
    EXPECT_EQ(first.indexed, 20U);
    EXPECT_TRUE(first.failed.empty());

    IndexSummary again = indexed(*engine_);
    EXPECT_EQ(again.unchanged, 20U);
    EXPECT_EQ(again.indexed, 0U);

    const std::size_t batches = pack_->control().imageBatches().size();
    std::filesystem::rename(pictures() / "a0.png", pictures() / "moved.png");
    std::filesystem::remove(pictures() / "a1.png");
    add("a2.png", numbered(50));
    add("new.png", numbered(51));
    std::filesystem::copy(pictures() / "a3.png", pictures() / "copy.png");
    const IndexSummary changed = indexed(*engine_);
    EXPECT_EQ(changed.moved, 1U);
    EXPECT_EQ(changed.removed, 1U);
    EXPECT_EQ(changed.indexed, 3U) << "the changed one, the new one and the copy";
    EXPECT_EQ(changed.unchanged, 17U);
    std::size_t encoded = 0;
    const auto all = pack_->control().imageBatches();
    for (std::size_t i = batches; i < all.size(); ++i) {
        encoded += all[i];
    }
    EXPECT_EQ(encoded, 2U) << "moved and copied pictures keep their vector";
    EXPECT_EQ(engine_->status().pictureCount, 21U);
    const auto problems = engine_->check(SIZE_MAX);
    ASSERT_TRUE(problems);
    EXPECT_TRUE(problems->empty()) << problems->front();
}

TEST_F(EngineIndexTest, ABrokenFileNeverShiftsItsNeighbours) {
    for (int i = 0; i < 64; ++i) {
        add("p" + std::to_string(100 + i) + ".png", numbered(i));
    }
    const auto whole = readFile(pictures() / "p107.png");
    ASSERT_TRUE(whole);
    ASSERT_TRUE(
        writeFileAtomically(pictures() / "p107.png", std::span(*whole).first(whole->size() / 2)));
    const IndexSummary summary = indexed(*engine_);
    EXPECT_EQ(summary.indexed, 63U);
    ASSERT_EQ(summary.failed.size(), 1U);
    EXPECT_EQ(summary.failed.front().path.filename(), "p107.png");
    EXPECT_FALSE(summary.failed.front().reason.empty());
    const auto problems = engine_->check(SIZE_MAX);
    ASSERT_TRUE(problems);
    EXPECT_TRUE(problems->empty()) << problems->front();
}

TEST_F(EngineIndexTest, FailuresAreListedOnceAndRetriedOnRequest) {
    addText("zero.jpg", "");
    addText("text.png", "words");
    add("good.png", numbered(1));
    const IndexSummary first = indexed(*engine_);
    EXPECT_EQ(first.failed.size(), 2U);
    const IndexSummary second = indexed(*engine_);
    EXPECT_EQ(second.failed.size(), 2U) << "still listed";
    EXPECT_EQ(second.unchanged, 1U);

    std::promise<std::vector<FailureRecord>> promise;
    engine_->failures(std::nullopt, [&](Result<std::vector<FailureRecord>> records) {
        promise.set_value(records ? *records : std::vector<FailureRecord>{});
    });
    EXPECT_EQ(promise.get_future().get().size(), 2U);

    const auto collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    add("text.png", numbered(2));
    IndexRecorder recorder;
    ASSERT_TRUE(engine_->retryFailures(*collection, {}, recorder.handler()));
    const IndexProgress end = recorder.end();
    ASSERT_EQ(end.state, IndexState::Done);
    EXPECT_EQ(end.summary->indexed, 1U);
    EXPECT_EQ(end.summary->failed.size(), 1U);
}

TEST_F(EngineIndexTest, AFaultOfTheTowerFailsItsPicturesAndNothingElse) {
    add("one.png", numbered(1));
    pack_->control().setImageFault(FakeFault::NotFinite);
    const IndexSummary faulty = indexed(*engine_);
    ASSERT_EQ(faulty.failed.size(), 1U);
    pack_->control().setImageFault(FakeFault::None);
    const auto collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    IndexRecorder recorder;
    ASSERT_TRUE(engine_->retryFailures(*collection, {}, recorder.handler()));
    EXPECT_EQ(recorder.end().summary->indexed, 1U);
}

TEST_F(EngineIndexTest, AVanishedRootPurgesNothing) {
    add("one.png", numbered(1));
    ASSERT_EQ(indexed(*engine_).indexed, 1U);
    const auto collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    std::filesystem::rename(pictures(), folder_.path() / "unplugged");
    IndexRecorder recorder;
    ASSERT_TRUE(engine_->startIndexing(*collection, recorder.handler()));
    const IndexProgress end = recorder.end();
    ASSERT_EQ(end.state, IndexState::Failed);
    EXPECT_EQ(end.error->code, ErrorCode::NotFound);
    EXPECT_EQ(engine_->status().pictureCount, 1U);
    std::filesystem::rename(folder_.path() / "unplugged", pictures());
    EXPECT_EQ(indexed(*engine_).unchanged, 1U);
}

TEST_F(EngineIndexTest, ARenamedFolderTakesItsPicturesAlong) {
    for (int i = 0; i < 3; ++i) {
        add("p" + std::to_string(i) + ".png", numbered(i));
    }
    ASSERT_EQ(indexed(*engine_).indexed, 3U);
    const std::filesystem::path renamed = folder_.path() / "renamed";
    std::filesystem::rename(pictures(), renamed);
    const auto collection = engine_->addCollection(renamed);
    ASSERT_TRUE(collection);
    IndexRecorder recorder;
    ASSERT_TRUE(engine_->startIndexing(*collection, recorder.handler()));

    const IndexProgress end = recorder.end();

    ASSERT_EQ(end.state, IndexState::Done);
    EXPECT_EQ(end.summary->moved, 3U);
    EXPECT_EQ(engine_->status().pictureCount, 3U) << "each is listed once, where it is now";
    const auto problems = engine_->check(SIZE_MAX);
    ASSERT_TRUE(problems);
    EXPECT_EQ(problems->size(), 1U) << "the old folder, until it is forgotten";
}

TEST_F(EngineIndexTest, ARootThatVanishesMeanwhileIsAFailureAndPurgesNothing) {
    const std::filesystem::path old = add("old.png", numbered(1));
    ASSERT_EQ(indexed(*engine_).indexed, 1U);
    std::filesystem::remove(old);
    add("new.png", numbered(2));
    pack_->control().imageGate.close();
    const auto collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    IndexRecorder recorder;
    ASSERT_TRUE(engine_->startIndexing(*collection, recorder.handler()));
    pack_->control().imageGate.awaitHeld(1);
    std::filesystem::rename(pictures(), folder_.path() / "unplugged");
    pack_->control().imageGate.open();

    const IndexProgress end = recorder.end();

    ASSERT_EQ(end.state, IndexState::Failed);
    EXPECT_EQ(end.error->code, ErrorCode::NotFound);
    EXPECT_EQ(engine_->status().pictureCount, 2U) << "the old one was not seen to be gone";
}

TEST_F(EngineIndexTest, ALibraryThatCannotBeWrittenCanBeRead) {
    add("one.png", numbered(1));
    ASSERT_EQ(indexed(*engine_).indexed, 1U);
    engine_.reset();
    const std::filesystem::path lock = config().library / "lock";
    std::filesystem::remove(lock);
    std::filesystem::create_directory(lock);  // nobody can open it for writing, root neither

    engine_ = open();

    EXPECT_EQ(engine_->status().pictureCount, 1U);
    EXPECT_FALSE(engine_->addCollection(pictures()));
}

TEST_F(EngineIndexTest, PauseHoldsBackAndResumeGoesOn) {
    for (int i = 0; i < 60; ++i) {
        add("p" + std::to_string(i) + ".png", numbered(i));
    }
    pack_->control().imageGate.close();
    const auto collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    IndexRecorder recorder;
    const auto request = engine_->startIndexing(*collection, recorder.handler());
    ASSERT_TRUE(request);
    pack_->control().imageGate.awaitHeld(2);
    engine_->pauseIndexing(*request);
    recorder.await(
        [](const IndexProgress& progress) { return progress.state == IndexState::Paused; });
    pack_->control().imageGate.open();
    // What was under way ends (four batches at most); nothing new begins.
    recorder.await([](const IndexProgress& progress) { return progress.doneCount >= 16; });
    EXPECT_EQ(recorder.terminalCount(), 0U);
    engine_->resumeIndexing(*request);
    EXPECT_EQ(recorder.end().summary->indexed, 60U);
}

TEST_F(EngineIndexTest, CancelKeepsWhatIsDone) {
    for (int i = 0; i < 60; ++i) {
        add("p" + std::to_string(i) + ".png", numbered(i));
    }
    pack_->control().imageGate.close();
    const auto collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    IndexRecorder recorder;
    const auto request = engine_->startIndexing(*collection, recorder.handler());
    ASSERT_TRUE(request);
    pack_->control().imageGate.awaitHeld(1);
    engine_->cancel(*request);
    pack_->control().imageGate.open();
    EXPECT_EQ(recorder.end().state, IndexState::Cancelled);
    EXPECT_EQ(recorder.terminalCount(), 1U);
    const IndexSummary rest = indexed(*engine_);
    EXPECT_EQ(rest.indexed + rest.unchanged, 60U);
}

TEST_F(EngineIndexTest, OneWriterAndReadersThatFollow) {
    add("red.png", solidImage(40, 40, 255, 0, 0));
    pack_->control().imageGate.close();
    const auto collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    IndexRecorder recorder;
    ASSERT_TRUE(engine_->startIndexing(*collection, recorder.handler()));
    pack_->control().imageGate.awaitHeld(1);

    const std::unique_ptr<Engine> second = open();
    EXPECT_TRUE(names(ask(*second, words("red"))).empty());
    const auto refused = second->addCollection(folder_.path());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Busy);

    pack_->control().imageGate.open();
    ASSERT_EQ(recorder.end().state, IndexState::Done);
    EXPECT_EQ(names(ask(*second, words("red"))), std::vector<std::string>{"red.png"});
}

TEST_F(EngineIndexTest, ClosingWhileIndexingLosesNothing) {
    for (int i = 0; i < 60; ++i) {
        add("p" + std::to_string(i) + ".png", numbered(i));
    }
    pack_->control().imageGate.close();
    const auto collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    IndexRecorder recorder;
    ASSERT_TRUE(engine_->startIndexing(*collection, recorder.handler()));
    pack_->control().imageGate.awaitHeld(1);
    engine_.reset();  // the gate lets go when asked to stop
    EXPECT_EQ(recorder.terminalCount(), 1U);
    pack_->control().imageGate.open();
    engine_ = open();
    indexed(*engine_);
    EXPECT_EQ(engine_->status().pictureCount, 60U);
    const auto problems = engine_->check(SIZE_MAX);
    ASSERT_TRUE(problems);
    EXPECT_TRUE(problems->empty()) << problems->front();
}

TEST_F(EngineIndexTest, CheckFindsAVectorThatIsNotItsPictures) {
    for (int i = 0; i < 12; ++i) {
        add("p" + std::to_string(i) + ".png", numbered(i));
    }
    indexed(*engine_);
    std::promise<ContentKey> key;
    engine_->browse(std::nullopt, 0, 1, [&](Result<std::vector<ResultRow>> rows) {
        key.set_value(rows->front().file.content);
    });
    const ContentKey wrong = key.get_future().get();
    {
        auto writer = LibraryWriter::acquire(config().library);
        ASSERT_TRUE(writer);
        const PackInfo& info = pack_->info();
        ASSERT_TRUE((*writer)->openVectors({info.id, info.layout.dim, info.layout.strideBytes}));
        const std::vector<float> row = FakePack::imageRow(solidImage(9, 9, 1, 2, 3).view());
        ASSERT_TRUE((*writer)->commit({&wrong, 1}, row, {}));
    }
    const auto problems = engine_->check(SIZE_MAX);
    ASSERT_TRUE(problems);
    EXPECT_EQ(problems->size(), 1U);
}

TEST_F(EngineIndexTest, DamagedVectorsAreSetAsideAndMadeAgain) {
    add("red.png", solidImage(40, 40, 255, 0, 0));
    ASSERT_EQ(indexed(*engine_).indexed, 1U);
    engine_.reset();
    const auto files = libraryVectorFiles(config().library);
    ASSERT_EQ(files.size(), 1U);
    const auto whole = setAsideDamagedVectors(config().library);
    ASSERT_TRUE(whole);
    EXPECT_TRUE(whole->empty()) << "nothing is wrong with them";
    ASSERT_TRUE(writeFileAtomically(files.front(), std::string(4096, 'x')));
    engine_ = open();
    const auto problems = engine_->check(0);
    ASSERT_FALSE(problems);
    EXPECT_EQ(problems.error().code, ErrorCode::Corruption);
    EXPECT_EQ(engine_->status().packFault, PackFault::Vectors);
    engine_.reset();

    const auto damaged = setAsideDamagedVectors(config().library);

    ASSERT_TRUE(damaged);
    EXPECT_EQ(*damaged, files);
    engine_ = open();
    EXPECT_EQ(indexed(*engine_).indexed, 1U);
    EXPECT_EQ(names(ask(*engine_, words("red"))), std::vector<std::string>{"red.png"});
}

TEST_F(EngineIndexTest, SamplesWhileSomethingRunsOrSomebodyLooks) {
    add("one.png", numbered(1));
    engine_->setAttention(Engine::Attention::Unwatched);

    ASSERT_EQ(indexed(*engine_).indexed, 1U) << "running, it samples";
    EXPECT_EQ(engine_->status().pictureCount, 1U);
    engine_->setAttention(Engine::Attention::Watched);
    const std::size_t before = engine_->profiler().samples().size();
    while (engine_->profiler().samples().size() < before + 2) {
        std::this_thread::yield();
    }
}

TEST_F(EngineIndexTest, CollectionsComeAndGo) {
    add("one.png", numbered(1));
    indexed(*engine_);
    const auto missing = engine_->addCollection(folder_.path() / "nowhere");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    ASSERT_EQ(engine_->status().collections.size(), 1U);
    const CollectionRecord record = engine_->status().collections.front();
    EXPECT_EQ(record.fileCount, 1U);
    ASSERT_TRUE(engine_->removeCollection(record.id));
    EXPECT_TRUE(engine_->status().collections.empty());
    EXPECT_TRUE(names(ask(*engine_, words("red"))).empty());
    EXPECT_TRUE(std::filesystem::exists(pictures() / "one.png"));
}

TEST_F(EngineIndexTest, ThumbnailsAreCachedAndFitTheirSide) {
    const auto path = add("wide.png", solidImage(900, 30, 10, 200, 30));
    indexed(*engine_);
    for (int round = 0; round < 2; ++round) {
        std::promise<Result<ImageBuffer>> promise;
        engine_->loadImage(
            {ImageFile{path}, {}}, 128, Urgency::Prefetch, [&](Result<ImageBuffer> image) {
                promise.set_value(std::move(image));
            });
        const Result<ImageBuffer> image = promise.get_future().get();
        ASSERT_TRUE(image) << image.error().message;
        EXPECT_EQ(image->width, 128);
        EXPECT_EQ(image->height, 4);
    }
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(config().cache / "thumbnails")) {
        files += entry.is_regular_file() ? 1 : 0;
    }
    EXPECT_EQ(files, 1U);
}

}  // namespace
}  // namespace bifocal::test
