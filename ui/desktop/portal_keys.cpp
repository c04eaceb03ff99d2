// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/portal_keys.h"

#include "ui/desktop/portal_request.h"

#include <QDBusArgument>
#include <QDBusMessage>
#include <QDBusMetaType>

#include <algorithm>
#include <utility>

namespace bifocal::ui {

namespace {

constexpr QLatin1String kPortal("org.freedesktop.portal.Desktop");
constexpr QLatin1String kPortalPath("/org/freedesktop/portal/desktop");
constexpr QLatin1String kShortcuts("org.freedesktop.portal.GlobalShortcuts");

/// The portal's way to write a chord ("CTRL+ALT+s"), of the XDG shortcuts specification.
QString triggerOf(const QKeySequence& keys) {
    if (keys.isEmpty()) {
        return {};
    }
    const QKeyCombination chord = keys[0];
    QString trigger;
    const auto modifiers = chord.keyboardModifiers();
    for (const auto& [modifier, name] : {std::pair(Qt::ControlModifier, "CTRL+"),
                                         std::pair(Qt::AltModifier, "ALT+"),
                                         std::pair(Qt::ShiftModifier, "SHIFT+"),
                                         std::pair(Qt::MetaModifier, "LOGO+")}) {
        if (modifiers.testFlag(modifier)) {
            trigger += QLatin1String(name);
        }
    }
    const QString key = QKeySequence(chord.key()).toString(QKeySequence::PortableText);
    return trigger + (key.size() == 1 || chord.key() == Qt::Key_Space ? key.toLower() : key);
}

KeyFault faultOf(PortalRequest::Fault fault) {
    return fault == PortalRequest::Fault::Refused ? KeyFault::Refused : KeyFault::Unavailable;
}

}  // namespace

QDBusArgument& operator<<(QDBusArgument& to, const PortalShortcut& shortcut) {
    to.beginStructure();
    to << shortcut.id << shortcut.properties;
    to.endStructure();
    return to;
}

const QDBusArgument& operator>>(const QDBusArgument& from, PortalShortcut& shortcut) {
    from.beginStructure();
    from >> shortcut.id >> shortcut.properties;
    from.endStructure();
    return from;
}

PortalKeys::PortalKeys(const QDBusConnection& bus, std::chrono::milliseconds patience)
    : bus_(bus), patience_(patience) {
    qDBusRegisterMetaType<PortalShortcut>();
    qDBusRegisterMetaType<QList<PortalShortcut>>();
    bus_.connect(kPortal,
                 kPortalPath,
                 kShortcuts,
                 QStringLiteral("Activated"),
                 this,
                 SLOT(onActivated(QDBusObjectPath, QString, qulonglong, QVariantMap)));
    bus_.connect(kPortal,
                 kPortalPath,
                 kShortcuts,
                 QStringLiteral("Deactivated"),
                 this,
                 SLOT(onDeactivated(QDBusObjectPath, QString, qulonglong, QVariantMap)));
}

PortalKeys::~PortalKeys() {
    closeSession();
}

void PortalKeys::bind(const QList<GlobalKey>& keys) {
    closeSession();
    keys_ = keys;
    if (keys_.isEmpty()) {
        return;
    }
    auto* request = new PortalRequest(bus_, this);
    connect(request, &PortalRequest::answered, this, [this, request](const QVariantMap& results) {
        request->deleteLater();
        bindIn(results.value(QStringLiteral("session_handle")).toString());
    });
    connect(request, &PortalRequest::failed, this, [this, request](PortalRequest::Fault fault) {
        request->deleteLater();
        failAll(faultOf(fault));
    });
    QDBusMessage call =
        PortalRequest::callOf(QStringLiteral("GlobalShortcuts"), QStringLiteral("CreateSession"));
    call << QVariantMap{{QStringLiteral("handle_token"), request->token()},
                        {QStringLiteral("session_handle_token"), request->token()}};
    request->send(call, patience_);
}

void PortalKeys::bindIn(const QString& session) {
    if (session.isEmpty()) {
        failAll(KeyFault::Unavailable);
        return;
    }
    session_ = session;
    auto* request = new PortalRequest(bus_, this);
    connect(request, &PortalRequest::answered, this, [this, request](const QVariantMap& results) {
        request->deleteLater();
        announce(results);
    });
    connect(request, &PortalRequest::failed, this, [this, request](PortalRequest::Fault fault) {
        request->deleteLater();
        failAll(faultOf(fault));
    });
    QList<PortalShortcut> shortcuts;
    for (const GlobalKey& key : std::as_const(keys_)) {
        shortcuts.append({key.id,
                          {{QStringLiteral("description"), key.description},
                           {QStringLiteral("preferred_trigger"), triggerOf(key.keys)}}});
    }
    QDBusMessage call =
        PortalRequest::callOf(QStringLiteral("GlobalShortcuts"), QStringLiteral("BindShortcuts"));
    call << QVariant::fromValue(QDBusObjectPath(session)) << QVariant::fromValue(shortcuts)
         << QString() << QVariantMap{{QStringLiteral("handle_token"), request->token()}};
    request->send(call, patience_);
}

void PortalKeys::announce(const QVariantMap& results) {
    const auto shortcuts =
        qdbus_cast<QList<PortalShortcut>>(results.value(QStringLiteral("shortcuts")));
    for (const GlobalKey& key : std::as_const(keys_)) {
        const auto found =
            std::find_if(shortcuts.begin(), shortcuts.end(), [&key](const PortalShortcut& one) {
                return one.id == key.id;
            });
        if (found == shortcuts.end()) {
            Q_EMIT failed(key.id, KeyFault::Refused);
        } else {
            Q_EMIT bound(key.id,
                         found->properties.value(QStringLiteral("trigger_description")).toString());
        }
    }
}

void PortalKeys::failAll(KeyFault fault) {
    for (const GlobalKey& key : std::exchange(keys_, {})) {
        Q_EMIT failed(key.id, fault);
    }
}

void PortalKeys::onActivated(const QDBusObjectPath& session,
                             const QString& id,
                             qulonglong /*time*/,
                             const QVariantMap& /*options*/) {
    if (session.path() == session_ && !held_.contains(id)) {
        held_.append(id);
        Q_EMIT pressed(id);
    }
}

void PortalKeys::onDeactivated(const QDBusObjectPath& session,
                               const QString& id,
                               qulonglong /*time*/,
                               const QVariantMap& /*options*/) {
    if (session.path() == session_ && held_.removeOne(id)) {
        Q_EMIT released(id);
    }
}

void PortalKeys::closeSession() {
    if (!session_.isEmpty()) {
        bus_.send(QDBusMessage::createMethodCall(kPortal,
                                                 std::exchange(session_, {}),
                                                 QStringLiteral("org.freedesktop.portal.Session"),
                                                 QStringLiteral("Close")));
        held_.clear();
    }
}

}  // namespace bifocal::ui
