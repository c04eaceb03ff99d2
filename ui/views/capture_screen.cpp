// SPDX-License-Identifier: Apache-2.0
#include "ui/views/capture_screen.h"

#include "ui/models/region_selection.h"
#include "ui/views/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <array>
#include <cmath>

namespace bifocal::ui {

namespace {

constexpr int kMagnification = 8;
constexpr int kLoupeSide = CaptureScreen::kLoupePixels * kMagnification;
constexpr int kReadOutHeight = 22;
constexpr int kAway = 20;  // of the loupe from the pointer
constexpr int kHandle = 8;
const QColor kDim(0, 0, 0, 110);

}  // namespace

CaptureScreen::CaptureScreen(const ScreenImage& screen,
                             const RegionSelection& selection,
                             const Theme& theme)
    : screen_(screen), selection_(selection), theme_(theme) {
    setWindowFlags(Qt::FramelessWindowHint | Qt::WindowStaysOnTopHint |
                   Qt::X11BypassWindowManagerHint | Qt::Tool);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("capture a region"));
    setCursor(Qt::CrossCursor);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setGeometry(screen.geometry);
    picture_ = QPixmap::fromImage(screen.image);
    picture_.setDevicePixelRatio(scale());
}

QPoint CaptureScreen::toDesktop(const QPointF& place) const {
    // What Qt divided by the scale factor comes back a hair below the pixel that it was.
    constexpr double kHair = 0.01;
    return screen_.pixels.topLeft() +
           QPoint(static_cast<int>(std::floor(place.x() * scale() + kHair)),
                  static_cast<int>(std::floor(place.y() * scale() + kHair)));
}

QRectF CaptureScreen::fromDesktop(const QRect& region) const {
    const QPointF first = QPointF(region.topLeft() - screen_.pixels.topLeft()) / scale();
    return {first, QSizeF(region.size()) / scale()};
}

bool CaptureScreen::hasPointer() const {
    return screen_.pixels.contains(selection_.pointer());
}

QRect CaptureScreen::loupe() const {
    const QPoint pointer = fromDesktop(QRect(selection_.pointer(), QSize(1, 1))).center().toPoint();
    QRect box(pointer + QPoint(kAway, kAway), QSize(kLoupeSide, kLoupeSide + kReadOutHeight));
    if (box.right() > width()) {
        box.moveRight(pointer.x() - kAway);
    }
    if (box.bottom() > height()) {
        box.moveBottom(pointer.y() - kAway);
    }
    return box;
}

QRegion CaptureScreen::decorations() const {
    QRegion all(fromDesktop(selection_.region())
                    .toAlignedRect()
                    .adjusted(-kHandle, -kHandle, kHandle, kHandle));
    if (hasPointer()) {
        const QPoint pointer =
            fromDesktop(QRect(selection_.pointer(), QSize(1, 1))).center().toPoint();
        all += loupe().adjusted(-2, -2, 2, 2);
        all += QRect(0, pointer.y() - 2, width(), 4);
        all += QRect(pointer.x() - 2, 0, 4, height());
    }
    return all;
}

void CaptureScreen::follow() {
    const QRegion now = decorations();
    update(painted_ + now);
    painted_ = now;
}

void CaptureScreen::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.drawPixmap(0, 0, picture_);
    painter.fillRect(rect(), kDim);
    paintRegion(painter);
    if (hasPointer()) {
        paintLoupe(painter);
    }
    if (selection_.state() != RegionSelection::State::Dragging) {
        paintHint(painter);
    }
}

void CaptureScreen::paintRegion(QPainter& painter) const {
    const QRect part = selection_.region() & screen_.pixels;
    if (part.isEmpty()) {
        return;
    }
    painter.drawPixmap(
        fromDesktop(part), picture_, QRectF(part.translated(-screen_.pixels.topLeft())));
    const QRectF frame = fromDesktop(selection_.region());
    const bool isChosen = selection_.state() != RegionSelection::State::Hovering;
    painter.setPen(QPen(theme_.palette().looks, 2, isChosen ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(frame.adjusted(-1, -1, 1, 1));
    if (selection_.state() != RegionSelection::State::Adjusting) {
        return;
    }
    const QPointF middle = frame.center();
    for (const double x : {frame.left(), middle.x(), frame.right()}) {
        for (const double y : {frame.top(), middle.y(), frame.bottom()}) {
            if (QPointF(x, y) != middle) {
                painter.fillRect(QRectF(x - kHandle / 2.0, y - kHandle / 2.0, kHandle, kHandle),
                                 theme_.palette().looks);
            }
        }
    }
}

void CaptureScreen::paintLoupe(QPainter& painter) const {
    const QPoint at = selection_.pointer();
    if (selection_.state() == RegionSelection::State::Hovering) {
        const QPointF pointer = fromDesktop(QRect(at, QSize(1, 1))).center();
        painter.setPen(QPen(theme_.palette().looks, 1));
        painter.drawLine(QPointF(0, pointer.y()), QPointF(width(), pointer.y()));
        painter.drawLine(QPointF(pointer.x(), 0), QPointF(pointer.x(), height()));
    }
    const QRect box = loupe();
    const QRect glass(box.topLeft(), QSize(kLoupeSide, kLoupeSide));
    constexpr int kHalf = kLoupePixels / 2;
    const QPoint own = at - screen_.pixels.topLeft();
    painter.fillRect(box, theme_.palette().panel);
    painter.save();
    painter.setClipRect(glass);
    painter.drawImage(
        QRectF(glass),
        screen_.image.copy(QRect(own - QPoint(kHalf, kHalf), QSize(kLoupePixels, kLoupePixels))));
    painter.restore();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(theme_.palette().looks);
    painter.drawRect(QRect(glass.topLeft() + QPoint(kHalf, kHalf) * kMagnification,
                           QSize(kMagnification, kMagnification)));
    painter.setPen(theme_.palette().hairline);
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    painter.setFont(theme_.font(TextSize::Small));
    painter.setPen(theme_.palette().text);
    const QRect& region = selection_.region();
    const QString readOut =
        region.isEmpty() ? QStringLiteral("%1, %2").arg(at.x()).arg(at.y())
                         : QStringLiteral("%1 × %2").arg(region.width()).arg(region.height());
    painter.drawText(box.adjusted(0, kLoupeSide, 0, 0), Qt::AlignCenter, readOut);
}

void CaptureScreen::paintHint(QPainter& painter) const {
    const QString text =
        selection_.state() == RegionSelection::State::Adjusting
            ? tr("Drag edges, or arrow keys to move and Shift to grow · Enter searches · Esc cancels")
            : tr("Drag over what you are looking for, or click a window · Shift: adjust first · "
                 "F: whole screen · R: last region · Esc cancels");
    painter.setFont(theme_.font(TextSize::Title));
    const int padding = 16;
    const int wanted = painter.fontMetrics().horizontalAdvance(text) + 2 * padding;
    QRect hint(0, 0, std::min(wanted, width()), 36);
    hint.moveCenter(QPoint(width() / 2, 42));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.palette().panel);
    painter.drawRoundedRect(hint, 8, 8);
    painter.setPen(theme_.palette().text);
    painter.drawText(hint.adjusted(padding, 0, -padding, 0), Qt::AlignCenter, text);
}

void CaptureScreen::keyPressEvent(QKeyEvent* event) {
    Q_EMIT keyPressed(event);
}

// A widget's position is rounded to Qt's pixels; the window's, which is the same here, is not.
void CaptureScreen::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        Q_EMIT pressed(toDesktop(event->scenePosition()));
    } else if (event->button() == Qt::RightButton) {
        Q_EMIT cancelled();
    }
}

void CaptureScreen::mouseMoveEvent(QMouseEvent* event) {
    Q_EMIT pointed(toDesktop(event->scenePosition()));
}

void CaptureScreen::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        Q_EMIT released(toDesktop(event->scenePosition()), event->modifiers());
    }
}

void CaptureScreen::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        Q_EMIT accepted();
    }
}

}  // namespace bifocal::ui
