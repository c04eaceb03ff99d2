// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/dictation.h"

#include "tests/ui/fake_engine.h"
#include "tests/ui/fake_sound.h"
#include "ui/bridge/engine_bridge.h"

#include <QCoreApplication>
#include <QStringList>

#include <gtest/gtest.h>

#include <memory>

namespace bifocal::ui::test {
namespace {

using State = Dictation::State;

class DictationTest : public ::testing::Test {
protected:
    DictationTest() {
        auto source = std::make_unique<FakeSound>();
        sound_ = source.get();
        dictation_ = std::make_unique<Dictation>(bridge_, std::move(source));
        QObject::connect(dictation_.get(), &Dictation::heardSoFar, [this](const QString& words) {
            partials_.append(words);
        });
        QObject::connect(dictation_.get(), &Dictation::recognized, [this](const QString& words) {
            finals_.append(words);
        });
        QObject::connect(dictation_.get(), &Dictation::failed, [this](const MessageItem& message) {
            failures_.append(message.text);
        });
        QObject::connect(dictation_.get(), &Dictation::levelChanged, [this](double level) {
            loudest_ = std::max(loudest_, level);
        });
    }

    /// The engine answers the recognition that was asked for last.
    void understand(const std::string& text) {
        engine_.heard.back().handler(RecognizedSpeech{text, 0, 0, 3});
        QCoreApplication::processEvents();
    }

    FakeEngine engine_;
    EngineBridge bridge_{engine_};
    FakeSound* sound_ = nullptr;
    std::unique_ptr<Dictation> dictation_;
    QStringList partials_;
    QStringList finals_;
    QStringList failures_;
    double loudest_ = 0;
};

TEST_F(DictationTest, ListensUntilTheSpeakerPausesAndGivesTheWords) {
    dictation_->begin(Dictation::Ending::BySilence);
    EXPECT_EQ(dictation_->state(), State::Listening);
    sound_->playSilence(0.5);
    sound_->playVoice(0.7);
    sound_->playSilence(1.5);
    EXPECT_EQ(dictation_->state(), State::Recognizing);
    EXPECT_FALSE(sound_->isOn);
    EXPECT_GT(loudest_, 0.5);
    ASSERT_FALSE(engine_.heard.empty());
    EXPECT_GE(engine_.heard.back().clip.samples.size(), 16'000U * 18 / 10);

    understand(" A red flower. ");
    EXPECT_EQ(dictation_->state(), State::Idle);
    EXPECT_EQ(finals_, QStringList{QStringLiteral("A red flower")});
    EXPECT_TRUE(failures_.isEmpty());
}

TEST_F(DictationTest, ShowsTheWordsSoFarAndNothingThatIsOld) {
    dictation_->begin(Dictation::Ending::BySilence);
    sound_->playVoice(1.5);
    ASSERT_EQ(engine_.heard.size(), 1U) << "one look at a time";
    understand("A red");
    EXPECT_EQ(partials_, QStringList{QStringLiteral("A red")});
    sound_->playVoice(1.0);
    ASSERT_EQ(engine_.heard.size(), 2U);
    const RequestId late = engine_.heard[1].request;
    dictation_->end();
    ASSERT_EQ(engine_.heard.size(), 3U);
    EXPECT_EQ(engine_.cancelled, std::vector<RequestId>{late});
    understand("A red flower");
    EXPECT_EQ(partials_.size(), 1);
    EXPECT_EQ(finals_, QStringList{QStringLiteral("A red flower")});
}

TEST_F(DictationTest, HeldItDoesNotEndByItself) {
    dictation_->begin(Dictation::Ending::ByHand);
    sound_->playVoice(0.6);
    sound_->playSilence(3);
    EXPECT_EQ(dictation_->state(), State::Listening);
    dictation_->end();
    EXPECT_EQ(dictation_->state(), State::Recognizing);
}

TEST_F(DictationTest, SilenceNeverAsksForWords) {
    dictation_->begin(Dictation::Ending::BySilence);
    sound_->playSilence(Dictation::kPatienceSeconds + 1);
    EXPECT_EQ(dictation_->state(), State::Idle);
    EXPECT_TRUE(engine_.heard.empty());
    ASSERT_EQ(failures_.size(), 1);
    EXPECT_TRUE(failures_[0].startsWith(QStringLiteral("Nothing was heard")));

    dictation_->begin(Dictation::Ending::ByHand);
    sound_->playSilence(1);
    dictation_->end();
    EXPECT_TRUE(engine_.heard.empty());
    EXPECT_EQ(failures_.size(), 2);
}

TEST_F(DictationTest, APromptThatIsTooLongEnds) {
    dictation_->begin(Dictation::Ending::ByHand);
    sound_->playVoice(Dictation::kLongestSeconds + 5);
    EXPECT_EQ(dictation_->state(), State::Recognizing);
}

TEST_F(DictationTest, WhatTheRecogniserDoesNotUnderstandIsSaid) {
    dictation_->begin(Dictation::Ending::ByHand);
    sound_->playVoice(0.6);
    dictation_->end();
    understand("");
    EXPECT_EQ(failures_, QStringList{QStringLiteral("No words were understood.")});
    EXPECT_TRUE(finals_.isEmpty());

    dictation_->begin(Dictation::Ending::ByHand);
    sound_->playVoice(0.6);
    dictation_->end();
    engine_.heard.back().handler(Error{ErrorCode::Corruption, "sha256"});
    QCoreApplication::processEvents();
    EXPECT_EQ(dictation_->state(), State::Idle);
    EXPECT_EQ(failures_.size(), 2);
}

TEST_F(DictationTest, MicrophonesThatAreMissingRefusedOrLostLeaveItReady) {
    for (const SoundFault fault :
         {SoundFault::NoMicrophone, SoundFault::Refused, SoundFault::Lost}) {
        sound_->fault = fault;
        dictation_->begin(Dictation::Ending::BySilence);
        EXPECT_EQ(dictation_->state(), State::Idle);
    }
    EXPECT_EQ(failures_.removeDuplicates(), 0);
    ASSERT_EQ(failures_.size(), 3);
    sound_->fault.reset();
    dictation_->begin(Dictation::Ending::BySilence);
    sound_->playVoice(0.6);
    Q_EMIT sound_->failed(SoundFault::Lost);  // unplugged in the middle
    EXPECT_EQ(dictation_->state(), State::Idle);
    dictation_->begin(Dictation::Ending::BySilence);
    EXPECT_EQ(dictation_->state(), State::Listening);
}

TEST_F(DictationTest, WithoutARecogniserItDoesNotListen) {
    engine_.hasRecognizer = false;
    dictation_->begin(Dictation::Ending::BySilence);
    EXPECT_EQ(dictation_->state(), State::Idle);
    EXPECT_EQ(sound_->startCount, 0);
    ASSERT_EQ(failures_.size(), 1);
    EXPECT_TRUE(failures_[0].contains(QStringLiteral("--with-speech")));
}

TEST_F(DictationTest, CancelledItForgets) {
    dictation_->begin(Dictation::Ending::ByHand);
    sound_->playVoice(0.6);
    dictation_->end();
    const RequestId asked = engine_.heard.back().request;
    dictation_->cancel();
    EXPECT_EQ(dictation_->state(), State::Idle);
    EXPECT_EQ(engine_.cancelled, std::vector<RequestId>{asked});
    EXPECT_TRUE(finals_.isEmpty() && failures_.isEmpty());
}

TEST_F(DictationTest, GoneInTheMiddleItListensNoMore) {
    dictation_->begin(Dictation::Ending::ByHand);
    sound_->playVoice(2);
    ASSERT_FALSE(engine_.heard.empty());
    dictation_.reset();
    EXPECT_FALSE(engine_.cancelled.empty());
    understand("too late");
    EXPECT_TRUE(finals_.isEmpty());
}

}  // namespace
}  // namespace bifocal::ui::test
