// SPDX-License-Identifier: Apache-2.0
#include "ui/models/result_model.h"
#include "ui/views/result_delegate.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QListView>
#include <QPainter>
#include <QStyleOptionViewItem>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace bifocal::ui {
namespace {

const QSize kCell(180, ResultDelegate::cellHeight(180));

QImage thumbnail() {
    QImage image(120, 90, QImage::Format_ARGB32_Premultiplied);
    image.fill(QColor(0xc83232));
    QPainter painter(&image);
    painter.fillRect(QRect(30, 20, 60, 50), QColor(0x32c864));
    return image;
}

struct GoldenCase {
    const char* name;
    Appearance appearance;
    double scale;
    QStyle::State state;
};

/// One card, painted with a fixed theme, size and scale.
QImage paintCard(const GoldenCase& golden) {
    Theme theme;
    theme.apply(*qApp, golden.appearance);
    ResultModel model;
    ResultItem item;
    item.file = FileId{1};
    item.path = "/pictures/daffodil.png";
    item.words = 0.26F;
    item.looks = 0.44F;
    item.fit = Fit::Fair;
    ResultItem best = item;
    best.file = FileId{2};
    best.looks = 0.74F;
    model.replace({item, best});
    model.setThumbnail(item.content, thumbnail());
    QImage image(kCell * golden.scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(golden.scale);
    image.fill(theme.palette().canvas);
    QStyleOptionViewItem option;
    option.rect = QRect(QPoint(0, 0), kCell);
    option.state = golden.state;
    QPainter painter(&image);
    ResultDelegate(theme, nullptr).paint(&painter, option, model.index(0));
    painter.end();
    return image.convertToFormat(QImage::Format_RGB32);
}

/// Mean difference of a channel; text may differ by a hint of antialiasing between font engines.
double meanDifference(const QImage& a, const QImage& b) {
    double sum = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y);
            const QRgb q = b.pixel(x, y);
            sum += std::abs(qRed(p) - qRed(q)) + std::abs(qGreen(p) - qGreen(q)) +
                   std::abs(qBlue(p) - qBlue(q));
        }
    }
    return sum / (3.0 * a.width() * a.height());
}

class ResultDelegateGoldenTest : public testing::TestWithParam<GoldenCase> {};

/// Written anew with BIFOCAL_WRITE_GOLDENS=1; look at the pictures before you commit them.
TEST_P(ResultDelegateGoldenTest, CardLooksAsItDid) {
    const QImage card = paintCard(GetParam());
    const QString path =
        QStringLiteral(BIFOCAL_GOLDENS "/%1.png").arg(QLatin1String(GetParam().name));
    if (qEnvironmentVariableIsSet("BIFOCAL_WRITE_GOLDENS")) {
        ASSERT_TRUE(card.save(path));
    }
    const QImage golden(path);

    ASSERT_EQ(golden.size(), card.size());
    EXPECT_LT(meanDifference(golden.convertToFormat(QImage::Format_RGB32), card), 1.5);
}

INSTANTIATE_TEST_SUITE_P(
    Scales,
    ResultDelegateGoldenTest,
    testing::Values(GoldenCase{"card_dark_100", Appearance::Dark, 1, QStyle::State_Enabled},
                    GoldenCase{"card_dark_200", Appearance::Dark, 2, QStyle::State_Enabled},
                    GoldenCase{"card_light_100_chosen",
                               Appearance::Light,
                               1,
                               QStyle::State_Enabled | QStyle::State_Selected}),
    [](const auto& tested) {
        std::string name;
        for (const char letter : std::string(tested.param.name)) {
            if (letter != '_') {
                name += letter;
            }
        }
        return name;
    });

TEST(ResultDelegateTest, BarIsBlueThenAmberThenEmpty) {
    const QImage card = paintCard({"", Appearance::Dark, 1, QStyle::State_Enabled});
    const int y = kCell.height() - ResultDelegate::kGap / 2 - 8 - 2;
    const int left = ResultDelegate::kGap / 2 + 10;
    const int width = kCell.width() - ResultDelegate::kGap - 20;

    EXPECT_EQ(QColor(card.pixel(left + width / 10, y)).name(), QStringLiteral("#4c8dff"));
    EXPECT_EQ(QColor(card.pixel(left + width / 2, y)).name(), QStringLiteral("#f2a33a"));
    EXPECT_EQ(QColor(card.pixel(left + width * 9 / 10, y)).name(), QStringLiteral("#2c313b"));
}

}  // namespace
}  // namespace bifocal::ui
