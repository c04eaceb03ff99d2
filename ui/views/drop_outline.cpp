// SPDX-License-Identifier: Apache-2.0
#include "ui/views/drop_outline.h"

#include "ui/views/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace bifocal::ui {

DropOutline::DropOutline(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropOutline::paintEvent(QPaintEvent* /*event*/) {
    const Palette& palette = theme_.palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = palette.canvas;
    veil.setAlphaF(0.6F);
    painter.fillRect(rect(), veil);
    painter.setPen(QPen(palette.looks, 3));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(6, 6, -6, -6), 12, 12);
    painter.setFont(theme_.font(TextSize::Prompt, QFont::DemiBold));
    const QString text = tr("Drop to search with this picture");
    const int width = painter.fontMetrics().horizontalAdvance(text) + 48;
    const QRect label((this->width() - width) / 2, height() / 2 - 24, width, 48);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette.panel);
    painter.drawRoundedRect(label, 10, 10);
    painter.setPen(palette.text);
    painter.drawText(label, Qt::AlignCenter, text);
}

}  // namespace bifocal::ui
