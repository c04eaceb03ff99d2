// SPDX-License-Identifier: Apache-2.0
#include "ui/views/say_and_point.h"

#include "tests/ui/fake_engine.h"
#include "tests/ui/fake_sound.h"
#include "tests/ui/scripted_screens.h"
#include "ui/bridge/dictation.h"
#include "ui/bridge/engine_bridge.h"
#include "ui/views/capture.h"
#include "ui/views/capture_overlay.h"
#include "ui/views/capture_screen.h"
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

class SayAndPointTest : public testing::Test {
protected:
    void SetUp() override {
        theme_.apply(*qApp, Appearance::Dark);
        auto sound = std::make_unique<test::FakeSound>();
        sound_ = sound.get();
        dictation_ = std::make_unique<Dictation>(bridge_, std::move(sound));
        bar_.setDictation(*dictation_);
        bar_.show();
        capture_ =
            std::make_unique<Capture>(std::make_unique<test::ScriptedScreens>(), bar_, theme_);
        QObject::connect(capture_.get(), &Capture::overlayShown, &bar_, [this](auto* shown) {
            overlay_ = shown;
        });
        QObject::connect(
            capture_.get(), &Capture::captured, &bar_, [this](const auto& image, const auto& name) {
                bar_.setPicture(image, name);
            });
        gesture_ = std::make_unique<SayAndPoint>(*capture_, *dictation_, bar_);
    }

    void begin(SayAndPoint::Ending ending) {
        gesture_->begin(ending);
        ASSERT_TRUE(QTest::qWaitFor([this] { return overlay_ != nullptr; }));
        changed_.clear();
    }
    void point() {
        CaptureScreen* const screen = overlay_->windows().front();
        QTest::mousePress(screen, Qt::LeftButton, {}, QPoint(20, 30));
        QTest::mouseRelease(screen, Qt::LeftButton, {}, QPoint(83, 71));
    }
    void understand(const std::string& text) {
        engine_.heard.back().handler(RecognizedSpeech{text, 0, 0, 3});
        QCoreApplication::processEvents();
    }
    PromptDraft draft(int index) { return changed_[index][0].value<PromptDraft>(); }

    test::FakeEngine engine_;
    EngineBridge bridge_{engine_};
    Theme theme_;
    test::FakeSound* sound_ = nullptr;
    std::unique_ptr<Dictation> dictation_;
    PromptBar bar_{bridge_, theme_, nullptr};
    std::unique_ptr<Capture> capture_;
    CaptureOverlay* overlay_ = nullptr;
    std::unique_ptr<SayAndPoint> gesture_;
    QSignalSpy changed_{&bar_, &PromptBar::promptChanged};
};

TEST_F(SayAndPointTest, LooksAreSearchedWhileOneSpeaksAndBothAfterTheRelease) {
    begin(SayAndPoint::Ending::ByRelease);
    sound_->playVoice(0.6);
    point();
    ASSERT_EQ(changed_.count(), 1);
    EXPECT_TRUE(draft(0).picture.has_value());
    EXPECT_TRUE(draft(0).text.isEmpty());

    sound_->playVoice(0.4);
    sound_->playSilence(3);  // a pause does not end it while the key is held
    EXPECT_EQ(dictation_->state(), Dictation::State::Listening);
    gesture_->release();
    understand("At night.");

    ASSERT_EQ(changed_.count(), 2);
    EXPECT_EQ(draft(1).text, QStringLiteral("At night"));
    EXPECT_TRUE(draft(1).picture.has_value());
    EXPECT_FALSE(sound_->isOn);
}

TEST_F(SayAndPointTest, WordsThatAreThereFirstWaitForTheRegion) {
    begin(SayAndPoint::Ending::ByRelease);
    sound_->playVoice(0.6);
    gesture_->release();
    understand("at night");
    EXPECT_EQ(changed_.count(), 0);
    point();
    ASSERT_EQ(changed_.count(), 1);
    EXPECT_EQ(draft(0).text, QStringLiteral("at night"));
    EXPECT_TRUE(draft(0).picture.has_value());
}

TEST_F(SayAndPointTest, WithoutAKeyToHoldAPauseEndsTheWords) {
    begin(SayAndPoint::Ending::ByPause);
    point();
    sound_->playVoice(0.6);
    sound_->playSilence(1.5);
    understand("at night");
    ASSERT_EQ(changed_.count(), 2);
    EXPECT_EQ(draft(1).text, QStringLiteral("at night"));
}

TEST_F(SayAndPointTest, WhatWasInTheBarGoes) {
    QTest::keyClicks(&bar_.textField(), QStringLiteral("red"));
    begin(SayAndPoint::Ending::ByRelease);
    point();
    ASSERT_EQ(changed_.count(), 1);
    EXPECT_TRUE(draft(0).text.isEmpty());
}

TEST_F(SayAndPointTest, ACancelledRegionStopsTheMicrophone) {
    begin(SayAndPoint::Ending::ByRelease);
    sound_->playVoice(0.6);
    overlay_->cancel();
    EXPECT_EQ(dictation_->state(), Dictation::State::Idle);
    EXPECT_FALSE(sound_->isOn);
    gesture_->release();
    EXPECT_EQ(changed_.count(), 0);
}

TEST_F(SayAndPointTest, NothingSaidLeavesTheLooks) {
    begin(SayAndPoint::Ending::ByRelease);
    point();
    gesture_->release();
    EXPECT_EQ(dictation_->state(), Dictation::State::Idle);
    ASSERT_EQ(changed_.count(), 1);
    EXPECT_TRUE(draft(0).picture.has_value());
}

TEST_F(SayAndPointTest, WithoutARecogniserTheRegionIsStillSearched) {
    engine_.hasRecognizer = false;
    QSignalSpy failed(dictation_.get(), &Dictation::failed);
    begin(SayAndPoint::Ending::ByRelease);
    EXPECT_EQ(failed.count(), 1);
    point();
    ASSERT_EQ(changed_.count(), 1);
    EXPECT_TRUE(draft(0).picture.has_value());
}

TEST_F(SayAndPointTest, AlreadySearchingAtOnceItSearchesOnce) {
    bar_.setSpokenWords(PromptBar::SpokenWords::SearchAtOnce);
    begin(SayAndPoint::Ending::ByRelease);
    point();
    sound_->playVoice(0.6);
    gesture_->release();
    understand("at night");
    EXPECT_EQ(changed_.count(), 2);
}

}  // namespace
}  // namespace bifocal::ui
