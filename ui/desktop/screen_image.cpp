// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/screen_image.h"

#include <QPainter>

namespace bifocal::ui {

QRect desktopOf(const QList<ScreenImage>& screens) {
    QRect all;
    for (const ScreenImage& screen : screens) {
        all |= screen.pixels;
    }
    return all;
}

QImage cropOf(const QList<ScreenImage>& screens, const QRect& region) {
    QImage crop(region.size(), QImage::Format_RGB32);
    crop.fill(Qt::black);
    QPainter painter(&crop);
    painter.setCompositionMode(QPainter::CompositionMode_Source);
    for (const ScreenImage& screen : screens) {
        const QRect part = region & screen.pixels;
        if (!part.isEmpty()) {
            painter.drawImage(part.topLeft() - region.topLeft(),
                              screen.image,
                              part.translated(-screen.pixels.topLeft()));
        }
    }
    return crop;
}

}  // namespace bifocal::ui
