// SPDX-License-Identifier: Apache-2.0
#include "ui/views/balance_slider.h"

#include "ui/views/theme.h"

#include <QLinearGradient>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace bifocal::ui {

namespace {

constexpr int kMargin = 10;  // half a handle, so that both ends can be reached
constexpr int kMiddle = 50;

}  // namespace

BalanceSlider::BalanceSlider(const Theme& theme, QWidget* parent)
    : QAbstractSlider(parent), theme_(theme) {
    setRange(0, 100);
    setSingleStep(5);
    setPageStep(20);
    setValue(kMiddle);
    setOrientation(Qt::Horizontal);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("balance between words and looks"));
    setToolTip(tr("Left: what the words say counts. Right: what the picture looks like counts."));
    connect(this, &QAbstractSlider::valueChanged, this, [this] { update(); });
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

QPoint BalanceSlider::handleCentre(int value) const {
    return {kMargin + (width() - 2 * kMargin) * value / 100, height() / 2};
}

void BalanceSlider::paintEvent(QPaintEvent* /*event*/) {
    const Palette& palette = theme_.palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF track(kMargin, height() / 2.0 - 2, width() - 2 * kMargin, 4);
    QLinearGradient gradient(track.topLeft(), track.topRight());
    gradient.setColorAt(0, palette.words);
    gradient.setColorAt(0.5, palette.ramp1);
    gradient.setColorAt(1, palette.looks);
    painter.setPen(Qt::NoPen);
    painter.setBrush(gradient);
    painter.drawRoundedRect(track, 2, 2);
    const QPointF centre = handleCentre(value());
    painter.setBrush(palette.panel);
    painter.setPen(QPen(hasFocus() ? palette.text : palette.muted, 1.5));
    painter.drawEllipse(centre, 8, 8);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette.strong);
    painter.drawEllipse(centre, 5, 5);
}

void BalanceSlider::moveTo(double x) {
    const double span = std::max(1, width() - 2 * kMargin);
    setSliderPosition(static_cast<int>(std::lround((x - kMargin) / span * 100)));
}

void BalanceSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        setSliderDown(true);
        moveTo(event->position().x());
    }
}

void BalanceSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) {
        moveTo(event->position().x());
    }
}

void BalanceSlider::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        setSliderDown(false);
    }
}

void BalanceSlider::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
    setValue(kMiddle);
}

}  // namespace bifocal::ui
