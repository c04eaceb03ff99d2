// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QPixmap>
#include <QWidget>

#include <chrono>

namespace bifocal::ui {

class Theme;

/// The whole desktop, frozen, over which a rectangle is dragged. Escape or a click without a drag
/// cancels; exactly one of captured and cancelled comes, then it closes. Threads: gui.
class CaptureOverlay final : public QWidget {
    Q_OBJECT

public:
    /// Takes the picture of all screens at once; the caller has hidden its windows before.
    explicit CaptureOverlay(const Theme& theme);

    /// What a compositor gets to repaint what lay under a hidden window.
    static constexpr std::chrono::milliseconds kSettle{60};

    const QPixmap& desktop() const { return desktop_; }

Q_SIGNALS:
    void captured(const QImage& image);
    void cancelled();

protected:
    void paintEvent(QPaintEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    QRect selection() const;
    void finish();
    void cancel();

    const Theme& theme_;
    QPixmap desktop_;
    QPoint from_;
    QPoint to_;
    bool isDragging_ = false;
    bool isOver_ = false;
};

}  // namespace bifocal::ui
