// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/items.h"

#include <QPointer>
#include <QWidget>

class QMimeData;
class QSettings;
class QSplitter;
class QStackedWidget;

namespace bifocal::ui {

class CaptureOverlay;
class DetailPane;
class Dictation;
class DropOutline;
class EmptyState;
class FailureList;
class MessageStrip;
class Microphone;
class ProfilerDock;
class PromptBar;
class ResultGrid;
class ResultHeader;
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
    MainWindow(Session& session, const Theme& theme, QSettings* settings);
    ~MainWindow() override;

    PromptBar& prompt() { return *prompt_; }
    ResultGrid& grid() { return *grid_; }
    ResultHeader& header() { return *header_; }
    Sidebar& sidebar() { return *sidebar_; }
    DetailPane& detail() { return *detail_; }
    ProfilerDock& profiler() { return *profiler_; }
    FailureList& failures() { return *failures_; }

    /// Hides the window, freezes the desktop and lets a region be dragged.
    void startCapture();
    void openPicture();
    void addFolder();
    /// Takes a picture or folder; false when there is none in it.
    bool take(const QMimeData& input);
    void showFailures();
    void showPictures();

Q_SIGNALS:
    void captureShown(bifocal::ui::CaptureOverlay* overlay);

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
    void addVoice();
    void showVoiceMenu(const QPoint& position);
    void rememberVoice();
    void addShortcuts();
    void freezeAndShowOverlay();
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
    QPointer<CaptureOverlay> overlay_;
    Microphone* microphone_ = nullptr;  // of the dictation
    Dictation* dictation_ = nullptr;
};

}  // namespace bifocal::ui
