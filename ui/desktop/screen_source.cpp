// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/screen_source.h"

#include "ui/desktop/portal_screen_source.h"
#include "ui/desktop/x11_screen_source.h"

#include <QDBusConnection>
#include <QGuiApplication>

namespace bifocal::ui {

namespace {

/// For desktops that have no way.
class NullScreenSource final : public ScreenSource {
public:
    void grab() override { Q_EMIT failed(CaptureFault::Unavailable); }
};

}  // namespace

std::unique_ptr<ScreenSource> makeScreenSource() {
    const QString platform = QGuiApplication::platformName();
    if (platform == QLatin1String("xcb")) {
        return std::make_unique<X11ScreenSource>();
    }
    if (platform.startsWith(QLatin1String("wayland"))) {
        return std::make_unique<PortalScreenSource>(QDBusConnection::sessionBus());
    }
    return std::make_unique<NullScreenSource>();
}

}  // namespace bifocal::ui
