// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/portal_request.h"

#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QRandomGenerator>

namespace bifocal::ui {

namespace {

constexpr QLatin1String kService("org.freedesktop.portal.Desktop");
constexpr QLatin1String kDesktop("/org/freedesktop/portal/desktop");
constexpr QLatin1String kRequest("org.freedesktop.portal.Request");

constexpr uint kSuccess = 0;
constexpr uint kCancelled = 1;

}  // namespace

QDBusMessage PortalRequest::callOf(const QString& interface, const QString& method) {
    return QDBusMessage::createMethodCall(
        kService, kDesktop, QStringLiteral("org.freedesktop.portal.") + interface, method);
}

PortalRequest::PortalRequest(const QDBusConnection& bus, QObject* parent)
    : QObject(parent),
      bus_(bus),
      token_(QStringLiteral("bifocal%1").arg(QRandomGenerator::global()->generate())) {
    patience_.setSingleShot(true);
    connect(&patience_, &QTimer::timeout, this, [this] { fail(Fault::NoAnswer); });
}

PortalRequest::~PortalRequest() {
    end();
}

void PortalRequest::send(const QDBusMessage& call, std::chrono::milliseconds patience) {
    // The portal makes the path from the caller's name and the token, so that the answer cannot
    // come before somebody listens.
    const QString sender = bus_.baseService().mid(1).replace(QLatin1Char('.'), QLatin1Char('_'));
    listenAt(QStringLiteral("%1/request/%2/%3").arg(kDesktop, sender, token_));
    patience_.start(patience);
    auto* watcher =
        new QDBusPendingCallWatcher(bus_.asyncCall(call, static_cast<int>(patience.count())), this);
    connect(
        watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
            const QDBusPendingReply<QDBusObjectPath> reply = *done;
            done->deleteLater();
            if (!reply.isError()) {
                listenAt(reply.value().path());  // portals older than the token choose their own
            } else if (reply.error().type() == QDBusError::NoReply ||
                       reply.error().type() == QDBusError::TimedOut) {
                fail(Fault::NoAnswer);
            } else if (reply.error().type() == QDBusError::AccessDenied) {
                fail(Fault::Refused);
            } else {
                fail(Fault::Unavailable);
            }
        });
}

void PortalRequest::listenAt(const QString& path) {
    if (path == path_ || isOver_) {
        return;
    }
    stopListening();
    path_ = path;
    bus_.connect(kService,
                 path_,
                 kRequest,
                 QStringLiteral("Response"),
                 this,
                 SLOT(onResponse(uint, QVariantMap)));
}

void PortalRequest::stopListening() {
    if (!path_.isEmpty()) {
        bus_.disconnect(kService,
                        path_,
                        kRequest,
                        QStringLiteral("Response"),
                        this,
                        SLOT(onResponse(uint, QVariantMap)));
    }
}

void PortalRequest::onResponse(uint response, const QVariantMap& results) {
    if (isOver_) {
        return;
    }
    if (response == kSuccess) {
        end();
        Q_EMIT answered(results);
    } else {
        fail(response == kCancelled ? Fault::Refused : Fault::Unavailable);
    }
}

void PortalRequest::end() {
    if (!isOver_) {
        isOver_ = true;
        patience_.stop();
        stopListening();
    }
}

void PortalRequest::fail(Fault fault) {
    if (!isOver_) {
        end();
        Q_EMIT failed(fault);
    }
}

}  // namespace bifocal::ui
