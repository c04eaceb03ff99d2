// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QColor>
#include <QImage>
#include <QRectF>

class QPainter;

namespace bifocal::ui {

struct Palette;

/// Full, half or empty circle: strong, fair, weak; nothing for a picture without rank.
void paintFit(QPainter& painter, const QRectF& square, Fit fit, const QColor& colour);

/// A bar split into words (blue, first) and looks (amber) over an empty track; shares of its width.
void paintWhyBar(
    QPainter& painter, const QRectF& bar, double words, double looks, const Palette& palette);

/// The picture, fitted into `box` without enlarging beyond `maxScale`, over white paper.
void paintPicture(
    QPainter& painter, const QRectF& box, const QImage& image, double maxScale, double opacity);

}  // namespace bifocal::ui
