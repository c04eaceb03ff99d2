// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_source.h"
#include "ui/models/items.h"

#include <QImage>
#include <QObject>
#include <QRect>
#include <QTimer>

#include <chrono>
#include <cstdint>
#include <memory>

class QLabel;
class QWidget;

namespace bifocal::ui {

class CaptureOverlay;
class Theme;

/// From a wish to see part of the screen to its picture: waits, puts the window aside, has the
/// screens frozen, lets a region be chosen, and brings the window back. Nothing is kept but where
/// the last region was. Threads: gui. Owns: the source.
class Capture final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(Capture)

public:
    enum class What : std::uint8_t {
        Region = 1,
        Screen,      ///< the whole one with the pointer
        LastRegion,  ///< where the last one was; a Region when there was none
    };

    /// `window` is put aside meanwhile; it and `theme` must outlive this.
    Capture(std::unique_ptr<ScreenSource> source, QWidget& window, const Theme& theme);
    ~Capture() override;

    /// One of captured, cancelled and failed follows; while one runs, nothing new begins.
    void begin(What what, std::chrono::seconds delay = std::chrono::seconds(0));
    void cancel();
    bool isRunning() const { return isRunning_; }

    const QRect& lastRegion() const { return lastRegion_; }
    void setLastRegion(const QRect& region) { lastRegion_ = region; }

    /// What a compositor gets to repaint what lay under a hidden window.
    static constexpr std::chrono::milliseconds kSettle{60};

Q_SIGNALS:
    void overlayShown(bifocal::ui::CaptureOverlay* overlay);
    void captured(const QImage& image, const QString& name);
    void cancelled();
    void failed(const bifocal::ui::MessageItem& message);

private:
    void countDown();
    void putWindowAside();
    void choose(const QList<ScreenImage>& screens);
    void showOverlay(const QList<ScreenImage>& screens);
    void take(const QImage& image, const QString& name);
    void fail(CaptureFault fault);
    void end(bool showsWindow);

    const std::unique_ptr<ScreenSource> source_;
    QWidget& window_;
    const Theme& theme_;
    What what_ = What::Region;
    QRect lastRegion_;
    bool isRunning_ = false;
    bool wasShown_ = false;  // the window, before
    int secondsLeft_ = 0;
    QTimer second_;
    QTimer settle_;
    std::unique_ptr<QLabel> countdown_;
    std::unique_ptr<CaptureOverlay> overlay_;
};

}  // namespace bifocal::ui
