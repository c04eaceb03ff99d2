// SPDX-License-Identifier: Apache-2.0
#include "ui/views/capture.h"

#include "tests/ui/scripted_screens.h"
#include "ui/views/capture_overlay.h"
#include "ui/views/capture_screen.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QCursor>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <memory>

namespace bifocal::ui {
namespace {

class CaptureTest : public testing::Test {
protected:
    void SetUp() override {
        auto screens = std::make_unique<test::ScriptedScreens>();
        screens_ = screens.get();
        theme_.apply(*qApp, Appearance::Dark);
        capture_ = std::make_unique<Capture>(std::move(screens), window_, theme_);
        QObject::connect(capture_.get(), &Capture::overlayShown, &window_, [this](auto* shown) {
            overlay_ = shown;
        });
        QObject::connect(
            capture_.get(), &Capture::captured, &window_, [this](const QImage& image, auto&) {
                captured_ = image;
            });
        window_.show();
    }

    void begin(Capture::What what = Capture::What::Region) {
        overlay_ = nullptr;
        capture_->begin(what);
        EXPECT_FALSE(window_.isVisible());
        ASSERT_TRUE(
            QTest::qWaitFor([this] { return overlay_ != nullptr || !capture_->isRunning(); }));
    }
    CaptureScreen* screen(int index) {
        return overlay_->windows()[static_cast<std::size_t>(index)];
    }
    /// Presses, moves and releases in the window of one screen, in its own coordinates.
    void drag(int index, const QPoint& from, const QPoint& to, Qt::KeyboardModifiers held = {}) {
        QTest::mousePress(screen(index), Qt::LeftButton, held, from);
        QTest::mouseMove(screen(index), to);
        QTest::mouseRelease(screen(index), Qt::LeftButton, held, to);
    }
    void expectCaptured(const QRect& region) {
        ASSERT_EQ(captured_.size(), region.size());
        EXPECT_EQ(captured_, test::placesOf(region));
    }

    Theme theme_;
    QWidget window_;
    test::ScriptedScreens* screens_ = nullptr;
    std::unique_ptr<Capture> capture_;
    CaptureOverlay* overlay_ = nullptr;
    QImage captured_;
};

TEST_F(CaptureTest, WhatWasDraggedOverIsCutOutPixelForPixel) {
    begin();
    drag(0, {20, 30}, {83, 71});
    expectCaptured(QRect(QPoint(20, 30), QPoint(83, 71)));
    EXPECT_TRUE(window_.isVisible());
}

TEST_F(CaptureTest, OnAScaledScreenThePixelsAreTheScreens) {
    begin();
    drag(1, {10, 20}, {110, 100});  // 1.5 device pixels each
    expectCaptured(QRect(QPoint(415, 30), QPoint(565, 150)));
}

TEST_F(CaptureTest, AcrossTheBorderOfTwoScalesEachPixelIsWhereItWas) {
    begin();
    drag(0, {350, 100}, {520, 250});  // the button holds the pointer in the left screen's window
    expectCaptured(QRect(QPoint(350, 100), QPoint(520, 250)));
}

TEST_F(CaptureTest, WhereNoScreenIsThePictureIsBlack) {
    begin();
    drag(0, {390, 280}, {409, 319});
    ASSERT_EQ(captured_.size(), QSize(20, 40));
    EXPECT_EQ(captured_.pixel(0, 39), qRgb(0, 0, 0));
    EXPECT_EQ(captured_.pixel(19, 39), test::placesOf({409, 319, 1, 1}).pixel(0, 0));
}

TEST_F(CaptureTest, AClickTakesTheWindowUnderThePointer) {
    screens_->shownWindows = {QRect(40, 50, 120, 90)};
    begin();
    drag(0, {60, 60}, {60, 60});
    expectCaptured(QRect(40, 50, 120, 90));
}

TEST_F(CaptureTest, WithShiftTheRegionStaysAndKeysMoveItUntilEnter) {
    begin();
    drag(0, {20, 30}, {83, 71}, Qt::ShiftModifier);
    EXPECT_TRUE(captured_.isNull());
    QTest::keyClick(screen(0), Qt::Key_Right);
    QTest::keyClick(screen(0), Qt::Key_Down, Qt::ControlModifier);
    QTest::keyClick(screen(0), Qt::Key_Right, Qt::ShiftModifier);
    drag(0, {52, 40}, {52, 35});  // the upper edge
    EXPECT_TRUE(captured_.isNull());
    QTest::keyClick(screen(0), Qt::Key_Return);
    expectCaptured(QRect(QPoint(21, 35), QPoint(85, 81)));
}

TEST_F(CaptureTest, FTakesTheScreenUnderThePointer) {
    begin();
    const QPoint there(100, 100);
    QMouseEvent moved(QEvent::MouseMove,
                      there,
                      screen(1)->mapToGlobal(there),
                      Qt::NoButton,
                      Qt::NoButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(screen(1), &moved);
    QTest::keyClick(screen(0), Qt::Key_F);
    expectCaptured(QRect(400, 0, 600, 450));
}

TEST_F(CaptureTest, RTakesTheLastRegionUpAgain) {
    capture_->setLastRegion({10, 20, 30, 40});
    begin();
    QTest::keyClick(screen(0), Qt::Key_R);
    EXPECT_TRUE(captured_.isNull());
    QTest::keyClick(screen(0), Qt::Key_Enter);
    expectCaptured({10, 20, 30, 40});
}

TEST_F(CaptureTest, TheLastRegionIsTakenAgainWithoutAQuestion) {
    begin();
    drag(0, {20, 30}, {83, 71});
    captured_ = {};
    begin(Capture::What::LastRegion);
    EXPECT_EQ(overlay_, nullptr);
    expectCaptured(QRect(QPoint(20, 30), QPoint(83, 71)));
}

TEST_F(CaptureTest, EscapeAndTheRightButtonLeaveEverythingAsItWas) {
    QSignalSpy cancelled(capture_.get(), &Capture::cancelled);
    begin();
    QTest::keyClick(screen(0), Qt::Key_Escape);
    begin();
    QTest::mouseClick(screen(1), Qt::RightButton);
    EXPECT_EQ(cancelled.count(), 2);
    EXPECT_TRUE(captured_.isNull());
    EXPECT_TRUE(window_.isVisible());
}

TEST_F(CaptureTest, AWindowThatWasHiddenStaysHiddenAfterACancelAndComesWithAPicture) {
    window_.hide();
    begin();
    QTest::keyClick(screen(0), Qt::Key_Escape);
    EXPECT_FALSE(window_.isVisible());
    begin();
    drag(0, {20, 30}, {83, 71});
    EXPECT_TRUE(window_.isVisible());
}

TEST_F(CaptureTest, EachFaultIsSaidAndTheWindowIsBack) {
    QSignalSpy failed(capture_.get(), &Capture::failed);
    QStringList said;
    for (const CaptureFault fault : {CaptureFault::Unavailable,
                                     CaptureFault::Refused,
                                     CaptureFault::NoAnswer,
                                     CaptureFault::WrongAnswer}) {
        screens_->fault = fault;
        begin();
        ASSERT_FALSE(failed.isEmpty());
        said.append(failed.takeLast()[0].value<MessageItem>().text);
        EXPECT_TRUE(said.last().contains(QStringLiteral("paste"))) << said.last().toStdString();
        EXPECT_TRUE(window_.isVisible());
    }
    EXPECT_EQ(said.removeDuplicates(), 0);
}

TEST_F(CaptureTest, ASourceThatHangsIsCancelledAndTheNextCaptureWorks) {
    screens_->hangs = true;
    capture_->begin(Capture::What::Region);
    ASSERT_TRUE(QTest::qWaitFor([this] { return screens_->grabCount == 1; }));
    capture_->begin(Capture::What::Region);  // nothing new while one runs
    EXPECT_EQ(screens_->grabCount, 1);
    capture_->cancel();
    EXPECT_EQ(screens_->cancelCount, 1);
    EXPECT_TRUE(window_.isVisible());
    screens_->hangs = false;
    begin();
    drag(0, {20, 30}, {83, 71});
    EXPECT_FALSE(captured_.isNull());
}

TEST_F(CaptureTest, ADelayCountsDownBeforeTheScreenIsTaken) {
    QCursor::setPos(10, 10);
    capture_->begin(Capture::What::Screen, std::chrono::seconds(1));
    EXPECT_FALSE(window_.isVisible());
    EXPECT_EQ(screens_->grabCount, 0);
    ASSERT_TRUE(QTest::qWaitFor([this] { return !captured_.isNull(); }));
    EXPECT_EQ(captured_.size(), QSize(400, 300));
}

TEST_F(CaptureTest, TheLoupeShowsThePixelUnderThePointer) {
    begin();
    QTest::mouseMove(screen(0), QPoint(100, 100));
    const QImage shown = screen(0)->grab().toImage();
    const double ratio = shown.devicePixelRatio();
    // Below and right of the pointer; its middle pixel is seven pixels of eight from the corner.
    const QPoint middle = (QPointF(100.5, 100.5) + QPointF(20, 20)).toPoint() + QPoint(60, 60);
    EXPECT_EQ(shown.pixel((QPointF(middle) * ratio).toPoint()),
              test::placesOf({100, 100, 1, 1}).pixel(0, 0));
}

}  // namespace
}  // namespace bifocal::ui
