// SPDX-License-Identifier: Apache-2.0
#include "ui/views/capture_overlay.h"

#include "ui/views/capture_screen.h"
#include "ui/views/theme.h"

#include <QCursor>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QScreen>

#include <algorithm>
#include <utility>

namespace bifocal::ui {

namespace {

constexpr int kReach = 6;  // of the edges, in Qt's pixels
constexpr int kBigStep = 10;

QPoint directionOf(int key) {
    switch (key) {
        case Qt::Key_Left: return {-1, 0};
        case Qt::Key_Right: return {1, 0};
        case Qt::Key_Up: return {0, -1};
        case Qt::Key_Down: return {0, 1};
        default: return {};
    }
}

}  // namespace

CaptureOverlay::CaptureOverlay(QList<ScreenImage> screens,
                               const QList<QRect>& windows,
                               const QRect& last,
                               const Theme& theme)
    : screens_(std::move(screens)), last_(last), selection_(desktopOf(screens_), windows) {
    for (const ScreenImage& screen : screens_) {
        windows_.push_back(std::make_unique<CaptureScreen>(screen, selection_, theme));
        connectWindow(*windows_.back());
        windows_.back()->show();
    }
    for (const auto& window : windows_) {
        const QPoint pointer = window->mapFromGlobal(QCursor::pos());
        if (window->rect().contains(pointer)) {
            selection_.moveTo(window->toDesktop(pointer));
        }
    }
    if (!windows_.empty()) {
        windows_.front()->activateWindow();
        windows_.front()->grabKeyboard();  // no window manager gives it the focus
    }
    // What was frozen is no longer where it was.
    connect(qGuiApp, &QGuiApplication::screenAdded, this, &CaptureOverlay::cancel);
    connect(qGuiApp, &QGuiApplication::screenRemoved, this, &CaptureOverlay::cancel);
    for (const QScreen* screen : QGuiApplication::screens()) {
        connect(screen, &QScreen::geometryChanged, this, &CaptureOverlay::cancel);
    }
    follow();
}

CaptureOverlay::~CaptureOverlay() = default;

std::vector<CaptureScreen*> CaptureOverlay::windows() const {
    std::vector<CaptureScreen*> all;
    std::transform(
        windows_.begin(), windows_.end(), std::back_inserter(all), [](const auto& window) {
            return window.get();
        });
    return all;
}

void CaptureOverlay::connectWindow(CaptureScreen& window) {
    connect(&window, &CaptureScreen::pointed, this, [this](const QPoint& pointer) {
        selection_.moveTo(pointer);
        follow();
    });
    connect(&window, &CaptureScreen::pressed, this, [this, &window](const QPoint& pointer) {
        selection_.press(pointer, qRound(kReach * window.scale()));
        follow();
    });
    connect(&window, &CaptureScreen::released, this, &CaptureOverlay::onReleased);
    connect(&window, &CaptureScreen::accepted, this, [this] {
        if (selection_.state() == RegionSelection::State::Adjusting) {
            take(selection_.region());
        }
    });
    connect(&window, &CaptureScreen::cancelled, this, &CaptureOverlay::cancel);
    connect(&window, &CaptureScreen::keyPressed, this, [this](QKeyEvent* event) { onKey(*event); });
}

void CaptureOverlay::onReleased(const QPoint& pointer, Qt::KeyboardModifiers modifiers) {
    const bool isFirst = !selection_.isChanging();
    const bool isRegion = selection_.release(pointer);
    if (isRegion && isFirst && !modifiers.testFlag(Qt::ShiftModifier)) {
        take(selection_.region());
        return;
    }
    follow();
}

void CaptureOverlay::onKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_Escape: cancel(); return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (!selection_.region().isEmpty()) {
                take(selection_.region());
            }
            return;
        case Qt::Key_F: takeScreen(); return;
        case Qt::Key_R: selection_.adjust(last_); break;
        default: {
            const int step = event.modifiers().testFlag(Qt::ControlModifier) ? kBigStep : 1;
            const QPoint by = directionOf(event.key()) * step;
            if (event.modifiers().testFlag(Qt::ShiftModifier)) {
                selection_.grow(by);
            } else {
                selection_.shift(by);
            }
        }
    }
    follow();
}

void CaptureOverlay::takeScreen() {
    const auto found =
        std::find_if(screens_.begin(), screens_.end(), [this](const ScreenImage& screen) {
            return screen.pixels.contains(selection_.pointer());
        });
    take(found == screens_.end() ? screens_.first().pixels : found->pixels);
}

void CaptureOverlay::take(const QRect& region) {
    if (!std::exchange(isOver_, true)) {
        close();
        Q_EMIT captured(cropOf(screens_, region), region);
    }
}

void CaptureOverlay::cancel() {
    if (!std::exchange(isOver_, true)) {
        close();
        Q_EMIT cancelled();
    }
}

void CaptureOverlay::follow() {
    for (const auto& window : windows_) {
        window->follow();
    }
}

void CaptureOverlay::close() {
    for (const auto& window : windows_) {
        window->releaseKeyboard();
        window->hide();
    }
}

}  // namespace bifocal::ui
