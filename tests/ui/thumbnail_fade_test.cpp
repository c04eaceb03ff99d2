// SPDX-License-Identifier: Apache-2.0
#include "ui/models/result_model.h"
#include "ui/views/result_grid.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QProxyStyle>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <memory>

namespace bifocal::ui {
namespace {

/// Says how long the style's animations are; 0 turns them off.
class AnimationStyle final : public QProxyStyle {
public:
    explicit AnimationStyle(int durationMs) : durationMs_(durationMs) {}
    int styleHint(StyleHint hint,
                  const QStyleOption* option,
                  const QWidget* widget,
                  QStyleHintReturn* data) const override {
        return hint == SH_Widget_Animation_Duration
                   ? durationMs_
                   : QProxyStyle::styleHint(hint, option, widget, data);
    }

private:
    int durationMs_;
};

class ThumbnailFadeTest : public testing::Test {
protected:
    void SetUp() override {
        qApp->setStyleSheet({});
        ResultItem item;
        item.file = FileId{1};
        model_.replace({item});
        grid_.resize(500, 400);
        grid_.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&grid_));
        grid_.grab();  // asks for the thumbnail
        grid_.viewport()->installEventFilter(&paints_);
    }

    void useAnimations(int durationMs) {
        style_ = std::make_unique<AnimationStyle>(durationMs);
        grid_.setStyle(style_.get());
        QCoreApplication::processEvents();
    }
    void bringPicture() {
        QImage red(40, 30, QImage::Format_RGB32);
        red.fill(Qt::red);
        model_.setThumbnail({}, red);
    }
    bool showsPicture() {
        const QImage image = grid_.grab().toImage();
        const double scale = image.devicePixelRatio();
        const QRect cell = grid_.visualRect(model_.index(0));
        const QPoint centre(cell.center().x(), cell.top() + cell.height() * 2 / 5);
        return image.pixelColor(centre * scale) == QColor(Qt::red);
    }

    /// Counts the paint events of the widget that it is installed on.
    class PaintCounter final : public QObject {
    public:
        int count = 0;
        bool eventFilter(QObject* /*watched*/, QEvent* event) override {
            count += event->type() == QEvent::Paint ? 1 : 0;
            return false;
        }
    };

    std::unique_ptr<AnimationStyle> style_;
    Theme theme_;
    ResultModel model_;
    ResultGrid grid_{model_, theme_, nullptr};
    PaintCounter paints_;
};

TEST_F(ThumbnailFadeTest, ArrivedPictureFadesInAndThenNothingIsPainted) {
    useAnimations(200);
    QSignalSpy ended(&grid_, &ResultGrid::fadeEnded);

    bringPicture();
    EXPECT_TRUE(grid_.isFading());
    ASSERT_TRUE(ended.wait(5000));
    QCoreApplication::processEvents();

    EXPECT_FALSE(grid_.isFading());
    EXPECT_TRUE(showsPicture());
    QCoreApplication::processEvents();
    const int count = paints_.count;
    QTest::qWait(100);
    EXPECT_EQ(paints_.count, count);
}

TEST_F(ThumbnailFadeTest, WithoutAnimationsThePictureIsThereAtOnce) {
    useAnimations(0);

    bringPicture();

    EXPECT_FALSE(grid_.isFading());
    EXPECT_TRUE(showsPicture());
}

TEST_F(ThumbnailFadeTest, PictureThatIsGoneStopsFading) {
    useAnimations(200);
    QSignalSpy ended(&grid_, &ResultGrid::fadeEnded);

    bringPicture();
    model_.clear();

    EXPECT_TRUE(ended.wait(5000));
}

}  // namespace
}  // namespace bifocal::ui
