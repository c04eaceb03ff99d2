// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/global_keys.h"

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <memory>

class QAction;
class QMenu;
class QSettings;
class QSystemTrayIcon;

namespace bifocal::ui {

class MainWindow;

/// What is there of the program when its window is not: the icon in the tray, and the keys of the
/// whole desktop. Closing the window ends the program, unless it is to stay in the tray.
/// Threads: gui.
class DesktopPresence final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(DesktopPresence)

public:
    /// One key of the whole desktop, and what became of it.
    struct Key {
        QString id;
        QString name;       ///< translated
        QKeySequence keys;  ///< empty: none wanted
        QString state;      ///< translated; empty while the desktop has not answered
        bool isBound = false;
    };

    /// `window` and `settings` must outlive it.
    DesktopPresence(MainWindow& window, std::unique_ptr<GlobalKeys> keys, QSettings& settings);
    ~DesktopPresence() override;

    const QList<Key>& keys() const { return keys_; }
    /// Binds other keys and remembers them, in the order of keys().
    void setKeys(const QList<QKeySequence>& wanted);

    bool staysInTray() const;
    void setStaysInTray(bool stays);

    /// Ends the program, whether it stays in the tray or not.
    void quit();

Q_SIGNALS:
    void keysChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildTray();
    void bind();
    void onBound(const QString& id, const QString& words);
    void onFailed(const QString& id, KeyFault fault);
    void onPressed(const QString& id);
    void onReleased(const QString& id);
    void showKeysDialog();
    Key* find(const QString& id);

    MainWindow& window_;
    const std::unique_ptr<GlobalKeys> source_;
    QSettings& settings_;
    QList<Key> keys_;
    std::unique_ptr<QMenu> menu_;
    QAction* stays_ = nullptr;
    std::unique_ptr<QSystemTrayIcon> tray_;  // none where there is no tray
    bool isQuitting_ = false;
};

}  // namespace bifocal::ui
