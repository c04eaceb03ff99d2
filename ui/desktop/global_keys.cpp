// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/global_keys.h"

#include "ui/desktop/portal_keys.h"
#include "ui/desktop/x11_keys.h"

#include <QDBusConnection>
#include <QGuiApplication>

namespace bifocal::ui {

namespace {

class NullKeys final : public GlobalKeys {
public:
    void bind(const QList<GlobalKey>& keys) override {
        for (const GlobalKey& key : keys) {
            Q_EMIT failed(key.id, KeyFault::Unavailable);
        }
    }
};

}  // namespace

std::unique_ptr<GlobalKeys> makeGlobalKeys() {
    const QString platform = QGuiApplication::platformName();
    if (platform == QLatin1String("xcb")) {
        return std::make_unique<X11Keys>();
    }
    if (platform.startsWith(QLatin1String("wayland"))) {
        return std::make_unique<PortalKeys>(QDBusConnection::sessionBus());
    }
    return std::make_unique<NullKeys>();
}

}  // namespace bifocal::ui
