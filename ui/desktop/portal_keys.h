// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/global_keys.h"

#include <QDBusConnection>
#include <QDBusObjectPath>
#include <QStringList>
#include <QVariant>

#include <chrono>

class QDBusArgument;

namespace bifocal::ui {

/// One shortcut as the portal writes it: (sa{sv}). Threads: value.
struct PortalShortcut {
    QString id;
    QVariantMap properties;
};
QDBusArgument& operator<<(QDBusArgument& to, const PortalShortcut& shortcut);
const QDBusArgument& operator>>(const QDBusArgument& from, PortalShortcut& shortcut);

/// The desktop portal's shortcuts (org.freedesktop.portal.GlobalShortcuts): one session with all
/// keys; which chord each gets is settled between the desktop and the person. Threads: gui.
class PortalKeys final : public GlobalKeys {
    Q_OBJECT
    Q_DISABLE_COPY(PortalKeys)

public:
    static constexpr std::chrono::seconds kPatience{120};  ///< a person may be asked

    explicit PortalKeys(const QDBusConnection& bus, std::chrono::milliseconds patience = kPatience);
    ~PortalKeys() override;

    void bind(const QList<GlobalKey>& keys) override;

private:
    Q_SLOT void onActivated(const QDBusObjectPath& session,
                            const QString& id,
                            qulonglong time,
                            const QVariantMap& options);
    Q_SLOT void onDeactivated(const QDBusObjectPath& session,
                              const QString& id,
                              qulonglong time,
                              const QVariantMap& options);
    void bindIn(const QString& session);
    void announce(const QVariantMap& results);
    void failAll(KeyFault fault);
    void closeSession();

    QDBusConnection bus_;
    const std::chrono::milliseconds patience_;
    QList<GlobalKey> keys_;
    QString session_;
    QStringList held_;
};

}  // namespace bifocal::ui

Q_DECLARE_METATYPE(bifocal::ui::PortalShortcut)
