// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/input_script.h"
#include "ui/models/items.h"

#include <QLabel>
#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace bifocal::ui {
class CaptureOverlay;
class MainWindow;
class Session;
class StallMonitor;
}  // namespace bifocal::ui

namespace bifocal::app {

/// The guided tour: drives the real window with real events, step by step. Each step waits, event
/// by event and with a deadline, for its answer, prints it and saves a picture; a missing or wrong
/// answer ends the program with 1 and a sentence. Threads: gui.
class Tour final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(Tour)

public:
    /// All but the folder must outlive the tour.
    Tour(ui::MainWindow& window,
         ui::Session& session,
         ui::StallMonitor& stalls,
         std::filesystem::path folder);
    ~Tour() override;

    /// Requires: the window is shown and folders are being indexed.
    void begin();

private:
    struct Step {
        const char* name;
        const char* title;
        std::chrono::seconds deadline;
        std::function<void()> act;
        std::function<bool()> isAnswered;
        /// What is wrong with the answer; empty: nothing.
        std::function<QString()> verify;
    };

    void addFirstSteps();
    void addPictureSteps();
    void addCaptureSteps();
    void addLastSteps();
    void startStep();
    void check();
    void finishStep();
    void fail(const QString& sentence);
    void end();

    bool isIndexed() const;
    /// The newest prompt has its final answer, and the thumbnails in sight are there.
    bool hasAnswer() const;
    bool isQuiet() const;
    void printAnswer() const;
    void save(const char* name, QWidget& widget);
    QString expectInFirstRow(const std::function<bool(const ui::ResultItem&)>& isIt,
                             const QString& what) const;
    void chooseExhibits();
    void showExhibit();
    void dragOverExhibit(ui::CaptureOverlay* overlay);
    void openTimeOfAnswer();
    QString checkWaterfall() const;
    QString checkNewestFirst() const;
    void clearPrompt();

    ui::MainWindow& window_;
    ui::Session& session_;
    ui::StallMonitor& stalls_;
    std::filesystem::path folder_;
    InputScript hands_;
    QThreadPool writers_;
    QStringList gaps_;  ///< of the event loop, in words
    QTimer deadline_;
    std::vector<Step> steps_;
    std::size_t current_ = 0;
    int pictureNumber_ = 0;
    bool isChecking_ = false;
    double usableMs_ = 0;
    std::filesystem::path dropped_;
    std::filesystem::path shown_;
    std::unique_ptr<QLabel> exhibit_;
    bool wasCaptured_ = false;
    bool hasFailed_ = false;
};

}  // namespace bifocal::app
