// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractSlider>

namespace bifocal::ui {

class Theme;

/// Words at the left, looks at the right; 0…100. Drag, click, arrow keys, wheel; a double click
/// puts it back to the middle. Threads: gui.
class BalanceSlider final : public QAbstractSlider {
    Q_OBJECT

public:
    BalanceSlider(const Theme& theme, QWidget* parent);

    double balance() const { return value() / 100.0; }
    /// Where the handle of a value is, in this widget.
    QPoint handleCentre(int value) const;

    QSize sizeHint() const override { return {260, 24}; }
    QSize minimumSizeHint() const override { return {120, 24}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void moveTo(double x);

    const Theme& theme_;
};

}  // namespace bifocal::ui
