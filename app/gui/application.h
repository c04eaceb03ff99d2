// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/options.h"
#include "app/gui/single_instance.h"
#include "core/engine/engine.h"
#include "ui/bridge/session.h"
#include "ui/bridge/stall_monitor.h"
#include "ui/views/desktop_presence.h"
#include "ui/views/main_window.h"
#include "ui/views/theme.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTranslator>

#include <memory>
#include <optional>

class QApplication;

namespace bifocal::app {

class Tour;

/// Owns the parts of the program in order of need; they go in the opposite order.
/// Threads: gui; it has no thread of its own.
class Application {
public:
    Application(QApplication& qt, Options options);
    ~Application();
    Application(const Application&) = delete;
    Application& operator=(const Application&) = delete;

    /// Opens the library, shows the window, runs until it is closed; the program's exit status.
    /// When another program shows the library, that one comes forward instead.
    int run();

private:
    void loadTranslation();
    Result<void> openEngine();
    void showWindow();
    Errand wanted() const;
    void run(const Errand& errand);
    void endSelfTest();

    QApplication& qt_;
    Options options_;
    QTranslator translator_;
    std::unique_ptr<QTemporaryDir> scratch_;    ///< the self-test's empty library
    std::unique_ptr<QSettings> settings_;       ///< none in tour and self-test: they leave no trace
    std::unique_ptr<SingleInstance> instance_;  ///< none in tour and self-test
    ui::Theme theme_;
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<ui::Session> session_;
    std::unique_ptr<ui::StallMonitor> stalls_;
    std::unique_ptr<ui::MainWindow> window_;
    std::unique_ptr<ui::DesktopPresence> presence_;  ///< none in tour and self-test
    std::unique_ptr<Tour> tour_;
};

}  // namespace bifocal::app
