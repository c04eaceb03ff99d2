// SPDX-License-Identifier: Apache-2.0
#include "ui/views/icons.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

#include <tuple>

namespace bifocal::ui {

namespace {

constexpr double kGrid = 20;  // glyphs are drawn on 20 × 20

void paintCapture(QPainter& painter) {
    QPainterPath corners;
    for (const auto& [x, y, dx, dy] : {std::tuple(3.0, 3.0, 1.0, 1.0),
                                       std::tuple(17.0, 3.0, -1.0, 1.0),
                                       std::tuple(17.0, 17.0, -1.0, -1.0),
                                       std::tuple(3.0, 17.0, 1.0, -1.0)}) {
        corners.moveTo(x + 4 * dx, y);
        corners.lineTo(x + 1.5 * dx, y);
        corners.quadTo(x, y, x, y + 1.5 * dy);
        corners.lineTo(x, y + 4 * dy);
    }
    painter.drawPath(corners);
    painter.drawLine(QPointF(10, 7), QPointF(10, 13));
    painter.drawLine(QPointF(7, 10), QPointF(13, 10));
}

void paintMicrophone(QPainter& painter) {
    painter.drawRoundedRect(QRectF(7.25, 2.75, 5.5, 9), 2.75, 2.75);
    QPainterPath stand;
    stand.moveTo(4.5, 9.5);
    stand.cubicTo(4.5, 16.2, 15.5, 16.2, 15.5, 9.5);
    stand.moveTo(10, 14.6);
    stand.lineTo(10, 17.5);
    painter.drawPath(stand);
}

void paintPicture(QPainter& painter) {
    painter.drawRoundedRect(QRectF(2.75, 4.25, 14.5, 11.5), 2, 2);
    painter.drawEllipse(QPointF(6.75, 8), 1.3, 1.3);
    QPainterPath hills;
    hills.moveTo(3.5, 14.5);
    hills.lineTo(8, 10.8);
    hills.lineTo(10.5, 13);
    hills.lineTo(13.3, 9.8);
    hills.lineTo(16.8, 13.4);
    painter.drawPath(hills);
}

}  // namespace

void paintGlyph(QPainter& painter, Glyph glyph, const QRectF& square, const QColor& colour) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(square.topLeft());
    painter.scale(square.width() / kGrid, square.height() / kGrid);
    painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    switch (glyph) {
        case Glyph::Capture: paintCapture(painter); break;
        case Glyph::Picture: paintPicture(painter); break;
        case Glyph::BrokenPicture:
            paintPicture(painter);
            painter.drawLine(QPointF(3.5, 17), QPointF(16.5, 3));
            break;
        case Glyph::Microphone: paintMicrophone(painter); break;
        case Glyph::Pause:
            painter.drawLine(QPointF(7.5, 6), QPointF(7.5, 14));
            painter.drawLine(QPointF(12.5, 6), QPointF(12.5, 14));
            break;
        case Glyph::Resume:
            painter.drawPolygon(
                QPolygonF({QPointF(7.5, 5.5), QPointF(14, 10), QPointF(7.5, 14.5)}));
            break;
        case Glyph::Close:
            painter.drawLine(QPointF(6.5, 6.5), QPointF(13.5, 13.5));
            painter.drawLine(QPointF(13.5, 6.5), QPointF(6.5, 13.5));
            break;
        case Glyph::Plus:
            painter.drawLine(QPointF(10, 5), QPointF(10, 15));
            painter.drawLine(QPointF(5, 10), QPointF(15, 10));
            break;
    }
    painter.restore();
}

QIcon glyphIcon(Glyph glyph, const QColor& colour) {
    QIcon icon;
    for (const int scale : {1, 2, 3}) {
        const int side = 20 * scale;
        QPixmap pixmap(side, side);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintGlyph(painter, glyph, QRectF(0, 0, side, side), colour);
        painter.end();
        pixmap.setDevicePixelRatio(scale);
        icon.addPixmap(pixmap);
    }
    return icon;
}

void paintMark(QPainter& painter, const QRectF& box, const QColor& words, const QColor& looks) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double pen = box.height() * 0.14;
    const double radius = (box.height() - pen) / 2;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(words, pen));
    painter.drawEllipse(QPointF(box.left() + box.height() / 2, box.center().y()), radius, radius);
    painter.setPen(QPen(looks, pen));
    painter.drawEllipse(QPointF(box.right() - box.height() / 2, box.center().y()), radius, radius);
    painter.restore();
}

QIcon applicationIcon() {
    QIcon icon;
    for (const int side : {16, 32, 48, 128, 256}) {
        QPixmap pixmap(side, side);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        const double height = side * 0.58;
        paintMark(painter,
                  QRectF(0, (side - height) / 2, side, height),
                  QColor(0x4c8dff),
                  QColor(0xf2a33a));
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

}  // namespace bifocal::ui
