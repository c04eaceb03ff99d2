// SPDX-License-Identifier: Apache-2.0
#include "ui/views/capture_overlay.h"

#include "ui/views/theme.h"

#include <QCloseEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScreen>

#include <algorithm>

namespace bifocal::ui {

namespace {

constexpr int kSmallestSide = 8;

QPixmap grabDesktop(const QRect& desktop) {
    double ratio = 1;
    for (const QScreen* screen : QGuiApplication::screens()) {
        ratio = std::max(ratio, screen->devicePixelRatio());
    }
    QPixmap all(desktop.size() * ratio);
    all.setDevicePixelRatio(ratio);
    all.fill(Qt::black);
    QPainter painter(&all);
    for (QScreen* screen : QGuiApplication::screens()) {
        const QPixmap part = screen->grabWindow(0);
        painter.drawPixmap(screen->geometry().translated(-desktop.topLeft()), part);
    }
    return all;
}

}  // namespace

CaptureOverlay::CaptureOverlay(const Theme& theme) : theme_(theme) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowFlags(Qt::FramelessWindowHint | Qt::WindowStaysOnTopHint |
                   Qt::X11BypassWindowManagerHint | Qt::Tool);
    setAccessibleName(tr("capture a region"));
    setCursor(Qt::CrossCursor);
    const QRect desktop = QGuiApplication::primaryScreen()->virtualGeometry();
    desktop_ = grabDesktop(desktop);
    setGeometry(desktop);
    setFocusPolicy(Qt::StrongFocus);
}

QRect CaptureOverlay::selection() const {
    return QRect(from_, to_).normalized();
}

void CaptureOverlay::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.drawPixmap(rect(), desktop_);
    painter.fillRect(rect(), QColor(0, 0, 0, 110));
    if (!isDragging_) {
        const QRect hint(width() / 2 - 220, 24, 440, 36);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme_.palette().panel);
        painter.drawRoundedRect(hint, 8, 8);
        painter.setFont(theme_.font(TextSize::Title));
        painter.setPen(theme_.palette().text);
        painter.drawText(
            hint, Qt::AlignCenter, tr("Drag over what you are looking for · Esc cancels"));
        return;
    }
    const QRect region = selection();
    const double ratio = desktop_.devicePixelRatio();
    painter.drawPixmap(QRectF(region),
                       desktop_,
                       QRectF(region.x() * ratio,
                              region.y() * ratio,
                              region.width() * ratio,
                              region.height() * ratio));
    painter.setPen(QPen(theme_.palette().looks, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(region.adjusted(-1, -1, 1, 1));
    painter.setFont(theme_.font(TextSize::Small));
    const QString size = QStringLiteral("%1 × %2")
                             .arg(qRound(region.width() * ratio))
                             .arg(qRound(region.height() * ratio));
    const QRect label(region.left(), region.bottom() + 6, 96, 20);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.palette().panel);
    painter.drawRoundedRect(label, 5, 5);
    painter.setPen(theme_.palette().text);
    painter.drawText(label, Qt::AlignCenter, size);
}

void CaptureOverlay::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        cancel();
    }
}

void CaptureOverlay::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        from_ = to_ = event->position().toPoint();
        isDragging_ = true;
        update();
    }
}

void CaptureOverlay::mouseMoveEvent(QMouseEvent* event) {
    if (isDragging_) {
        to_ = event->position().toPoint();
        update();
    }
}

void CaptureOverlay::mouseReleaseEvent(QMouseEvent* event) {
    if (isDragging_ && event->button() == Qt::LeftButton) {
        to_ = event->position().toPoint();
        finish();
    }
}

void CaptureOverlay::finish() {
    const QRect region = selection();
    if (region.width() < kSmallestSide || region.height() < kSmallestSide) {
        cancel();
        return;
    }
    if (isOver_) {
        return;
    }
    isOver_ = true;
    const double ratio = desktop_.devicePixelRatio();
    const QRect pixels(qRound(region.x() * ratio),
                       qRound(region.y() * ratio),
                       qRound(region.width() * ratio),
                       qRound(region.height() * ratio));
    QImage image = desktop_.copy(pixels).toImage();
    image.setDevicePixelRatio(1);
    Q_EMIT captured(image);  // before closing: the window is back by then
    close();
}

void CaptureOverlay::cancel() {
    close();
}

void CaptureOverlay::closeEvent(QCloseEvent* event) {
    QWidget::closeEvent(event);
    if (!isOver_) {
        isOver_ = true;
        Q_EMIT cancelled();
    }
}

}  // namespace bifocal::ui
