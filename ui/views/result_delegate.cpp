// SPDX-License-Identifier: Apache-2.0
#include "ui/views/result_delegate.h"

#include "ui/models/roles.h"
#include "ui/views/icons.h"
#include "ui/views/paint.h"
#include "ui/views/theme.h"
#include "ui/views/thumbnail_fade.h"

#include <QFontMetrics>
#include <QListView>
#include <QPainter>
#include <QPainterPath>

namespace bifocal::ui {

namespace {

constexpr double kFooterHeight = 44;
constexpr double kPictureAspect = 0.66;

}  // namespace

ResultDelegate::ResultDelegate(const Theme& theme, QObject* parent, const ThumbnailFade* fade)
    : QAbstractItemDelegate(parent), theme_(theme), fade_(fade) {}

int ResultDelegate::cellHeight(int cellWidth) {
    return static_cast<int>((cellWidth - kGap) * kPictureAspect + kFooterHeight) + kGap;
}

QSize ResultDelegate::sizeHint(const QStyleOptionViewItem& option,
                               const QModelIndex& /*index*/) const {
    const auto* view = qobject_cast<const QListView*>(option.widget);
    return view == nullptr ? QSize() : view->gridSize();
}

void ResultDelegate::paint(QPainter* painter,
                           const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
    const Palette& palette = theme_.palette();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const double half = kGap / 2.0;
    const QRectF card = QRectF(option.rect).adjusted(half, half, -half, -half);
    const bool isChosen = option.state.testFlag(QStyle::State_Selected);
    const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);

    QPainterPath outline;
    outline.addRoundedRect(card, Theme::kRadius, Theme::kRadius);
    painter->fillPath(outline, palette.raised);
    painter->save();
    painter->setClipPath(outline);
    const QRectF picture(card.left(), card.top(), card.width(), card.height() - kFooterHeight);
    paintThumbnail(*painter, picture, index);
    painter->restore();
    paintFooter(
        *painter, QRectF(card.left(), picture.bottom(), card.width(), kFooterHeight), index);

    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(isHovered ? palette.faint : palette.hairline, 1));
    painter->drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), Theme::kRadius, Theme::kRadius);
    if (isChosen) {
        painter->setPen(QPen(palette.strong, 2));
        painter->drawRoundedRect(
            card.adjusted(-2, -2, 2, 2), Theme::kRadius + 2, Theme::kRadius + 2);
    }
    painter->restore();
}

void ResultDelegate::paintThumbnail(QPainter& painter,
                                    const QRectF& box,
                                    const QModelIndex& index) const {
    const Palette& palette = theme_.palette();
    const QVariant thumbnail = index.data(ThumbnailRole);
    const double opacity = fade_ == nullptr ? 1.0 : fade_->opacity(index);
    if (!thumbnail.isValid() || opacity < 1) {
        painter.fillRect(box, palette.canvas);
    }
    if (thumbnail.isValid()) {
        painter.setOpacity(opacity);
        painter.fillRect(box, palette.paper);
        paintPicture(painter, box.adjusted(8, 8, -8, -8), thumbnail.value<QImage>(), 1.5, opacity);
        return;
    }
    if (index.data(ThumbnailFailedRole).toBool()) {
        const QPointF centre = box.center();
        paintGlyph(painter,
                   Glyph::BrokenPicture,
                   QRectF(centre.x() - 14, centre.y() - 14, 28, 28),
                   palette.faint);
    }
}

void ResultDelegate::paintFooter(QPainter& painter,
                                 const QRectF& box,
                                 const QModelIndex& index) const {
    const Palette& palette = theme_.palette();
    const auto fit = static_cast<Fit>(index.data(FitRole).toInt());
    const QRectF inner = box.adjusted(10, 8, -10, -8);
    double left = inner.left();
    if (fit != Fit::None) {
        paintFit(painter, QRectF(left, inner.top() + 4, 8, 8), fit, palette.text);
        left += 14;
    }
    const bool isOwn = index.data(ThisPictureRole).toBool();
    painter.setFont(theme_.font(TextSize::Body, isOwn ? QFont::DemiBold : QFont::Normal));
    painter.setPen(palette.text);
    const QRectF line(left, inner.top(), inner.right() - left, 16);
    painter.drawText(line,
                     Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(
                         index.data().toString(), Qt::ElideMiddle, static_cast<int>(line.width())));
    if (fit != Fit::None) {
        paintWhyBar(painter,
                    QRectF(inner.left(), inner.bottom() - 4, inner.width(), 4),
                    index.data(WordsShareRole).toDouble(),
                    index.data(LooksShareRole).toDouble(),
                    palette);
    } else {
        painter.setFont(theme_.font(TextSize::Small));
        painter.setPen(palette.muted);
        const QString date = index.data(DateTextRole).toString();
        painter.drawText(QRectF(inner.left(), inner.bottom() - 11, inner.width(), 14), date);
    }
}

}  // namespace bifocal::ui
