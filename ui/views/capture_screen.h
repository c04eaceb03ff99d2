// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_image.h"

#include <QPixmap>
#include <QRegion>
#include <QWidget>

namespace bifocal::ui {

class RegionSelection;
class Theme;

/// One screen, frozen and dimmed, with the part of the selection that lies on it, a crosshair and a
/// loupe. It says where the pointer is and what was pressed; what that means is the overlay's.
/// Threads: gui.
class CaptureScreen final : public QWidget {
    Q_OBJECT

public:
    /// `selection` and `theme` must outlive it.
    CaptureScreen(const ScreenImage& screen, const RegionSelection& selection, const Theme& theme);

    /// Device pixels of the desktop from a place in this window and back.
    QPoint toDesktop(const QPointF& place) const;
    QRectF fromDesktop(const QRect& region) const;
    /// Device pixels for one of Qt's.
    double scale() const { return screen_.scale; }

    /// Paints what changed since the last time.
    void follow();

    /// The loupe shows this many pixels across; odd, for one is in the middle.
    static constexpr int kLoupePixels = 15;

Q_SIGNALS:
    void pointed(const QPoint& pointer);
    void pressed(const QPoint& pointer);
    void released(const QPoint& pointer, Qt::KeyboardModifiers modifiers);
    void accepted();  ///< a double click
    void cancelled();
    void keyPressed(QKeyEvent* event);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    QRegion decorations() const;
    QRect loupe() const;
    bool hasPointer() const;
    void paintHint(QPainter& painter) const;
    void paintRegion(QPainter& painter) const;
    void paintLoupe(QPainter& painter) const;

    const ScreenImage screen_;
    const RegionSelection& selection_;
    const Theme& theme_;
    QPixmap picture_;
    QRegion painted_;  // decorations of the last time
};

}  // namespace bifocal::ui
