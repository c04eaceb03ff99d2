// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_image.h"

#include <QList>
#include <QObject>

#include <cstdint>
#include <memory>

namespace bifocal::ui {

enum class CaptureFault : std::uint8_t {
    Unavailable = 1,  ///< nothing here can show the screen to a program
    Refused,          ///< the desktop, or the person it asked, said no
    NoAnswer,         ///< the desktop was asked and did not answer in time
    WrongAnswer,      ///< it answered with something that is not a picture of the screen
};

/// Where pictures of the screens come from: the X server, the desktop portal, or what a test shows.
/// Threads: gui.
class ScreenSource : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Exactly one of grabbed() and failed() follows, perhaps before it returns, unless cancel()
    /// comes first.
    virtual void grab() = 0;
    /// Forgets the running grab(); nothing follows.
    virtual void cancel() {}
    /// Other programs' windows, topmost first, in device pixels of the desktop; empty where they
    /// are not told.
    virtual QList<QRect> windows() const { return {}; }

Q_SIGNALS:
    void grabbed(const QList<bifocal::ui::ScreenImage>& screens);
    void failed(bifocal::ui::CaptureFault fault);
};

/// The one that works on this desktop. Requires: the application object.
std::unique_ptr<ScreenSource> makeScreenSource();

}  // namespace bifocal::ui
