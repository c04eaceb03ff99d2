// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDBusConnection>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QVariant>

#include <chrono>
#include <cstdint>

class QDBusMessage;

namespace bifocal::ui {

/// One question to the desktop portal (org.freedesktop.portal.Desktop on the session bus): the
/// call, then the Response of the request that the call made. Ends by itself after a while, for a
/// portal may hang. Threads: gui; no call blocks. Source: the Request interface of the XDG Desktop
/// Portal documentation.
class PortalRequest final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(PortalRequest)

public:
    enum class Fault : std::uint8_t {
        Unavailable = 1,  ///< no portal, or not one that knows the question
        Refused,
        NoAnswer,
    };

    PortalRequest(const QDBusConnection& bus, QObject* parent);
    ~PortalRequest() override;

    /// To be put into the options of the call as handle_token.
    const QString& token() const { return token_; }
    /// Calls; exactly one of answered() and failed() follows, never before it returns. Once.
    void send(const QDBusMessage& call, std::chrono::milliseconds patience);

    /// A call of `method` of `interface` ("Screenshot") at the portal.
    static QDBusMessage callOf(const QString& interface, const QString& method);

Q_SIGNALS:
    void answered(const QVariantMap& results);
    void failed(bifocal::ui::PortalRequest::Fault fault);

private:
    Q_SLOT void onResponse(uint response, const QVariantMap& results);
    void listenAt(const QString& path);
    void stopListening();
    void end();
    void fail(Fault fault);

    QDBusConnection bus_;
    const QString token_;
    QString path_;
    QTimer patience_;
    bool isOver_ = false;
};

}  // namespace bifocal::ui
