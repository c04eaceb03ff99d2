// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QLocale>

#include <gtest/gtest.h>

/// Tests of widgets need the application object before the first test and the same locale anywhere.
int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QApplication application(argc, argv);
    return RUN_ALL_TESTS();
}
