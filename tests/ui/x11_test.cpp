// SPDX-License-Identifier: Apache-2.0
// Runs in an X server of its own with two monitors, the right one at 150 %: see x11_server.sh.
#include "tests/ui/scripted_screens.h"
#include "ui/desktop/x11_keys.h"
#include "ui/desktop/x11_screen_source.h"
#include "ui/views/capture.h"
#include "ui/views/capture_overlay.h"
#include "ui/views/capture_screen.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QProcess>
#include <QScreen>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <xcb/xcb.h>
#include <xcb/xcb_keysyms.h>

namespace bifocal::ui {
namespace {

constexpr QRect kDesktop(0, 0, 2560, 1080);

xcb_connection_t* connection() {
    return qGuiApp->nativeInterface<QNativeInterface::QX11Application>()->connection();
}
const xcb_screen_t& rootScreen() {
    return *xcb_setup_roots_iterator(xcb_get_setup(connection())).data;
}

/// Draws onto the X server's root window, where no toolkit has a say in pixels.
void paintDesktop() {
    const QImage picture = test::placesOf(kDesktop);
    const xcb_gcontext_t context = xcb_generate_id(connection());
    xcb_create_gc(connection(), context, rootScreen().root, 0, nullptr);
    constexpr int kRows = 20;  // a request has a longest size
    for (int y = 0; y < kDesktop.height(); y += kRows) {
        const QImage rows = picture.copy(0, y, kDesktop.width(), kRows);
        xcb_put_image(connection(),
                      XCB_IMAGE_FORMAT_Z_PIXMAP,
                      rootScreen().root,
                      context,
                      static_cast<std::uint16_t>(rows.width()),
                      static_cast<std::uint16_t>(rows.height()),
                      0,
                      static_cast<std::int16_t>(y),
                      0,
                      rootScreen().root_depth,
                      static_cast<std::uint32_t>(rows.sizeInBytes()),
                      rows.constBits());
    }
    xcb_free_gc(connection(), context);
    xcb_flush(connection());
}

/// Another program's hands.
void doFromOutside(const QStringList& what) {
    QProcess hands;
    hands.start(QStringLiteral("xdotool"), what);
    while (hands.state() != QProcess::NotRunning) {
        QTest::qWait(5);
    }
    ASSERT_EQ(hands.exitCode(), 0) << hands.readAllStandardError().toStdString();
}
QStringList pointAt(const QPoint& place) {
    return {QStringLiteral("mousemove"), QString::number(place.x()), QString::number(place.y())};
}

TEST(X11ScreensTest, EachMonitorIsSeenInItsOwnPixels) {
    paintDesktop();
    X11ScreenSource source;
    QSignalSpy grabbed(&source, &ScreenSource::grabbed);
    source.grab();
    ASSERT_EQ(grabbed.count(), 1);
    const auto screens = grabbed[0][0].value<QList<ScreenImage>>();
    ASSERT_EQ(screens.size(), 2);
    EXPECT_EQ(desktopOf(screens), kDesktop);
    for (const ScreenImage& screen : screens) {
        EXPECT_EQ(screen.image.size(), screen.pixels.size());
        EXPECT_TRUE(screen.image == test::placesOf(screen.pixels));
    }
    EXPECT_EQ(screens[1].geometry.size() * 1.5, screens[1].pixels.size());
}

class X11CaptureTest : public testing::Test {
protected:
    void expectCaptured(const QRect& region) const {
        const QRgb first = captured_.pixel(0, 0);  // it tells its place
        const QPoint place(qRed(first) | (qBlue(first) & 15) << 8,
                           qGreen(first) | qBlue(first) >> 4 << 8);
        EXPECT_EQ(QRect(place, captured_.size()), region)
            << place.x() << " " << place.y() << " " << captured_.width() << " "
            << captured_.height();
        EXPECT_TRUE(captured_ == test::placesOf(region));
    }
    void SetUp() override {
        theme_.apply(*qApp, Appearance::Dark);
        paintDesktop();
        QObject::connect(
            &capture_, &Capture::overlayShown, &window_, [this](auto* shown) { overlay_ = shown; });
        QObject::connect(
            &capture_, &Capture::captured, &window_, [this](const QImage& image, auto&) {
                captured_ = image;
            });
        capture_.begin(Capture::What::Region);
        ASSERT_TRUE(QTest::qWaitFor([this] { return overlay_ != nullptr; }));
        for (CaptureScreen* screen : overlay_->windows()) {
            ASSERT_TRUE(QTest::qWaitForWindowExposed(screen));
        }
    }
    void dragFromOutside(const QPoint& from, const QPoint& to) {
        doFromOutside(pointAt(from) +
                      QStringList{QStringLiteral("mousedown"), QStringLiteral("1")});
        doFromOutside(pointAt((from + to) / 2));
        doFromOutside(pointAt(to));
        doFromOutside({QStringLiteral("mouseup"), QStringLiteral("1")});
        ASSERT_TRUE(QTest::qWaitFor([this] { return !captured_.isNull(); }));
    }

    Theme theme_;
    QWidget window_;
    Capture capture_{std::make_unique<X11ScreenSource>(), window_, theme_};
    CaptureOverlay* overlay_ = nullptr;
    QImage captured_;
};

TEST_F(X11CaptureTest, EveryMonitorIsCovered) {
    for (CaptureScreen* screen : overlay_->windows()) {
        EXPECT_EQ(screen->geometry(), screen->screen()->geometry());
    }
    capture_.cancel();
}

TEST_F(X11CaptureTest, ARegionAcrossTheMonitorsIsExact) {
    dragFromOutside({1200, 100}, {1500, 400});
    expectCaptured(QRect(QPoint(1200, 100), QPoint(1500, 400)));
}

TEST_F(X11CaptureTest, ARegionBackAcrossTheMonitorsIsExact) {
    dragFromOutside({1403, 401}, {1099, 7});
    // The right monitor has 1.5 pixels for one of Qt's; where a press lands is told in Qt's, with
    // fractions.
    expectCaptured(QRect(QPoint(1099, 7), QPoint(1403, 401)));
}

TEST_F(X11CaptureTest, ARegionOnTheScaledMonitorIsExact) {
    dragFromOutside({1301, 33}, {2222, 1001});
    expectCaptured(QRect(QPoint(1301, 33), QPoint(2222, 1001)));
}

TEST_F(X11CaptureTest, EscapeFromAnotherProgramsKeyboardEndsIt) {
    doFromOutside({QStringLiteral("key"), QStringLiteral("Escape")});
    EXPECT_TRUE(QTest::qWaitFor([this] { return !capture_.isRunning(); }));
}

TEST(X11WindowsTest, AnotherProgramsWindowIsOffered) {
    const xcb_window_t window = xcb_generate_id(connection());
    const std::uint32_t isOverride = 1;
    xcb_create_window(connection(),
                      XCB_COPY_FROM_PARENT,
                      window,
                      rootScreen().root,
                      1333,
                      77,
                      301,
                      203,
                      0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      XCB_COPY_FROM_PARENT,
                      XCB_CW_OVERRIDE_REDIRECT,
                      &isOverride);
    xcb_map_window(connection(), window);
    const QList<QRect> windows = X11ScreenSource().windows();
    EXPECT_TRUE(windows.contains(QRect(1333, 77, 301, 203)));
    xcb_destroy_window(connection(), window);
    EXPECT_FALSE(X11ScreenSource().windows().contains(QRect(1333, 77, 301, 203)));
}

class X11KeysTest : public testing::Test {
protected:
    X11KeysTest() {
        const auto note = [this](const char* what) {
            return [this, what](const QString& id) {
                happened_.append(QStringLiteral("%1 %2").arg(QLatin1String(what), id));
            };
        };
        QObject::connect(&keys_, &GlobalKeys::bound, &keys_, note("bound"));
        QObject::connect(&keys_, &GlobalKeys::pressed, &keys_, note("pressed"));
        QObject::connect(&keys_, &GlobalKeys::released, &keys_, note("released"));
        QObject::connect(&keys_, &GlobalKeys::failed, &keys_, [this](auto& id, KeyFault fault) {
            happened_.append(QStringLiteral("failed %1 %2").arg(id).arg(static_cast<int>(fault)));
        });
    }
    void bind(const QString& chord) {
        keys_.bind({{QStringLiteral("say"), QString(), QKeySequence(chord)}});
    }
    void expect(const QStringList& events) {
        EXPECT_TRUE(QTest::qWaitFor([&] { return happened_.size() >= events.size(); }, 2000));
        QTest::qWait(30);  // and nothing more
        EXPECT_EQ(happened_, events) << happened_.join(QStringLiteral("; ")).toStdString();
        happened_.clear();
    }

    X11Keys keys_;
    QStringList happened_;
};

TEST_F(X11KeysTest, AKeyHeldInAnotherProgramIsPressedOnceAndReleasedOnce) {
    bind(QStringLiteral("Meta+Alt+Space"));
    expect({QStringLiteral("bound say")});
    doFromOutside({QStringLiteral("keydown"), QStringLiteral("super+alt+space")});
    QTest::qWait(800);  // long enough for the keyboard to repeat
    expect({QStringLiteral("pressed say")});
    doFromOutside({QStringLiteral("keyup"), QStringLiteral("super+alt+space")});
    expect({QStringLiteral("released say")});
}

TEST_F(X11KeysTest, LockKeysMakeNoDifferenceAndOtherChordsAreNotOurs) {
    bind(QStringLiteral("Ctrl+Alt+S"));
    expect({QStringLiteral("bound say")});
    doFromOutside({QStringLiteral("key"), QStringLiteral("Num_Lock")});
    doFromOutside({QStringLiteral("key"), QStringLiteral("ctrl+alt+s")});
    expect({QStringLiteral("pressed say"), QStringLiteral("released say")});
    doFromOutside({QStringLiteral("key"), QStringLiteral("Num_Lock")});
    doFromOutside({QStringLiteral("key"), QStringLiteral("ctrl+s")});
    doFromOutside({QStringLiteral("key"), QStringLiteral("ctrl+alt+shift+s")});
    expect({});
}

TEST_F(X11KeysTest, AChordOfAnotherProgramIsToldAndAnotherCanBeBound) {
    int number = 0;
    xcb_connection_t* const other = xcb_connect(nullptr, &number);
    xcb_key_symbols_t* const map = xcb_key_symbols_alloc(other);
    xcb_keycode_t* const code = xcb_key_symbols_get_keycode(map, 's');
    ASSERT_NE(code, nullptr);
    xcb_grab_key(other,
                 1,
                 rootScreen().root,
                 XCB_MOD_MASK_CONTROL | XCB_MOD_MASK_1,
                 *code,
                 XCB_GRAB_MODE_ASYNC,
                 XCB_GRAB_MODE_ASYNC);
    xcb_get_input_focus_reply(other, xcb_get_input_focus(other), nullptr);  // it has been done
    bind(QStringLiteral("Ctrl+Alt+S"));
    expect({QStringLiteral("failed say %1").arg(static_cast<int>(KeyFault::Taken))});
    bind(QStringLiteral("Ctrl+Alt+F9"));
    expect({QStringLiteral("bound say")});
    std::free(code);
    xcb_key_symbols_free(map);
    xcb_disconnect(other);
}

TEST_F(X11KeysTest, WhatIsBoundAnewLeavesTheOldChordFree) {
    bind(QStringLiteral("Ctrl+Alt+S"));
    bind(QStringLiteral("Ctrl+Alt+F9"));
    happened_.clear();
    doFromOutside({QStringLiteral("key"), QStringLiteral("ctrl+alt+s")});
    expect({});
}

}  // namespace
}  // namespace bifocal::ui
