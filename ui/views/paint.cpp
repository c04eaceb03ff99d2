// SPDX-License-Identifier: Apache-2.0
#include "ui/views/paint.h"

#include "ui/views/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QPixmapCache>

#include <algorithm>

namespace bifocal::ui {

void paintFit(QPainter& painter, const QRectF& square, Fit fit, const QColor& colour) {
    if (fit == Fit::None) {
        return;
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF ring = square.adjusted(0.75, 0.75, -0.75, -0.75);
    painter.setPen(QPen(colour, 1.5));
    painter.setBrush(fit == Fit::Strong ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter.drawEllipse(ring);
    if (fit == Fit::Fair) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPie(ring, 90 * 16, 180 * 16);
    }
    painter.restore();
}

void paintWhyBar(
    QPainter& painter, const QRectF& bar, double words, double looks, const Palette& palette) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath track;
    track.addRoundedRect(bar, bar.height() / 2, bar.height() / 2);
    painter.setClipPath(track);
    painter.fillRect(bar, palette.hairline);
    const double wordsWidth = bar.width() * std::clamp(words, 0.0, 1.0);
    const double looksWidth =
        std::min(bar.width() - wordsWidth, bar.width() * std::clamp(looks, 0.0, 1.0));
    painter.fillRect(QRectF(bar.left(), bar.top(), wordsWidth, bar.height()), palette.words);
    painter.fillRect(QRectF(bar.left() + wordsWidth, bar.top(), looksWidth, bar.height()),
                     palette.looks);
    painter.restore();
}

void paintPicture(
    QPainter& painter, const QRectF& box, const QImage& image, double maxScale, double opacity) {
    if (image.isNull() || box.isEmpty()) {
        return;
    }
    const double ratio = painter.device()->devicePixelRatioF();
    const double scale =
        std::min({box.width() / image.width(), box.height() / image.height(), maxScale});
    const QSize device = (QSizeF(image.size()) * scale * ratio).toSize().expandedTo(QSize(1, 1));
    const QString key = QStringLiteral("bifocal/%1/%2x%3")
                            .arg(image.cacheKey())
                            .arg(device.width())
                            .arg(device.height());
    QPixmap pixmap;
    if (!QPixmapCache::find(key, &pixmap)) {
        pixmap = QPixmap::fromImage(
            image.scaled(device, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
        pixmap.setDevicePixelRatio(ratio);
        QPixmapCache::insert(key, pixmap);
    }
    const QSizeF size = QSizeF(device) / ratio;
    painter.save();
    painter.setOpacity(opacity);
    painter.drawPixmap(
        QPointF(box.center().x() - size.width() / 2, box.center().y() - size.height() / 2), pixmap);
    painter.restore();
}

}  // namespace bifocal::ui
