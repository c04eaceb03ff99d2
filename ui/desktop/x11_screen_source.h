// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_source.h"

namespace bifocal::ui {

/// Asks the X server, which shows everything to everybody. grabbed() comes before grab() returns.
/// Threads: gui.
class X11ScreenSource final : public ScreenSource {
    Q_OBJECT

public:
    using ScreenSource::ScreenSource;

    void grab() override;
    QList<QRect> windows() const override;
};

}  // namespace bifocal::ui
