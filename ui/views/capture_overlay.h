// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_image.h"
#include "ui/models/region_selection.h"

#include <QImage>
#include <QList>
#include <QObject>

#include <memory>
#include <vector>

class QKeyEvent;

namespace bifocal::ui {

class CaptureScreen;
class Theme;

/// Every screen, frozen, over which one rectangle is chosen: dragged, or a window clicked.
/// Releasing the button takes it; with Shift it stays, to be adjusted by its edges and the arrow
/// keys until Enter. F takes the screen under the pointer, R the region of the last time; Escape,
/// the right button or a change of the screens cancels. Exactly one of captured and cancelled
/// comes. Threads: gui.
class CaptureOverlay final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(CaptureOverlay)

public:
    /// Shows itself. `windows`: what a click may choose, topmost first. `last` may be empty.
    /// `theme` must outlive it.
    CaptureOverlay(QList<ScreenImage> screens,
                   const QList<QRect>& windows,
                   const QRect& last,
                   const Theme& theme);
    ~CaptureOverlay() override;

    const RegionSelection& selection() const { return selection_; }
    /// One window for each screen, in their order.
    std::vector<CaptureScreen*> windows() const;

    /// Cancels, unless it is over.
    void cancel();

Q_SIGNALS:
    /// The pixels of `region`, which is in device pixels of the desktop.
    void captured(const QImage& image, const QRect& region);
    void cancelled();

private:
    void connectWindow(CaptureScreen& window);
    void onKey(const QKeyEvent& event);
    void onReleased(const QPoint& pointer, Qt::KeyboardModifiers modifiers);
    void takeScreen();
    void take(const QRect& region);
    void follow();
    void close();

    const QList<ScreenImage> screens_;
    const QRect last_;
    RegionSelection selection_;
    std::vector<std::unique_ptr<CaptureScreen>> windows_;
    bool isOver_ = false;
};

}  // namespace bifocal::ui
