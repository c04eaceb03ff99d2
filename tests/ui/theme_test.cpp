// SPDX-License-Identifier: Apache-2.0
#include "ui/views/theme.h"

#include <QApplication>
#include <QPalette>
#include <QSignalSpy>

#include <gtest/gtest.h>

namespace bifocal::ui {
namespace {

/// What a desktop looks like, and a theme that follows it.
class ThemeTest : public testing::Test {
protected:
    /// As Qt tells that the desktop's colours are others now.
    void changeDesktop(Appearance appearance) {
        desktop_ = appearance;
        QEvent event(QEvent::ApplicationPaletteChange);
        QCoreApplication::sendEvent(qApp, &event);
        QCoreApplication::processEvents();
    }

    Appearance desktop_ = Appearance::Dark;
    Theme theme_{[this] { return desktop_; }};
    QSignalSpy changed_{&theme_, &Theme::changed};
};

TEST_F(ThemeTest, FollowsTheDesktopWhileItRuns) {
    theme_.apply(*qApp, Appearance::System);
    EXPECT_TRUE(theme_.isDark());

    changeDesktop(Appearance::Light);
    EXPECT_FALSE(theme_.isDark());
    EXPECT_EQ(QApplication::palette().color(QPalette::Window), theme_.palette().panel);
    changeDesktop(Appearance::Dark);

    EXPECT_TRUE(theme_.isDark());
    EXPECT_EQ(changed_.count(), 3);
}

TEST_F(ThemeTest, ChangesNothingWhenTheDesktopStaysAsItIs) {
    theme_.apply(*qApp, Appearance::System);

    changeDesktop(Appearance::Dark);
    QCoreApplication::processEvents();

    EXPECT_EQ(changed_.count(), 1);
}

TEST_F(ThemeTest, ChosenAppearanceStaysWhateverTheDesktopDoes) {
    theme_.apply(*qApp, Appearance::Dark);

    changeDesktop(Appearance::Light);

    EXPECT_TRUE(theme_.isDark());
    EXPECT_EQ(changed_.count(), 1);
}

TEST_F(ThemeTest, LookingAtTheDesktopLeavesThePaletteAsItWas) {
    Theme theme;
    theme.apply(*qApp, Appearance::System);
    const QColor window = QApplication::palette().color(QPalette::Window);

    QEvent event(QEvent::ApplicationPaletteChange);
    QCoreApplication::sendEvent(qApp, &event);
    QCoreApplication::processEvents();

    EXPECT_EQ(QApplication::palette().color(QPalette::Window), window);
    EXPECT_EQ(window, theme.palette().panel);
}

}  // namespace
}  // namespace bifocal::ui
