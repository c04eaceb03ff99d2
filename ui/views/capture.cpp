// SPDX-License-Identifier: Apache-2.0
#include "ui/views/capture.h"

#include "ui/views/capture_overlay.h"
#include "ui/views/theme.h"

#include <QCursor>
#include <QGuiApplication>
#include <QLabel>
#include <QScreen>

#include <algorithm>
#include <utility>

namespace bifocal::ui {

Capture::Capture(std::unique_ptr<ScreenSource> source, QWidget& window, const Theme& theme)
    : source_(std::move(source)), window_(window), theme_(theme) {
    connect(source_.get(), &ScreenSource::grabbed, this, &Capture::choose);
    connect(source_.get(), &ScreenSource::failed, this, &Capture::fail);
    second_.setInterval(std::chrono::seconds(1));
    connect(&second_, &QTimer::timeout, this, &Capture::countDown);
    settle_.setSingleShot(true);
    connect(&settle_, &QTimer::timeout, source_.get(), &ScreenSource::grab);
}

Capture::~Capture() {
    source_->disconnect(this);
    source_->cancel();
}

void Capture::begin(What what, std::chrono::seconds delay) {
    if (isRunning_) {
        return;
    }
    isRunning_ = true;
    what_ = what;
    wasShown_ = window_.isVisible() && !window_.isMinimized();
    secondsLeft_ = static_cast<int>(delay.count());
    if (secondsLeft_ <= 0) {
        putWindowAside();
        return;
    }
    window_.hide();
    countdown_ = std::make_unique<QLabel>();
    countdown_->setWindowFlags(Qt::FramelessWindowHint | Qt::WindowStaysOnTopHint |
                               Qt::X11BypassWindowManagerHint | Qt::Tool |
                               Qt::WindowDoesNotAcceptFocus);
    countdown_->setAttribute(Qt::WA_ShowWithoutActivating);
    countdown_->setFont(theme_.font(TextSize::Prompt));
    countdown_->setAlignment(Qt::AlignCenter);
    countdown_->setFixedSize(320, 44);
    const QRect screen = QGuiApplication::primaryScreen()->availableGeometry();
    countdown_->move(screen.center().x() - countdown_->width() / 2, screen.top() + 24);
    ++secondsLeft_;
    countDown();
    countdown_->show();
    second_.start();
}

void Capture::countDown() {
    --secondsLeft_;
    if (secondsLeft_ > 0) {
        countdown_->setText(tr("The screen is captured in %n s", nullptr, secondsLeft_));
        return;
    }
    second_.stop();
    countdown_.reset();
    putWindowAside();
}

void Capture::putWindowAside() {
    window_.hide();
    settle_.start(kSettle);
}

void Capture::choose(const QList<ScreenImage>& screens) {
    if (what_ == What::Region || (what_ == What::LastRegion && lastRegion_.isEmpty())) {
        showOverlay(screens);
        return;
    }
    if (what_ == What::LastRegion) {
        take(cropOf(screens, lastRegion_ & desktopOf(screens)), tr("screen region"));
        return;
    }
    const auto found = std::find_if(screens.begin(), screens.end(), [](const ScreenImage& screen) {
        return screen.geometry.contains(QCursor::pos());
    });
    take((found == screens.end() ? screens.first() : *found).image, tr("screen"));
}

void Capture::showOverlay(const QList<ScreenImage>& screens) {
    overlay_ = std::make_unique<CaptureOverlay>(screens, source_->windows(), lastRegion_, theme_);
    connect(overlay_.get(),
            &CaptureOverlay::captured,
            this,
            [this](const QImage& image, const QRect& region) {
                lastRegion_ = region;
                take(image, tr("screen region"));
            });
    connect(overlay_.get(), &CaptureOverlay::cancelled, this, [this] {
        end(wasShown_);
        Q_EMIT cancelled();
    });
    Q_EMIT overlayShown(overlay_.get());
}

void Capture::take(const QImage& image, const QString& name) {
    end(true);
    Q_EMIT captured(image, name);
}

void Capture::cancel() {
    if (!isRunning_) {
        return;
    }
    if (overlay_) {
        overlay_->cancel();
        return;
    }
    source_->cancel();
    end(wasShown_);
    Q_EMIT cancelled();
}

void Capture::fail(CaptureFault fault) {
    MessageItem message;
    switch (fault) {
        case CaptureFault::Unavailable:
            message.text = tr("This desktop does not let programs see the screen.");
            break;
        case CaptureFault::Refused:
            message.text = tr("The desktop did not allow to capture the screen.");
            break;
        case CaptureFault::NoAnswer:
            message.text = tr("The desktop did not answer when it was asked for the screen.");
            break;
        case CaptureFault::WrongAnswer:
            message.text = tr("What the desktop gave is not a picture of the screen.");
            break;
    }
    message.text +=
        QLatin1Char(' ') + tr("Take a screenshot with its own tool and paste or drop it here.");
    end(true);
    Q_EMIT failed(message);
}

void Capture::end(bool showsWindow) {
    isRunning_ = false;
    second_.stop();
    settle_.stop();
    countdown_.reset();
    if (overlay_) {
        overlay_.release()->deleteLater();  // it may be speaking
    }
    if (showsWindow) {
        window_.setWindowState(window_.windowState() & ~Qt::WindowMinimized);
        window_.show();
        window_.raise();
        window_.activateWindow();
    }
}

}  // namespace bifocal::ui
