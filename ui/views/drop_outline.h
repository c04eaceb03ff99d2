// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace bifocal::ui {

class Theme;

/// Says that the whole window takes what is being dragged over it. Lets every event through.
/// Threads: gui.
class DropOutline final : public QWidget {
    Q_OBJECT

public:
    DropOutline(const Theme& theme, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& theme_;
};

}  // namespace bifocal::ui
