// SPDX-License-Identifier: Apache-2.0
#include "ui/views/main_window.h"

#include "ui/bridge/session.h"
#include "ui/views/capture.h"
#include "ui/views/detail_pane.h"
#include "ui/views/drop_outline.h"
#include "ui/views/empty_state.h"
#include "ui/views/failure_list.h"
#include "ui/views/icons.h"
#include "ui/views/make_child.h"
#include "ui/views/message_strip.h"
#include "ui/views/narrowing_bar.h"
#include "ui/views/picture_input.h"
#include "ui/views/profiler_dock.h"
#include "ui/views/prompt_bar.h"
#include "ui/views/prompt_inputs.h"
#include "ui/views/result_grid.h"
#include "ui/views/result_header.h"
#include "ui/views/say_and_point.h"
#include "ui/views/sidebar.h"
#include "ui/views/theme.h"

#include <QAction>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <memory>
#include <utility>

namespace bifocal::ui {

namespace {

constexpr int kSidebarWidth = 216;
constexpr int kDetailWidth = 300;
constexpr int kDockHeight = 248;
const QSize kFirstSize(1440, 900);
const QSize kSmallestSize(1024, 640);

QSplitter* makeSplitter(Qt::Orientation orientation, QWidget* parent) {
    auto* splitter = makeChild<QSplitter>(parent, orientation);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

}  // namespace

MainWindow::MainWindow(Session& session,
                       const Theme& theme,
                       QSettings* settings,
                       std::unique_ptr<ScreenSource> screens)
    : session_(session), theme_(theme), settings_(settings) {
    setWindowTitle(QStringLiteral("Bifocal"));
    setWindowIcon(applicationIcon());
    setObjectName(QStringLiteral("panel"));
    setAcceptDrops(true);
    setMinimumSize(kSmallestSize);
    buildLayout();
    outline_ = makeChild<DropOutline>(this, theme);
    connectViews();
    inputs_ = std::make_unique<PromptInputs>(
        session, *prompt_, *this, theme, settings, std::move(screens));
    connect(inputs_.get(), &PromptInputs::keysWanted, this, &MainWindow::keysWanted);
    addShortcuts();
    restoreSizes();
    showSummary(session.summary());
    prompt_->focusText();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildLayout() {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    rows_ = makeSplitter(Qt::Vertical, this);
    columns_ = makeSplitter(Qt::Horizontal, rows_);
    sidebar_ = makeChild<Sidebar>(columns_, session_, theme_);
    sidebar_->setMinimumWidth(160);
    auto* right = makeChild<QWidget>(columns_);
    auto* rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, 0, 0);
    rightLayout->setSpacing(0);
    prompt_ = makeChild<PromptBar>(right, session_.bridge(), theme_);
    auto* hairline = makeChild<QWidget>(right);
    hairline->setObjectName(QStringLiteral("hairline"));
    hairline->setAttribute(Qt::WA_StyledBackground);
    hairline->setFixedHeight(1);
    centre_ = makeSplitter(Qt::Horizontal, right);
    centre_->addWidget(buildCentre());
    detail_ = makeChild<DetailPane>(centre_, session_.bridge(), theme_);
    detail_->setMinimumWidth(220);
    centre_->setStretchFactor(0, 1);
    centre_->setStretchFactor(1, 0);
    rightLayout->addWidget(prompt_);
    rightLayout->addWidget(hairline);
    rightLayout->addWidget(centre_, 1);
    columns_->setStretchFactor(0, 0);
    columns_->setStretchFactor(1, 1);
    profiler_ = makeChild<ProfilerDock>(rows_, session_, theme_);
    rows_->setStretchFactor(0, 1);
    rows_->setStretchFactor(1, 0);
    outer->addWidget(rows_);
}

QWidget* MainWindow::buildCentre() {
    auto* canvas = makeChild<QWidget>(centre_);
    canvas->setObjectName(QStringLiteral("canvas"));
    canvas->setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(canvas);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    messages_ = makeChild<MessageStrip>(canvas, session_.messages(), theme_);
    pages_ = makeChild<QStackedWidget>(canvas);
    auto* pictures = makeChild<QWidget>(pages_);
    auto* picturesLayout = new QVBoxLayout(pictures);
    picturesLayout->setContentsMargins(0, 0, 0, 0);
    picturesLayout->setSpacing(0);
    header_ = makeChild<ResultHeader>(pictures, theme_);
    gridOrEmpty_ = makeChild<QStackedWidget>(pictures);
    auto* gridFrame = makeChild<QWidget>(gridOrEmpty_);
    auto* gridLayout = new QVBoxLayout(gridFrame);
    gridLayout->setContentsMargins(12, 0, 2, 0);  // half a gap is part of each cell
    grid_ = makeChild<ResultGrid>(gridFrame, session_.results(), theme_);
    gridLayout->addWidget(grid_);
    empty_ = makeChild<EmptyState>(gridOrEmpty_, theme_);
    gridOrEmpty_->addWidget(gridFrame);
    gridOrEmpty_->addWidget(empty_);
    picturesLayout->addWidget(header_);
    picturesLayout->addWidget(gridOrEmpty_, 1);
    failures_ = makeChild<FailureList>(pages_, session_, theme_);
    pages_->addWidget(pictures);
    pages_->addWidget(failures_);
    layout->addWidget(messages_);
    layout->addWidget(pages_, 1);
    return canvas;
}

void MainWindow::connectViews() {
    connect(prompt_, &PromptBar::promptChanged, this, [this](const PromptDraft& draft) {
        showPictures();
        session_.search(draft);
    });
    connect(&session_, &Session::summaryChanged, this, &MainWindow::showSummary);
    connect(&session_.collections(), &QAbstractItemModel::dataChanged, this, [this] {
        showSummary(session_.summary());
    });
    connect(&session_.collections(), &QAbstractItemModel::rowsInserted, this, [this] {
        showSummary(session_.summary());
    });
    connect(&session_, &Session::collectionSelected, this, &MainWindow::showPictures);
    connect(header_, &ResultHeader::requestWanted, this, [this](qulonglong request) {
        profiler_->show();
        profiler_->select(request);
    });
    connect(&header_->narrowing(), &NarrowingBar::changed, &session_, &Session::setNarrowing);
    connect(header_, &ResultHeader::scanWanted, sidebar_, &Sidebar::showScan);
    connect(grid_,
            &ResultGrid::visibleRowsChanged,
            &session_.thumbnails(),
            &ThumbnailLoader::setVisibleRows);
    connect(grid_, &ResultGrid::chosen, this, &MainWindow::showChosen);
    connect(grid_, &QListView::activated, detail_, &DetailPane::openPicture);
    connect(&session_.results(), &QAbstractItemModel::modelReset, detail_, &DetailPane::clear);
    connect(detail_, &DetailPane::promptWanted, this, [this](const ResultItem& item) {
        prompt_->setPicture(item.path, nameOf(item.path));
    });
    connect(sidebar_, &Sidebar::addFolderWanted, this, &MainWindow::addFolder);
    connect(sidebar_, &Sidebar::failuresWanted, this, &MainWindow::showFailures);
    connect(failures_, &FailureList::closed, this, &MainWindow::showPictures);
    connect(messages_, &MessageStrip::actionWanted, this, &MainWindow::onMessageAction);
    connect(empty_, &EmptyState::buttonClicked, this, &MainWindow::addFolder);
    prompt_->textField().installEventFilter(this);
}

void MainWindow::addShortcuts() {
    const auto add = [this](const QString& text, const QKeySequence& keys, auto&& run) {
        auto* action = new QAction(text, this);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, std::forward<decltype(run)>(run));
        addAction(action);
    };
    add(tr("Go to the prompt"), QKeySequence::Find, [this] { prompt_->focusText(); });
    add(tr("Search with a picture"), QKeySequence::Open, [this] { inputs_->openPicture(); });
    add(tr("Speak the prompt"), QKeySequence(QStringLiteral("Ctrl+M")), [this] {
        prompt_->toggleListening();
    });
    add(tr("Capture part of the screen"), QKeySequence(QStringLiteral("Ctrl+Shift+S")), [this] {
        capture().begin(Capture::What::Region);
    });
    add(tr("Say and point"), QKeySequence(QStringLiteral("Ctrl+Shift+M")), [this] {
        sayAndPoint().begin(SayAndPoint::Ending::ByPause);
    });
    add(tr("Paste a picture"), QKeySequence::Paste, [this] {
        inputs_->take(*QGuiApplication::clipboard()->mimeData());
    });
    add(tr("Add a folder"), QKeySequence::New, [this] { addFolder(); });
    add(tr("Pause or resume indexing"), QKeySequence(QStringLiteral("Ctrl+P")), [this] {
        sidebar_->togglePause();
    });
    add(tr("Show what could not be read"), QKeySequence(QStringLiteral("Ctrl+Shift+F")), [this] {
        showFailures();
    });
    add(tr("Search or read again"), QKeySequence(QStringLiteral("Ctrl+R")), [this] {
        pages_->currentWidget() == failures_ ? failures_->retry() : session_.searchAgain();
    });
    add(tr("Show or hide the profiler"), QKeySequence(Qt::Key_F12), [this] {
        profiler_->setVisible(!profiler_->isVisible());
    });
    add(tr("Write a trace"), QKeySequence(QStringLiteral("Ctrl+Shift+J")), [this] {
        profiler_->exportTrace();
    });
    add(tr("Show in folder"), QKeySequence(QStringLiteral("Ctrl+Shift+E")), [this] {
        detail_->showInFolder();
    });
    add(tr("More like this"), QKeySequence(QStringLiteral("Ctrl+L")), [this] {
        if (detail_->item()) {
            prompt_->setPicture(detail_->item()->path, nameOf(detail_->item()->path));
        }
    });
    add(tr("Copy the picture"), QKeySequence::Copy, [this] { detail_->copyPicture(); });
    add(tr("Quit"), QKeySequence::Quit, [this] { Q_EMIT quitWanted(); });
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    // The text field would paste the path of a copied picture as words.
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const QMimeData* clipboard =
            key->matches(QKeySequence::Paste) ? QGuiApplication::clipboard()->mimeData() : nullptr;
        if (clipboard != nullptr && hasPictureInput(*clipboard)) {
            if (event->type() == QEvent::KeyPress) {
                inputs_->take(*clipboard);
            }
            event->accept();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (hasPictureInput(*event->mimeData())) {
        event->acceptProposedAction();
        outline_->setGeometry(rect());
        outline_->raise();
        outline_->show();
    }
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* /*event*/) {
    outline_->hide();
}

void MainWindow::dropEvent(QDropEvent* event) {
    outline_->hide();
    if (inputs_->take(*event->mimeData())) {
        event->setDropAction(Qt::CopyAction);
        event->accept();
        activateWindow();
    }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    outline_->setGeometry(rect());
}

void MainWindow::followPresence() {
    session_.bridge().setPresence(isVisible() && !isMinimized() ? EngineBridge::Presence::Shown
                                                                : EngineBridge::Presence::Hidden);
}

void MainWindow::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followPresence();
}

void MainWindow::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    followPresence();
}

void MainWindow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange) {
        followPresence();
    }
}

Capture& MainWindow::capture() {
    return inputs_->capture();
}

SayAndPoint& MainWindow::sayAndPoint() {
    return inputs_->sayAndPoint();
}

void MainWindow::comeForward() {
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

void MainWindow::say(const MessageItem& message) {
    session_.messages().add(message);
}

void MainWindow::addFolder() {
    auto* dialog = makeChild<QFileDialog>(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Add a folder of pictures"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        session_.bridge().addFolder(path.toStdString());
    });
    dialog->open();
}

void MainWindow::showSummary(const AnswerSummary& summary) {
    header_->show(summary, session_.collections().namesBeingScanned());
    showEmptyState(summary);
    if (summary.state == AnswerSummary::State::Final && !grid_->currentIndex().isValid()) {
        grid_->setCurrentIndex(session_.results().index(0));
    }
}

void MainWindow::showEmptyState(const AnswerSummary& summary) {
    const bool isEmpty =
        session_.results().rowCount() == 0 && summary.state != AnswerSummary::State::Searching;
    gridOrEmpty_->setCurrentIndex(isEmpty ? 1 : 0);
    if (!isEmpty) {
        return;
    }
    if (summary.state == AnswerSummary::State::Final && summary.hiddenCount > 0) {
        empty_->say(tr("No match is that close"),
                    tr("%Ln weaker match(es) can be shown with “all matches”.",
                       nullptr,
                       static_cast<int>(summary.hiddenCount)),
                    {});
    } else if (summary.state == AnswerSummary::State::Final &&
               session_.draft().narrowing.hasFilter()) {
        empty_->say(tr("No picture passes the filter"),
                    tr("Choose “All files” in the filter above to search all of them."),
                    {});
    } else if (session_.collections().isEmpty()) {
        empty_->say(tr("Find pictures by what they show and how they look"),
                    tr("Choose a folder to index. Nothing leaves this machine."),
                    tr("Add folder…"));
    } else if (summary.state == AnswerSummary::State::Failed) {
        empty_->say(tr("No answer"), tr("Change the prompt and try again."), {});
    } else if (!session_.collections().namesBeingScanned().isEmpty()) {
        empty_->say(tr("The first pictures are being indexed"),
                    tr("They can be found as soon as they appear here."),
                    {});
    } else {
        empty_->say(tr("No pictures here"),
                    tr("This folder holds no picture that Bifocal reads."),
                    tr("Add folder…"));
    }
}

void MainWindow::showChosen(const QModelIndex& index) {
    if (const ResultItem* item = session_.results().item(index)) {
        detail_->show(*item, session_.results().bestTotal());
    }
}

void MainWindow::showFailures() {
    session_.bridge().requestFailures();
    pages_->setCurrentWidget(failures_);
    failures_->list().setFocus();
}

void MainWindow::showPictures() {
    pages_->setCurrentIndex(0);
}

void MainWindow::onMessageAction(MessageItem::Action action) {
    switch (action) {
        case MessageItem::Action::Retry: session_.searchAgain(); break;
        case MessageItem::Action::ShowFailures: showFailures(); break;
        case MessageItem::Action::ChooseFolder: addFolder(); break;
        case MessageItem::Action::ChooseKeys: Q_EMIT keysWanted(); break;
        case MessageItem::Action::None: break;
    }
}

void MainWindow::restoreSizes() {
    resize(kFirstSize);
    rows_->setSizes({kFirstSize.height() - kDockHeight, kDockHeight});
    columns_->setSizes({kSidebarWidth, kFirstSize.width() - kSidebarWidth});
    centre_->setSizes({kFirstSize.width() - kSidebarWidth - kDetailWidth, kDetailWidth});
    if (settings_ == nullptr || !settings_->contains(QStringLiteral("window/geometry"))) {
        return;
    }
    restoreGeometry(settings_->value(QStringLiteral("window/geometry")).toByteArray());
    rows_->restoreState(settings_->value(QStringLiteral("window/rows")).toByteArray());
    columns_->restoreState(settings_->value(QStringLiteral("window/columns")).toByteArray());
    centre_->restoreState(settings_->value(QStringLiteral("window/centre")).toByteArray());
    profiler_->setVisible(settings_->value(QStringLiteral("window/profiler"), true).toBool());
}

void MainWindow::saveSizes() {
    if (settings_ == nullptr) {
        return;
    }
    settings_->setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings_->setValue(QStringLiteral("window/rows"), rows_->saveState());
    settings_->setValue(QStringLiteral("window/columns"), columns_->saveState());
    settings_->setValue(QStringLiteral("window/centre"), centre_->saveState());
    settings_->setValue(QStringLiteral("window/profiler"), profiler_->isVisibleTo(this));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveSizes();
    QWidget::closeEvent(event);
}

}  // namespace bifocal::ui
