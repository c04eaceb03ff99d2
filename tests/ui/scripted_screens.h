// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_source.h"

#include <optional>

namespace bifocal::ui::test {

/// A picture in which every pixel tells its place on the desktop.
inline QImage placesOf(const QRect& pixels) {
    QImage image(pixels.size(), QImage::Format_RGB32);
    for (int y = 0; y < pixels.height(); ++y) {
        for (int x = 0; x < pixels.width(); ++x) {
            const int right = pixels.x() + x;
            const int down = pixels.y() + y;
            image.setPixel(x, y, qRgb(right & 255, down & 255, (right >> 8) | (down >> 8 << 4)));
        }
    }
    return image;
}

/// Two screens side by side, the right one with a scale factor of its own, or a fault.
/// Threads: gui.
class ScriptedScreens final : public ScreenSource {
public:
    ScriptedScreens() {
        constexpr QRect kLeft(0, 0, 400, 300);
        constexpr QRect kRight(400, 0, 600, 450);
        screens = {{QRect(0, 0, 400, 300), kLeft, placesOf(kLeft)},
                   {QRect(400, 0, 400, 300), kRight, placesOf(kRight), 1.5}};
    }

    void grab() override {
        ++grabCount;
        if (fault) {
            Q_EMIT failed(*fault);
        } else if (!hangs) {
            Q_EMIT grabbed(screens);
        }
    }
    void cancel() override { ++cancelCount; }
    QList<QRect> windows() const override { return shownWindows; }

    QList<ScreenImage> screens;
    QList<QRect> shownWindows;
    std::optional<CaptureFault> fault;
    bool hangs = false;
    int grabCount = 0;
    int cancelCount = 0;
};

}  // namespace bifocal::ui::test
