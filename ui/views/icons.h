// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QIcon>

#include <cstdint>

class QPainter;
class QRectF;

namespace bifocal::ui {

enum class Glyph : std::uint8_t {
    Capture = 1,
    Picture,
    Pause,
    Resume,
    Close,
    Plus,
    BrokenPicture,
    Microphone,
};

/// Draws a glyph of thin lines into a square; no file, no SVG plug-in, sharp at every scale.
void paintGlyph(QPainter& painter, Glyph glyph, const QRectF& square, const QColor& colour);

/// The same as an icon of 20 × 20.
QIcon glyphIcon(Glyph glyph, const QColor& colour);

/// The two overlapping rings: words and looks.
void paintMark(QPainter& painter, const QRectF& box, const QColor& words, const QColor& looks);
QIcon applicationIcon();

}  // namespace bifocal::ui
