// SPDX-License-Identifier: Apache-2.0
#include "ui/views/desktop_presence.h"

#include "tests/ui/fake_engine.h"
#include "tests/ui/scripted_screens.h"
#include "ui/bridge/session.h"
#include "ui/views/capture.h"
#include "ui/views/keys_dialog.h"
#include "ui/views/main_window.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <gtest/gtest.h>

#include <memory>

namespace bifocal::ui {
namespace {

/// A desktop whose chords are free, but for those that a test takes.
class PlayedKeys final : public GlobalKeys {
public:
    void bind(const QList<GlobalKey>& wanted) override {
        bound_ = wanted;
        for (const GlobalKey& key : wanted) {
            if (taken.contains(key.keys)) {
                Q_EMIT failed(key.id, KeyFault::Taken);
            } else {
                Q_EMIT bound(key.id, key.keys.toString());
            }
        }
    }

    QList<QKeySequence> taken;
    QList<GlobalKey> bound_;
};

class DesktopPresenceTest : public testing::Test {
protected:
    void SetUp() override {
        theme_.apply(*qApp, Appearance::Dark);
        auto keys = std::make_unique<PlayedKeys>();
        keys_ = keys.get();
        keys_->taken = {QKeySequence(QStringLiteral("Meta+Alt+S"))};
        session_.start();
        auto screens = std::make_unique<test::ScriptedScreens>();
        screens_ = screens.get();
        window_ = std::make_unique<MainWindow>(session_, theme_, &settings_, std::move(screens));
        presence_ = std::make_unique<DesktopPresence>(*window_, std::move(keys), settings_);
        window_->show();
    }
    void TearDown() override { QApplication::setQuitOnLastWindowClosed(true); }

    QTemporaryDir folder_;
    QSettings settings_{folder_.filePath(QStringLiteral("window.ini")), QSettings::IniFormat};
    test::FakeEngine engine_;
    Session session_{engine_};
    Theme theme_;
    PlayedKeys* keys_ = nullptr;
    test::ScriptedScreens* screens_ = nullptr;
    std::unique_ptr<MainWindow> window_;
    std::unique_ptr<DesktopPresence> presence_;
};

TEST_F(DesktopPresenceTest, AChordThatIsTakenIsToldWithAWayToChooseAnother) {
    ASSERT_EQ(session_.messages().rowCount(), 1);
    EXPECT_EQ(session_.messages().itemAt(0).action, MessageItem::Action::ChooseKeys);
    EXPECT_FALSE(presence_->keys()[0].isBound);
    EXPECT_TRUE(presence_->keys()[1].isBound);
}

TEST_F(DesktopPresenceTest, AKeyCapturesWhileTheWindowIsAway) {
    window_->hide();
    Q_EMIT keys_->pressed(presence_->keys()[0].id);
    EXPECT_TRUE(QTest::qWaitFor([this] { return screens_->grabCount == 1; }));
    window_->capture().cancel();
}

TEST_F(DesktopPresenceTest, OtherKeysAreTriedAtOnceAndRemembered) {
    Q_EMIT window_->keysWanted();
    auto* dialog = window_->findChild<KeysDialog*>();
    ASSERT_NE(dialog, nullptr);
    const QString before = dialog->states()[0]->text();

    dialog->fields()[0]->setKeySequence(QKeySequence(QStringLiteral("Ctrl+Alt+F9, Ctrl+B")));
    Q_EMIT dialog->fields()[0]->editingFinished();

    EXPECT_TRUE(presence_->keys()[0].isBound);
    EXPECT_NE(dialog->states()[0]->text(), before);
    EXPECT_EQ(dialog->fields()[0]->keySequence(), QKeySequence(QStringLiteral("Ctrl+Alt+F9")));
    EXPECT_EQ(settings_.value(QStringLiteral("keys/capture")).toString(),
              QStringLiteral("Ctrl+Alt+F9"));
}

TEST_F(DesktopPresenceTest, NoKeyIsAChoiceToo) {
    Q_EMIT window_->keysWanted();
    auto* dialog = window_->findChild<KeysDialog*>();
    ASSERT_NE(dialog, nullptr);
    for (QToolButton* none : dialog->findChildren<QToolButton*>()) {
        QTest::mouseClick(none, Qt::LeftButton);
    }
    EXPECT_TRUE(keys_->bound_.isEmpty());
    EXPECT_TRUE(settings_.contains(QStringLiteral("keys/say-and-point")));
}

TEST_F(DesktopPresenceTest, ClosingTheWindowEndsTheProgramWhereThereIsNoTray) {
    QSignalSpy quitting(qApp, &QCoreApplication::aboutToQuit);
    QTimer::singleShot(0, window_.get(), [this] { window_->close(); });
    EXPECT_EQ(QApplication::exec(), 0);
    EXPECT_EQ(quitting.count(), 1);
}

}  // namespace
}  // namespace bifocal::ui
