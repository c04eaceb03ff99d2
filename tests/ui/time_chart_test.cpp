// SPDX-License-Identifier: Apache-2.0
#include "ui/views/chart/time_chart.h"

#include "ui/views/theme.h"

#include <QImage>
#include <QPixmap>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

namespace bifocal::ui {
namespace {

TEST(TimeChartTest, TopOfTheAxisIsARoundNumberAboveTheValues) {
    EXPECT_EQ(TimeChart::niceTop(0), 1);
    EXPECT_EQ(TimeChart::niceTop(1.7), 2);
    EXPECT_EQ(TimeChart::niceTop(38), 40);
    EXPECT_EQ(TimeChart::niceTop(61), 80);
    EXPECT_EQ(TimeChart::niceTop(420), 500);
    EXPECT_EQ(TimeChart::niceTop(1000), 1000);
}

/// A chart of one red line, painted.
QImage paintChart(const QList<QPointF>& points) {
    Theme theme;
    TimeChart chart(QStringLiteral("Latency"), theme, nullptr);
    chart.resize(400, 200);
    chart.setEmptyText(QStringLiteral("No prompt in the last minute."));
    chart.setLines({{QString(), QColor(Qt::red), TimeChart::Fill::None, points}});
    return chart.grab().toImage();
}

TEST(TimeChartTest, OneSampleIsADotAndNoneASentence) {
    const QImage dot = paintChart({{30, 20}});
    const double scale = dot.devicePixelRatio();
    const QImage nothing = paintChart({});
    const auto isRed = [&](const QImage& image, double x, double y) {
        return image.pixelColor(qRound(x * scale), qRound(y * scale)) == QColor(Qt::red);
    };

    // The plot is 40 … 386 wide and 34 … 176 high, its axis ends at 40.
    EXPECT_TRUE(isRed(dot, 213, 105));
    EXPECT_FALSE(isRed(nothing, 213, 105));
    EXPECT_EQ(paintChart({{30, 20}, {30, 20}}).size(), dot.size());
}

TEST(TimeChartTest, ClickTellsTheMoment) {
    Theme theme;
    TimeChart chart(QStringLiteral("Latency"), theme, nullptr);
    chart.resize(400, 200);
    QSignalSpy moments(&chart, &TimeChart::momentChosen);

    QTest::mouseClick(&chart, Qt::LeftButton, {}, QPoint(385, 100));

    ASSERT_EQ(moments.count(), 1);
    EXPECT_NEAR(moments.at(0).at(0).toDouble(), 0, 1);
}

}  // namespace
}  // namespace bifocal::ui
