// SPDX-License-Identifier: Apache-2.0
#include "core/inference/manifest.h"
#include "core/pipeline/index_job.h"
#include "core/pipeline/prompt_image.h"
#include "tests/core/engine/engine_fixture.h"
#include "tests/support/fake_speech.h"

#include <list>
#include <string>

namespace bifocal::test {
namespace {

constexpr std::uint64_t kBatchBytes = kDecodeBytes + IndexJob::kPixelBytes;

class EngineMemoryTest : public EngineTest {
protected:
    void SetUp() override {
        speechLoader_ = [this](const std::filesystem::path& /*folder*/) {
            return Result<std::shared_ptr<const SpeechModel>>(speech_);
        };
        ASSERT_TRUE(makeDirectories(config().speechFolder));
        ASSERT_TRUE(writeFileAtomically(config().speechFolder / kManifestName, std::string("{}")));
        memoryBudgetBytes_ = pack_->info().weightBytes + kBatchBytes;
        EngineTest::SetUp();
    }
    schedule::MemoryLedger::Snapshot memory() const { return engine_->schedulerStats().memory; }

    std::shared_ptr<FakeSpeechModel> speech_ =
        std::make_shared<FakeSpeechModel>(std::vector<std::string>{"red", "blue"});
};

TEST_F(EngineMemoryTest, WorkTakesTurnsWhereMemoryIsForOneAndEverythingIsDone) {
    std::filesystem::path red = add("red.png", solidImage(40, 40, 255, 0, 0));
    for (int i = 0; i < 40; ++i) {
        add("numbered" + std::to_string(i) + ".png", numbered(i));
    }
    const Result<CollectionId> collection = engine_->addCollection(pictures());
    ASSERT_TRUE(collection);
    IndexRecorder indexing;
    ASSERT_TRUE(engine_->startIndexing(*collection, indexing.handler()));
    std::list<PromptRecorder> prompts(8);
    for (PromptRecorder& prompt : prompts) {
        ASSERT_TRUE(engine_->submit(picture(red), prompt.handler()));
    }

    for (PromptRecorder& prompt : prompts) {
        EXPECT_EQ(prompt.end().kind, PromptEventKind::Done);
    }
    EXPECT_EQ(indexing.end().summary.value_or(IndexSummary{}).indexed, 41U);
    EXPECT_LE(memory().peakReservedBytes, kBatchBytes);
    EXPECT_GE(memory().peakReservedBytes, kDecodeBytes);
}

TEST_F(EngineMemoryTest, WhatCanNeverFitIsRefusedInPlainWords) {
    const std::filesystem::path red = add("red.png", solidImage(40, 40, 255, 0, 0));
    engine_.reset();
    memoryBudgetBytes_ = kDecodeBytes / 2;
    engine_ = open();

    ASSERT_EQ(ask(*engine_, words("red")).kind, PromptEventKind::Done) << "the models are there";
    PromptRecorder never;
    const auto shown = engine_->submit(picture(red), never.handler());
    ASSERT_FALSE(shown);
    EXPECT_EQ(shown.error().code, ErrorCode::ResourceExhausted);
    EXPECT_NE(shown.error().message.find("more than the budget"), std::string::npos);
    const IndexProgress run = index(*engine_);
    ASSERT_EQ(run.state, IndexState::Failed);
    EXPECT_EQ(run.error->code, ErrorCode::ResourceExhausted);
}

TEST_F(EngineMemoryTest, TheRecogniserGoesWhenAPictureNeedsItsPlaceAndComesBack) {
    const std::filesystem::path red = add("red.png", solidImage(40, 40, 255, 0, 0));
    ASSERT_EQ(indexed(*engine_).indexed, 1U);
    const std::uint64_t before = memory().persistentBytes;
    Prompt spoken;
    spoken.speech = FakeSpeechModel::clip(0);
    ASSERT_EQ(ask(*engine_, spoken).kind, PromptEventKind::Done);
    EXPECT_EQ(memory().persistentBytes, before + speech_->info().weightBytes);

    add("blue.png", solidImage(40, 40, 0, 0, 255));
    EXPECT_EQ(indexed(*engine_).indexed, 1U) << "a batch fits, but not beside the recogniser";

    EXPECT_EQ(memory().persistentBytes, before);
    EXPECT_EQ(ask(*engine_, spoken).kind, PromptEventKind::Done);
}

}  // namespace
}  // namespace bifocal::test
