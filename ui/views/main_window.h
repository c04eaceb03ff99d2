// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_source.h"
#include "ui/models/items.h"

#include <QWidget>

#include <memory>

class QSettings;
class QSplitter;
class QStackedWidget;

namespace bifocal::ui {

class Capture;
class DetailPane;
class DropOutline;
class EmptyState;
class FailureList;
class MessageStrip;
class ProfilerDock;
class PromptBar;
class PromptInputs;
class ResultGrid;
class ResultHeader;
class SayAndPoint;
class Session;
class Sidebar;
class Theme;

/// The window: lays the views out, connects them with the session, and is a drop target as a whole.
/// Threads: gui. Owns: its views; session, theme and settings must outlive it.
class MainWindow final : public QWidget {
    Q_OBJECT
    Q_DISABLE_COPY(MainWindow)

public:
    /// `settings` remembers sizes; null remembers nothing.
    MainWindow(Session& session,
               const Theme& theme,
               QSettings* settings,
               std::unique_ptr<ScreenSource> screens = makeScreenSource());
    ~MainWindow() override;

    PromptBar& prompt() { return *prompt_; }
    ResultGrid& grid() { return *grid_; }
    ResultHeader& header() { return *header_; }
    Sidebar& sidebar() { return *sidebar_; }
    DetailPane& detail() { return *detail_; }
    ProfilerDock& profiler() { return *profiler_; }
    FailureList& failures() { return *failures_; }
    Capture& capture();
    SayAndPoint& sayAndPoint();

    /// In front of the others, whatever it was before.
    void comeForward();
    /// Shows a message above the pictures.
    void say(const MessageItem& message);
    void addFolder();
    void showFailures();
    void showPictures();

Q_SIGNALS:
    void quitWanted();
    void keysWanted();  ///< to choose keys of the whole desktop

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void followPresence();
    void buildLayout();
    QWidget* buildCentre();
    void connectViews();
    void addShortcuts();
    void showSummary(const AnswerSummary& summary);
    void showEmptyState(const AnswerSummary& summary);
    void showChosen(const QModelIndex& index);
    void onMessageAction(MessageItem::Action action);
    void restoreSizes();
    void saveSizes();

    Session& session_;
    const Theme& theme_;
    QSettings* settings_;
    Sidebar* sidebar_ = nullptr;
    PromptBar* prompt_ = nullptr;
    MessageStrip* messages_ = nullptr;
    ResultHeader* header_ = nullptr;
    ResultGrid* grid_ = nullptr;
    EmptyState* empty_ = nullptr;
    FailureList* failures_ = nullptr;
    DetailPane* detail_ = nullptr;
    ProfilerDock* profiler_ = nullptr;
    DropOutline* outline_ = nullptr;
    QStackedWidget* gridOrEmpty_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QSplitter* rows_ = nullptr;
    QSplitter* columns_ = nullptr;
    QSplitter* centre_ = nullptr;
    std::unique_ptr<PromptInputs> inputs_;
};

}  // namespace bifocal::ui
