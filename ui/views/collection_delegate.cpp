// SPDX-License-Identifier: Apache-2.0
#include "ui/views/collection_delegate.h"

#include "ui/models/items.h"
#include "ui/models/roles.h"
#include "ui/views/icons.h"
#include "ui/views/theme.h"

#include <QFontMetrics>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleOptionViewItem>

namespace bifocal::ui {

namespace {

constexpr int kRowHeight = 32;
constexpr int kProgressHeight = 28;

bool isScanning(const QModelIndex& index) {
    return index.data(ProgressRole).isValid();
}

}  // namespace

CollectionDelegate::CollectionDelegate(const Theme& theme, QObject* parent)
    : QAbstractItemDelegate(parent), theme_(theme) {}

QSize CollectionDelegate::sizeHint(const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
    return {option.rect.width(), kRowHeight + (isScanning(index) ? kProgressHeight : 0)};
}

QRect CollectionDelegate::pauseRect(const QRect& row) {
    return {row.right() - 26, row.top() + kRowHeight + 6, 20, 20};
}

void CollectionDelegate::paint(QPainter* painter,
                               const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
    const Palette& palette = theme_.palette();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRect row(option.rect.left(), option.rect.top(), option.rect.width(), kRowHeight);
    const bool isChosen = option.state.testFlag(QStyle::State_Selected);
    if (isChosen || option.state.testFlag(QStyle::State_MouseOver)) {
        painter->setPen(option.state.testFlag(QStyle::State_HasFocus) && isChosen
                            ? QPen(palette.hairline, 1)
                            : QPen(Qt::NoPen));
        QColor fill = palette.raised;
        fill.setAlphaF(isChosen ? 1.0F : 0.5F);
        painter->setBrush(fill);
        painter->drawRoundedRect(QRectF(row).adjusted(0.5, 1.5, -0.5, -1.5), 7, 7);
    }
    const QRect inner = row.adjusted(8, 0, -8, 0);
    painter->setFont(theme_.font(TextSize::Title));
    const QString count = QLocale().toString(index.data(CountRole).toULongLong());
    painter->setPen(palette.muted);
    painter->drawText(inner, Qt::AlignVCenter | Qt::AlignRight, count);
    painter->setPen(palette.text);
    const int room = inner.width() - painter->fontMetrics().horizontalAdvance(count) - 12;
    painter->drawText(
        inner,
        Qt::AlignVCenter | Qt::AlignLeft,
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, room));
    if (isScanning(index)) {
        const QRectF track(inner.left(), row.bottom() + 2, inner.width(), 3);
        painter->setPen(Qt::NoPen);
        painter->setBrush(palette.hairline);
        painter->drawRoundedRect(track, 1.5, 1.5);
        painter->setBrush(palette.ramp2);
        painter->drawRoundedRect(QRectF(track.left(),
                                        track.top(),
                                        track.width() * index.data(ProgressRole).toDouble(),
                                        track.height()),
                                 1.5,
                                 1.5);
        painter->setFont(theme_.font(TextSize::Small));
        painter->setPen(palette.muted);
        const QRect pause = pauseRect(option.rect);
        const QRect figures(inner.left(), row.bottom() + 8, pause.left() - inner.left() - 4, 16);
        painter->drawText(
            figures,
            Qt::AlignVCenter,
            painter->fontMetrics().elidedText(
                index.data(ProgressTextRole).toString(), Qt::ElideRight, figures.width()));
        const bool isPaused =
            index.data(ScanStateRole).toInt() == static_cast<int>(ScanState::Paused);
        paintGlyph(*painter,
                   isPaused ? Glyph::Resume : Glyph::Pause,
                   QRectF(pause).adjusted(2, 2, -2, -2),
                   palette.muted);
    }
    painter->restore();
}

bool CollectionDelegate::editorEvent(QEvent* event,
                                     QAbstractItemModel* /*model*/,
                                     const QStyleOptionViewItem& option,
                                     const QModelIndex& index) {
    if (event->type() != QEvent::MouseButtonRelease || !isScanning(index)) {
        return false;
    }
    const QPoint where = static_cast<QMouseEvent*>(event)->position().toPoint();
    if (!pauseRect(option.rect).adjusted(-3, -3, 3, 3).contains(where)) {
        return false;
    }
    Q_EMIT pauseToggled(index);
    return true;
}

}  // namespace bifocal::ui
