// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_source.h"

#include <QDBusConnection>
#include <QDateTime>
#include <QVariant>

#include <chrono>
#include <memory>

namespace bifocal::ui {

class PortalRequest;

/// Asks the desktop portal (org.freedesktop.portal.Screenshot), as Wayland needs it. The desktop
/// may ask the person first. Threads: gui.
class PortalScreenSource final : public ScreenSource {
    Q_OBJECT
    Q_DISABLE_COPY(PortalScreenSource)

public:
    /// The time in which a person reads and answers the desktop's question.
    static constexpr std::chrono::seconds kPatience{30};

    explicit PortalScreenSource(const QDBusConnection& bus,
                                std::chrono::milliseconds patience = kPatience);
    ~PortalScreenSource() override;

    void grab() override;
    void cancel() override;

private:
    void read(const QVariantMap& results);

    QDBusConnection bus_;
    const std::chrono::milliseconds patience_;
    std::unique_ptr<PortalRequest> request_;
    QDateTime asked_;
};

}  // namespace bifocal::ui
