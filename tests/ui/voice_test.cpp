// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/fake_engine.h"
#include "tests/ui/fake_sound.h"
#include "ui/bridge/dictation.h"
#include "ui/bridge/engine_bridge.h"
#include "ui/views/microphone_button.h"
#include "ui/views/prompt_bar.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <memory>

namespace bifocal::ui {
namespace {

class VoiceTest : public testing::Test {
protected:
    void SetUp() override {
        auto source = std::make_unique<test::FakeSound>();
        sound_ = source.get();
        dictation_ = std::make_unique<Dictation>(bridge_, std::move(source));
        theme_.apply(*qApp, Appearance::Dark);
        bar_.setDictation(*dictation_);
        bar_.resize(900, 110);
        bar_.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&bar_));
    }

    void understand(const std::string& text) {
        engine_.heard.back().handler(RecognizedSpeech{text, 0, 0, 3});
        QCoreApplication::processEvents();
    }
    MicrophoneButton& button() { return *bar_.microphoneButton(); }

    test::FakeEngine engine_;
    EngineBridge bridge_{engine_};
    Theme theme_;
    test::FakeSound* sound_ = nullptr;
    std::unique_ptr<Dictation> dictation_;
    PromptBar bar_{bridge_, theme_, nullptr};
    QLineEdit& text_{bar_.textField()};
    QSignalSpy changed_{&bar_, &PromptBar::promptChanged};
};

TEST_F(VoiceTest, AClickListensUntilThePauseAndEnterSearches) {
    QTest::mouseClick(&button(), Qt::LeftButton);
    EXPECT_EQ(dictation_->state(), Dictation::State::Listening);
    EXPECT_TRUE(text_.isReadOnly());
    sound_->playVoice(0.85);  // ends in a syllable
    EXPECT_GT(button().level(), 0);
    understand("red");
    EXPECT_EQ(text_.text(), QStringLiteral("red"));
    sound_->playSilence(1.5);
    EXPECT_FALSE(button().isEnabled());
    understand("Red flower.");

    EXPECT_EQ(text_.text(), QStringLiteral("Red flower"));
    EXPECT_FALSE(text_.isReadOnly());
    EXPECT_TRUE(button().isEnabled());
    EXPECT_EQ(changed_.count(), 0);
    EXPECT_FALSE(changed_.wait(2 * static_cast<int>(PromptBar::kTypingPause.count())));
    QTest::keyClick(&text_, Qt::Key_Return);
    ASSERT_EQ(changed_.count(), 1);
    EXPECT_EQ(changed_[0][0].value<PromptDraft>().text, QStringLiteral("Red flower"));
}

TEST_F(VoiceTest, ASecondClickEndsIt) {
    QTest::mouseClick(&button(), Qt::LeftButton);
    sound_->playVoice(0.6);
    QTest::mouseClick(&button(), Qt::LeftButton);
    EXPECT_EQ(dictation_->state(), Dictation::State::Recognizing);
}

TEST_F(VoiceTest, HeldDownItListensAsLongAsItIsHeld) {
    QTest::mousePress(&button(), Qt::LeftButton);
    sound_->playVoice(0.6);
    QTest::qWait(static_cast<int>(MicrophoneButton::kHold.count()) + 50);
    QTest::mouseRelease(&button(), Qt::LeftButton);
    EXPECT_EQ(dictation_->state(), Dictation::State::Recognizing);
}

TEST_F(VoiceTest, SpokenWordsGoBehindTypedOnes) {
    QTest::keyClicks(&text_, QStringLiteral("red"));
    bar_.toggleListening();
    sound_->playVoice(0.6);
    bar_.toggleListening();
    understand("flower");
    EXPECT_EQ(text_.text(), QStringLiteral("red flower"));
}

TEST_F(VoiceTest, EscapeGivesUpAndKeepsWhatWasTyped) {
    QTest::keyClicks(&text_, QStringLiteral("red"));
    bar_.toggleListening();
    sound_->playVoice(1.0);
    understand("flower");
    QTest::keyClick(&text_, Qt::Key_Escape);
    EXPECT_EQ(dictation_->state(), Dictation::State::Idle);
    EXPECT_EQ(text_.text(), QStringLiteral("red"));
    EXPECT_FALSE(sound_->isOn);
}

TEST_F(VoiceTest, NothingUnderstoodKeepsWhatWasTyped) {
    QTest::keyClicks(&text_, QStringLiteral("red"));
    bar_.toggleListening();
    sound_->playVoice(0.6);
    bar_.toggleListening();
    understand("");
    EXPECT_EQ(text_.text(), QStringLiteral("red"));
    EXPECT_EQ(changed_.count(), 0);
}

TEST_F(VoiceTest, OnRequestItSearchesAtOnce) {
    bar_.setSpokenWords(PromptBar::SpokenWords::SearchAtOnce);
    bar_.toggleListening();
    sound_->playVoice(0.6);
    bar_.toggleListening();
    understand("flower");
    ASSERT_EQ(changed_.count(), 1);
    EXPECT_EQ(changed_[0][0].value<PromptDraft>().text, QStringLiteral("flower"));
}

}  // namespace
}  // namespace bifocal::ui
