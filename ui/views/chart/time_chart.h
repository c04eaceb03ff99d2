// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QList>
#include <QPointF>
#include <QString>
#include <QWidget>

#include <cstdint>

namespace bifocal::ui {

class Theme;

/// Lines over the last minute, now at the right, with a title, a legend and quiet axes; a line of
/// one point is a dot. A click tells the moment under it. Threads: gui.
class TimeChart final : public QWidget {
    Q_OBJECT

public:
    enum class Fill : std::uint8_t { None = 1, Area };

    struct Line {
        QString legend;
        QColor colour;
        Fill fill = Fill::None;
        QList<QPointF> points;  ///< x: seconds before now, y: value
    };

    TimeChart(const QString& title, const Theme& theme, QWidget* parent);

    void setLines(QList<Line> lines);
    const QList<Line>& lines() const { return lines_; }
    /// The axis ends at this or above; for counts 4, so that its figures are whole.
    void setLeastTop(double top) { leastTop_ = top; }
    /// What stands there while no line has a point.
    void setEmptyText(const QString& text) { emptyText_ = text; }

    QSize minimumSizeHint() const override { return {170, 120}; }

    /// The top of the axis for a largest value: 1, 2, 4, 5 or 8 times a power of ten, at least 1.
    static double niceTop(double largest);

Q_SIGNALS:
    void momentChosen(double secondsAgo);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    QRectF plot() const;
    int legendWidth() const;
    bool isLegendBelow() const;
    double top() const;
    QPointF place(const QPointF& point, const QRectF& plot, double top) const;
    void paintTitle(QPainter& painter) const;
    void paintAxes(QPainter& painter, const QRectF& plot, double top) const;
    void paintLine(QPainter& painter, const QRectF& plot, double top, const Line& line) const;

    QString title_;
    QString emptyText_;
    double leastTop_ = 0;
    QList<Line> lines_;
    const Theme& theme_;
};

}  // namespace bifocal::ui
