// SPDX-License-Identifier: Apache-2.0
#include "core/inference/manifest.h"
#include "tests/core/engine/engine_fixture.h"
#include "tests/support/fake_speech.h"

#include <algorithm>
#include <future>
#include <string>

namespace bifocal::test {
namespace {

constexpr std::size_t kRed = 0;
constexpr std::size_t kBlue = 1;
constexpr std::size_t kSilence = 9;

class EngineSpeechTest : public EngineTest {
protected:
    void SetUp() override {
        speechLoader_ = [this](const std::filesystem::path& /*folder*/)
            -> Result<std::shared_ptr<const SpeechModel>> {
            ++loadCount_;
            if (loadFault_) {
                return *loadFault_;
            }
            return std::shared_ptr<const SpeechModel>(speech_);
        };
        EngineTest::SetUp();
        add("red.png", solidImage(40, 40, 255, 0, 0));
        add("green.png", solidImage(40, 40, 0, 160, 0));
        add("blue.png", solidImage(40, 40, 0, 0, 255));
        ASSERT_EQ(indexed(*engine_).indexed, 3U);
        install();
    }

    void install() const {
        ASSERT_TRUE(makeDirectories(config().speechFolder));
        ASSERT_TRUE(writeFileAtomically(config().speechFolder / kManifestName, std::string("{}")));
    }

    static Prompt spoken(std::size_t index) {
        Prompt prompt;
        prompt.speech = FakeSpeechModel::clip(index);
        return prompt;
    }

    std::shared_ptr<FakeSpeechModel> speech_ =
        std::make_shared<FakeSpeechModel>(std::vector<std::string>{"red", "blue"});
    std::optional<Error> loadFault_;
    std::atomic<int> loadCount_{0};
};

TEST_F(EngineSpeechTest, SpokenWordsFindThePictureTheyName) {
    const PromptEvent end = ask(*engine_, spoken(kBlue));
    ASSERT_EQ(end.kind, PromptEventKind::Done) << end.error->message;
    EXPECT_EQ(names(end).front(), "blue.png");
    EXPECT_EQ(end.results->spoken, "blue");
    EXPECT_EQ(end.results->mode, PromptMode::TextOnly);
    const auto& stages = end.results->stages;
    ASSERT_GE(stages.size(), 2U);
    EXPECT_EQ(stages[0].stage, "recognize");
    EXPECT_EQ(stages[1].stage, "encode_text");
}

TEST_F(EngineSpeechTest, WhatIsSaidGoesBehindWhatIsTyped) {
    Prompt prompt = spoken(kRed);
    prompt.text = "something";
    const PromptEvent end = ask(*engine_, prompt);
    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_EQ(pack_->control().texts().back(), "something red");
    EXPECT_EQ(end.results->spoken, "red");
}

TEST_F(EngineSpeechTest, SpeechAndAPictureAreOnePrompt) {
    Prompt prompt = spoken(kRed);
    prompt.image = ImageSource{solidImage(40, 40, 0, 160, 0), {}};
    const PromptEvent end = ask(*engine_, prompt);
    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_EQ(end.results->mode, PromptMode::Fused);
    EXPECT_EQ(end.results->rows.size(), 3U);
    EXPECT_GT(end.results->rows.front().why.text + end.results->rows[1].why.text, 0.0F);
}

TEST_F(EngineSpeechTest, SilenceAloneIsRefusedAndBesideAPictureDropped) {
    const PromptEvent alone = ask(*engine_, spoken(kSilence));
    ASSERT_EQ(alone.kind, PromptEventKind::Failed);
    EXPECT_EQ(alone.error->code, ErrorCode::InvalidArgument);
    EXPECT_NE(alone.error->message.find("nothing was said"), std::string::npos);

    Prompt shown = spoken(kSilence);
    shown.image = ImageSource{solidImage(40, 40, 0, 160, 0), {}};
    const PromptEvent end = ask(*engine_, shown);
    ASSERT_EQ(end.kind, PromptEventKind::Done);
    EXPECT_EQ(names(end).front(), "green.png");
    EXPECT_TRUE(end.results->spoken.empty());
}

TEST_F(EngineSpeechTest, TheRecogniserIsLoadedByTheFirstSpokenPromptAlone) {
    ask(*engine_, words("red"));
    EXPECT_EQ(loadCount_, 0);
    const std::uint64_t before = engine_->schedulerStats().memory.persistentBytes;
    ask(*engine_, spoken(kRed));
    ask(*engine_, spoken(kBlue));
    EXPECT_EQ(loadCount_, 1);
    EXPECT_EQ(engine_->schedulerStats().memory.persistentBytes, before + 1000);
    EXPECT_LE(speech_->recognizerCount(), 2U);
}

TEST_F(EngineSpeechTest, ALoadThatFailsIsTriedAgain) {
    loadFault_ = Error{ErrorCode::Corruption, "speech.safetensors: sha256 mismatch"};
    const PromptEvent failed = ask(*engine_, spoken(kRed));
    ASSERT_EQ(failed.kind, PromptEventKind::Failed);
    EXPECT_EQ(failed.error->code, ErrorCode::Corruption);
    loadFault_.reset();
    EXPECT_EQ(ask(*engine_, spoken(kRed)).kind, PromptEventKind::Done);
}

TEST_F(EngineSpeechTest, WithoutARecogniserSpeechIsUnsupported) {
    std::filesystem::remove_all(config().speechFolder);
    PromptRecorder never;
    const auto refused = engine_->submit(spoken(kRed), never.handler());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_TRUE(never.events().empty());
}

TEST_F(EngineSpeechTest, ACancelledPromptStopsListening) {
    speech_->gate().close();
    PromptRecorder recorder;
    const auto request = engine_->submit(spoken(kRed), recorder.handler());
    ASSERT_TRUE(request);
    speech_->gate().awaitHeld(1);
    engine_->cancel(*request);
    EXPECT_EQ(recorder.end().kind, PromptEventKind::Cancelled);
    speech_->gate().open();
}

TEST_F(EngineSpeechTest, SpokenPromptsAreCalledSpeech) {
    ask(*engine_, spoken(kRed));
    EXPECT_EQ(engine_->profiler().recentRequests(1).front().label, "speech");
}

/// Waits for the outcome of one recognition.
class HeardRecorder {
public:
    SpeechHandler handler() {
        return [this](Result<RecognizedSpeech> heard) { promise_.set_value(std::move(heard)); };
    }
    Result<RecognizedSpeech> end() { return promise_.get_future().get(); }

private:
    std::promise<Result<RecognizedSpeech>> promise_;
};

TEST_F(EngineSpeechTest, WordsCanBeHeardWithoutASearch) {
    EXPECT_TRUE(engine_->canHear());
    HeardRecorder recorder;
    const auto request = engine_->recognize(FakeSpeechModel::clip(kBlue), recorder.handler());
    ASSERT_TRUE(request);
    const Result<RecognizedSpeech> heard = recorder.end();
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->text, "blue");
    EXPECT_TRUE(pack_->control().texts().empty() || pack_->control().texts().back() != "blue");
    EXPECT_EQ(engine_->profiler().request(*request)->label, "speech");
}

TEST_F(EngineSpeechTest, ARecognitionThatIsNotWantedAnyMoreEnds) {
    speech_->gate().close();
    HeardRecorder recorder;
    const auto request = engine_->recognize(FakeSpeechModel::clip(kRed), recorder.handler());
    ASSERT_TRUE(request);
    speech_->gate().awaitHeld(1);
    engine_->cancel(*request);
    const Result<RecognizedSpeech> heard = recorder.end();
    ASSERT_FALSE(heard);
    EXPECT_EQ(heard.error().code, ErrorCode::Cancelled);
    speech_->gate().open();
}

TEST_F(EngineSpeechTest, TheEndOfTheEngineEndsWhatIsBeingHeard) {
    speech_->gate().close();
    HeardRecorder recorder;
    ASSERT_TRUE(engine_->recognize(FakeSpeechModel::clip(kRed), recorder.handler()));
    speech_->gate().awaitHeld(1);
    engine_.reset();
    EXPECT_EQ(recorder.end().error().code, ErrorCode::Cancelled);
}

TEST_F(EngineSpeechTest, WithoutARecogniserNothingIsHeard) {
    std::filesystem::remove_all(config().speechFolder);
    EXPECT_FALSE(engine_->canHear());
    HeardRecorder never;
    const auto refused = engine_->recognize(FakeSpeechModel::clip(kRed), never.handler());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace bifocal::test
