// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/global_keys.h"

#include <QAbstractNativeEventFilter>
#include <QByteArray>

#include <cstdint>
#include <vector>

namespace bifocal::ui {

/// Passive grabs of the root window, one for each state of the lock keys. The X server gives a
/// chord to one program, and tells the second. Threads: gui.
class X11Keys final : public GlobalKeys, private QAbstractNativeEventFilter {
    Q_OBJECT
    Q_DISABLE_COPY(X11Keys)

public:
    explicit X11Keys(QObject* parent = nullptr);
    ~X11Keys() override;

    void bind(const QList<GlobalKey>& keys) override;

private:
    bool nativeEventFilter(const QByteArray& type, void* message, qintptr* result) override;

    struct Grab {
        QString id;
        std::uint8_t keycode;
        std::uint16_t modifiers;
        bool isHeld = false;
    };
    bool grab(const Grab& grab);
    void ungrab(const Grab& grab);
    void ungrabAll();

    std::vector<Grab> grabs_;
};

}  // namespace bifocal::ui
