// SPDX-License-Identifier: Apache-2.0
#include "ui/views/chart/time_chart.h"

#include "ui/views/theme.h"

#include <QFontMetrics>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <utility>

namespace bifocal::ui {

namespace {

constexpr double kSeconds = 60;
constexpr int kTitleHeight = 34;
constexpr int kMargin = 14;
constexpr int kAxisWidth = 34;
constexpr int kAxisHeight = 20;
constexpr int kLegendMark = 14;
constexpr int kLegendGap = 10;
constexpr double kDotRadius = 2.5;

/// Into how many parts the axis falls, so that its figures are round as well: tops that begin with
/// 1 or 5 into five, those with 2, 4 or 8 into four.
int divisionsOf(double top) {
    const double leading = top / std::pow(10, std::floor(std::log10(top) + 1e-9));
    const int digit = static_cast<int>(std::lround(leading));
    return digit == 1 || digit == 5 ? 5 : 4;
}

}  // namespace

TimeChart::TimeChart(const QString& title, const Theme& theme, QWidget* parent)
    : QWidget(parent), title_(title), theme_(theme) {
    setAccessibleName(title);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void TimeChart::setLines(QList<Line> lines) {
    lines_ = std::move(lines);
    update();
}

double TimeChart::niceTop(double largest) {
    if (!(largest > 1)) {
        return 1;
    }
    const double power = std::pow(10, std::floor(std::log10(largest)));
    for (const double step : {1.0, 2.0, 4.0, 5.0, 8.0, 10.0}) {
        if (largest <= step * power) {
            return step * power;
        }
    }
    return 10 * power;
}

int TimeChart::legendWidth() const {
    const QFontMetrics metrics(theme_.font(TextSize::Small));
    int width = 0;
    for (const Line& line : lines_) {
        width += metrics.horizontalAdvance(line.legend) + kLegendMark + kLegendGap;
    }
    return width;
}

bool TimeChart::isLegendBelow() const {
    const QFontMetrics metrics(theme_.font(TextSize::Body, QFont::DemiBold));
    return metrics.horizontalAdvance(title_) + 12 + legendWidth() > width() - 2 * kMargin;
}

QRectF TimeChart::plot() const {
    const int head = isLegendBelow() ? kTitleHeight + 16 : kTitleHeight;
    return QRectF(rect()).adjusted(kMargin + kAxisWidth - 8, head, -kMargin, -kAxisHeight - 4);
}

double TimeChart::top() const {
    double largest = 0;
    for (const Line& line : lines_) {
        for (const QPointF& point : line.points) {
            largest = std::max(largest, point.y());
        }
    }
    return niceTop(std::max(leastTop_, largest * 1.05));
}

QPointF TimeChart::place(const QPointF& point, const QRectF& plot, double top) const {
    return {plot.right() - plot.width() * point.x() / kSeconds,
            plot.bottom() - plot.height() * point.y() / top};
}

void TimeChart::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintTitle(painter);
    const QRectF area = plot();
    const bool isEmpty = std::all_of(
        lines_.begin(), lines_.end(), [](const Line& line) { return line.points.isEmpty(); });
    if (isEmpty) {
        painter.setFont(theme_.font(TextSize::Small));
        painter.setPen(theme_.palette().faint);
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
        return;
    }
    const double largest = top();
    paintAxes(painter, area, largest);
    painter.setClipRect(area.adjusted(-kDotRadius, -kDotRadius, kDotRadius, kDotRadius));
    for (const Line& line : std::as_const(lines_)) {
        paintLine(painter, area, largest, line);
    }
}

void TimeChart::paintTitle(QPainter& painter) const {
    const Palette& palette = theme_.palette();
    const QRect line(kMargin, 8, width() - 2 * kMargin, 20);
    painter.setFont(theme_.font(TextSize::Body, QFont::DemiBold));
    painter.setPen(palette.text);
    painter.drawText(line, Qt::AlignVCenter, title_);
    painter.setFont(theme_.font(TextSize::Small));
    const bool isBelow = isLegendBelow();
    const int top = isBelow ? line.top() + 18 : line.top();
    int left = isBelow ? line.left() : line.right() - legendWidth() + kLegendGap;
    for (const Line& entry : lines_) {
        painter.fillRect(QRectF(left, top + 9, kLegendMark - 4, 2), entry.colour);
        left += kLegendMark;
        const int textWidth = painter.fontMetrics().horizontalAdvance(entry.legend);
        painter.setPen(palette.muted);
        painter.drawText(
            QRect(left, top, textWidth + 1, line.height()), Qt::AlignVCenter, entry.legend);
        left += textWidth + kLegendGap;
    }
}

void TimeChart::paintAxes(QPainter& painter, const QRectF& plot, double top) const {
    const Palette& palette = theme_.palette();
    painter.setFont(theme_.font(TextSize::Small));
    const QLocale locale;
    const int divisions = divisionsOf(top);
    for (int step = 0; step <= divisions; ++step) {
        const double value = top * step / divisions;
        const double y = std::round(place({0, value}, plot, top).y()) + 0.5;
        painter.setPen(QPen(palette.hairline, 1));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(palette.faint);
        const bool isWhole = std::abs(value - std::round(value)) < 1e-9;
        painter.drawText(QRectF(0, y - 8, plot.left() - 8, 16),
                         Qt::AlignVCenter | Qt::AlignRight,
                         locale.toString(value, 'f', isWhole ? 0 : 1));
    }
    painter.setPen(palette.faint);
    const double y = plot.bottom() + 5;
    painter.drawText(QRectF(plot.left(), y, 60, 14), Qt::AlignLeft, tr("−60 s"));
    painter.drawText(QRectF(plot.right() - 60, y, 60, 14), Qt::AlignRight, tr("now"));
    for (const int seconds : {40, 20}) {
        const double x = place({double(seconds), 0}, plot, top).x();
        painter.drawText(
            QRectF(x - 20, y, 40, 14), Qt::AlignHCenter, QStringLiteral("−%1").arg(seconds));
    }
}

void TimeChart::paintLine(QPainter& painter,
                          const QRectF& plot,
                          double top,
                          const Line& line) const {
    if (line.points.isEmpty()) {
        return;
    }
    if (line.points.size() == 1) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(line.colour);
        painter.drawEllipse(place(line.points.first(), plot, top), kDotRadius, kDotRadius);
        return;
    }
    QPainterPath path(place(line.points.first(), plot, top));
    for (qsizetype i = 1; i < line.points.size(); ++i) {
        path.lineTo(place(line.points.at(i), plot, top));
    }
    if (line.fill == Fill::Area) {
        QPainterPath area = path;
        area.lineTo(place({line.points.last().x(), 0}, plot, top));
        area.lineTo(place({line.points.first().x(), 0}, plot, top));
        QColor colour = line.colour;
        colour.setAlphaF(0.12F);
        painter.fillPath(area, colour);
    }
    painter.strokePath(path, QPen(line.colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
}

void TimeChart::mouseReleaseEvent(QMouseEvent* event) {
    const QRectF area = plot();
    if (event->button() == Qt::LeftButton && area.contains(event->position()) && area.width() > 0) {
        Q_EMIT momentChosen((area.right() - event->position().x()) / area.width() * kSeconds);
    }
}

}  // namespace bifocal::ui
