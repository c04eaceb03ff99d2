// SPDX-License-Identifier: Apache-2.0
#include "ui/views/prompt_chip.h"

#include "ui/views/icons.h"
#include "ui/views/paint.h"
#include "ui/views/theme.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace bifocal::ui {

namespace {

constexpr int kPictureHeight = 38;
constexpr int kMinusHeight = 28;
constexpr int kThumbnailSide = 32;
constexpr int kCrossSide = 16;
constexpr int kLongestText = 160;

}  // namespace

PromptChip::PromptChip(Kind kind, const QString& text, const Theme& theme, QWidget* parent)
    : QWidget(parent), kind_(kind), text_(text), theme_(theme) {
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFont(theme.font(TextSize::Body));
    setToolTip(text);
    setAccessibleName(kind == Kind::Picture ? tr("picture of the prompt: %1").arg(text)
                                            : tr("left out: %1").arg(text));
    setAccessibleDescription(tr("press Delete to remove it"));
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void PromptChip::setThumbnail(const QImage& image) {
    thumbnail_ = image;
    update();
}

QString PromptChip::shownText() const {
    const QString text = kind_ == Kind::Minus ? QStringLiteral("− %1").arg(text_) : text_;
    return fontMetrics().elidedText(text, Qt::ElideMiddle, kLongestText);
}

QSize PromptChip::sizeHint() const {
    const int text = fontMetrics().horizontalAdvance(shownText());
    return kind_ == Kind::Picture
               ? QSize(3 + kThumbnailSide + 8 + text + 6 + kCrossSide + 5, kPictureHeight)
               : QSize(10 + text + 4 + kCrossSide + 4, kMinusHeight);
}

QRect PromptChip::crossRect() const {
    return {width() - kCrossSide - 5, (height() - kCrossSide) / 2, kCrossSide, kCrossSide};
}

void PromptChip::paintEvent(QPaintEvent* /*event*/) {
    const Palette& palette = theme_.palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool isPicture = kind_ == Kind::Picture;
    painter.setBrush(isPicture ? palette.raised : QColor(Qt::transparent));
    QPen pen(hasFocus() ? palette.text : isPicture ? palette.looks : palette.faint, 1);
    if (!isPicture) {
        pen.setStyle(Qt::DashLine);
    }
    painter.setPen(pen);
    painter.drawRoundedRect(frame, 7, 7);
    int left = 10;
    if (isPicture) {
        const QRectF box(3, 3, kThumbnailSide, kThumbnailSide);
        QPainterPath corners;
        corners.addRoundedRect(box, 5, 5);
        painter.save();
        painter.setClipPath(corners);
        painter.fillRect(box, hasThumbnail() ? palette.paper : palette.hairline);
        paintPicture(painter, box, thumbnail_, 8, 1);
        painter.restore();
        left = 3 + kThumbnailSide + 8;
    }
    painter.setPen(isPicture ? palette.text : palette.muted);
    painter.drawText(QRect(left, 0, width(), height()), Qt::AlignVCenter, shownText());
    paintGlyph(painter, Glyph::Close, crossRect(), palette.muted);
}

void PromptChip::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton &&
        crossRect().adjusted(-4, -8, 6, 8).contains(event->position().toPoint())) {
        Q_EMIT removed();
    }
}

void PromptChip::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace ||
        event->key() == Qt::Key_Space) {
        Q_EMIT removed();
        return;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace bifocal::ui
