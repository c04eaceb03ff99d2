// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QList>
#include <QRect>

namespace bifocal::ui {

/// What one screen showed at one moment. Screens may have different scale factors, so places on
/// the desktop are counted in device pixels; only a window is placed in Qt's own coordinates.
/// Threads: value.
struct ScreenImage {
    QRect geometry;    ///< where a window lies that covers the screen, in Qt's coordinates
    QRect pixels;      ///< its place on the desktop, in device pixels
    QImage image;      ///< pixels.size(), device pixel ratio 1
    double scale = 1;  ///< device pixels for one of Qt's; geometry is rounded, so it cannot tell
};

/// The smallest rectangle with all of them, in device pixels.
QRect desktopOf(const QList<ScreenImage>& screens);

/// The part of the desktop in `region`, in device pixels, pixel for pixel; black where no screen
/// is.
QImage cropOf(const QList<ScreenImage>& screens, const QRect& region);

}  // namespace bifocal::ui
