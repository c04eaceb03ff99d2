// SPDX-License-Identifier: Apache-2.0
#include "app/gui/tour.h"

#include "ui/bridge/session.h"
#include "ui/bridge/stall_monitor.h"
#include "ui/models/roles.h"
#include "ui/views/balance_slider.h"
#include "ui/views/capture.h"
#include "ui/views/capture_overlay.h"
#include "ui/views/capture_screen.h"
#include "ui/views/chart/waterfall.h"
#include "ui/views/detail_pane.h"
#include "ui/views/main_window.h"
#include "ui/views/profiler_dock.h"
#include "ui/views/prompt_bar.h"
#include "ui/views/result_grid.h"
#include "ui/views/result_header.h"
#include "ui/views/sidebar.h"

#include <QApplication>
#include <QDir>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QPixmap>
#include <QPushButton>
#include <QScreen>
#include <QToolButton>
#include <QUrl>
#include <QWindow>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>

#include <unistd.h>

namespace bifocal::app {

namespace {

using std::chrono::seconds;

const QString kWords = QStringLiteral("a red flower");
constexpr int kPrintedRows = 5;
constexpr int kBalanceTowardsLooks = 70;

/// Milliseconds since this process was made, as the kernel counts them; an exec does not reset it.
double msSinceProcessStart() {
    std::ifstream file("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t afterName = text.rfind(')');
    if (afterName == std::string::npos) {
        return 0;
    }
    const QStringList fields =
        QString::fromStdString(text.substr(afterName + 2)).split(QLatin1Char(' '));
    constexpr int kStartTime = 19;  // field 22 of the file, counted from the third
    if (fields.size() <= kStartTime) {
        return 0;
    }
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    const double nowMs =
        static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    return nowMs -
           fields.at(kStartTime).toDouble() * 1e3 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

bool isFlower(const ui::ResultItem& item) {
    return ui::textOf(item.path).contains(QLatin1String("flower"), Qt::CaseInsensitive);
}

void print(const QString& line) {
    std::printf("%s\n", line.toUtf8().constData());
    std::fflush(stdout);
}

}  // namespace

Tour::Tour(ui::MainWindow& window,
           ui::Session& session,
           ui::StallMonitor& stalls,
           std::filesystem::path folder)
    : window_(window), session_(session), stalls_(stalls), folder_(std::move(folder)) {
    deadline_.setSingleShot(true);
    connect(&deadline_, &QTimer::timeout, this, [this] {
        fail(QStringLiteral("no answer before the deadline"));
    });
    // Whatever may complete a step makes it look again.
    connect(&hands_, &InputScript::finished, this, &Tour::check);
    connect(&session, &ui::Session::summaryChanged, this, &Tour::check);
    connect(&session, &ui::Session::deviceChanged, this, &Tour::check);
    connect(&session.results(), &QAbstractItemModel::dataChanged, this, &Tour::check);
    connect(&session.collections(), &QAbstractItemModel::dataChanged, this, &Tour::check);
    connect(&session.requests(), &QAbstractItemModel::rowsInserted, this, &Tour::check);
    connect(&session.requests(), &QAbstractItemModel::dataChanged, this, &Tour::check);
    connect(&window.detail(), &ui::DetailPane::previewShown, this, &Tour::check);
    connect(&window.grid(), &ui::ResultGrid::fadeEnded, this, &Tour::check);
    connect(&session.messages(), &QAbstractItemModel::rowsInserted, this, [this] {
        const ui::MessageListModel& messages = session_.messages();
        fail(messages.itemAt(messages.rowCount() - 1).text);
    });
    connect(&window.capture(), &ui::Capture::overlayShown, this, &Tour::dragOverExhibit);
    connect(&stalls, &ui::StallMonitor::stalled, this, [this](double ms, double busyMs) {
        gaps_.append(QStringLiteral("   %1 ms, of it own work %2 ms, in step %3")
                         .arg(ms, 4, 'f', 0)
                         .arg(busyMs, 0, 'f', 0)
                         .arg(current_ + 1));
    });
    addFirstSteps();
    addPictureSteps();
    addCaptureSteps();
    addLastSteps();
}

Tour::~Tour() {
    writers_.waitForDone();
}

void Tour::begin() {
    if (!QDir().mkpath(ui::textOf(folder_))) {
        fail(QStringLiteral("the folder for the pictures cannot be made"));
        return;
    }
    startStep();
}

void Tour::addFirstSteps() {
    steps_.push_back({"window",
                      "The window",
                      seconds(60),
                      [] {},
                      [this] {
                          const QWindow* handle = window_.windowHandle();
                          return handle != nullptr && handle->isExposed();
                      },
                      [this] {
                          usableMs_ = msSinceProcessStart();
                          print(QStringLiteral("usable %1 ms after the start of the process")
                                    .arg(usableMs_, 0, 'f', 0));
                          return QString();
                      }});
    steps_.push_back({"indexed",
                      "The collection is indexed",
                      seconds(900),
                      [] {},
                      [this] { return isIndexed() && isQuiet(); },
                      [this] {
                          const ui::CollectionItem all = session_.collections().itemAt(0);
                          print(QStringLiteral("%1 pictures, %2 could not be read; %3")
                                    .arg(all.fileCount)
                                    .arg(all.failureCount)
                                    .arg(session_.device().device));
                          return all.fileCount == 0 ? QStringLiteral("nothing was indexed")
                                                    : QString();
                      }});
    steps_.push_back({"words",
                      "Typed: a red flower",
                      seconds(120),
                      [this] { hands_.type(&window_.prompt().textField(), kWords); },
                      [this] { return session_.draft().text == kWords && hasAnswer(); },
                      [this] {
                          chooseExhibits();
                          return expectInFirstRow(isFlower, QStringLiteral("a flower"));
                      }});
}

void Tour::addPictureSteps() {
    steps_.push_back(
        {"picture",
         "Dropped: a picture of the collection",
         seconds(120),
         [this] {
             clearPrompt();
             auto* data = new QMimeData();
             data->setUrls({QUrl::fromLocalFile(ui::textOf(dropped_))});
             hands_.drop(&window_, data);
         },
         [this] {
             return session_.draft().picture && session_.draft().text.isEmpty() && hasAnswer();
         },
         [this] {
             const ui::ResultModel& results = session_.results();
             const bool isFirst = results.rowCount() > 0 && results.itemAt(0).isThisPicture &&
                                  results.itemAt(0).path == dropped_;
             return isFirst
                        ? QString()
                        : QStringLiteral("the dropped picture is not first as \"this picture\"");
         }});
    steps_.push_back({"balance",
                      "Added: the word yellow, and the balance moved towards looks",
                      seconds(120),
                      [this] {
                          hands_.type(&window_.prompt().textField(), QStringLiteral("yellow"));
                          connect(
                              &hands_,
                              &InputScript::finished,
                              this,
                              [this] {
                                  ui::BalanceSlider& slider = window_.prompt().balance();
                                  hands_.drag(&slider,
                                              slider.handleCentre(slider.value()),
                                              slider.handleCentre(kBalanceTowardsLooks));
                              },
                              Qt::SingleShotConnection);
                      },
                      [this] {
                          return session_.draft().usesBothLenses() &&
                                 std::abs(session_.draft().balance - kBalanceTowardsLooks / 100.0) <
                                     0.02 &&
                                 hasAnswer();
                      },
                      [this] {
                          const ui::AnswerSummary& summary = session_.summary();
                          if (!summary.usesWords || !summary.usesLooks) {
                              return QStringLiteral("the answer did not use both lenses");
                          }
                          return session_.results().itemAt(0).isThisPicture
                                     ? QString()
                                     : QStringLiteral("the prompt's own picture is not first");
                      }});
}

void Tour::addCaptureSteps() {
    steps_.push_back({"capture",
                      "Captured: a region of the screen",
                      seconds(120),
                      [this] {
                          clearPrompt();
                          showExhibit();
                          QToolButton& button = window_.prompt().captureButton();
                          hands_.click(&button, button.rect().center());
                      },
                      [this] { return wasCaptured_ && session_.draft().picture && hasAnswer(); },
                      [this] {
                          exhibit_.reset();
                          return expectInFirstRow(
                              [this](const ui::ResultItem& item) { return item.path == shown_; },
                              QStringLiteral("the picture that was on the screen"));
                      }});
}

void Tour::addLastSteps() {
    steps_.push_back({"room",
                      "F12: room for the pictures",
                      seconds(60),
                      [this] { hands_.pressInWindow(&window_, Qt::Key_F12); },
                      [this] { return !window_.profiler().isVisible() && isQuiet(); },
                      [] { return QString(); }});
    steps_.push_back({"profiler",
                      "F12: the profiler, and the time of that answer in it",
                      seconds(60),
                      [this] {
                          hands_.pressInWindow(&window_, Qt::Key_F12);
                          connect(
                              &hands_,
                              &InputScript::finished,
                              this,
                              [this] { openTimeOfAnswer(); },
                              Qt::SingleShotConnection);
                      },
                      [this] {
                          return window_.profiler().isVisible() &&
                                 window_.profiler().waterfall().request() ==
                                     session_.summary().request;
                      },
                      [this] { return checkWaterfall(); }});
    steps_.push_back({"browse",
                      "A collection without a prompt",
                      seconds(60),
                      [this] {
                          clearPrompt();
                          QListView& list = window_.sidebar().list();
                          const QModelIndex first = session_.collections().index(1);
                          hands_.click(list.viewport(), list.visualRect(first).center());
                      },
                      [this] {
                          return session_.collection() &&
                                 session_.summary().state == ui::AnswerSummary::State::Browsing &&
                                 !session_.summary().collection.isEmpty() && isQuiet();
                      },
                      [this] { return checkNewestFirst(); }});
}

void Tour::startStep() {
    const Step& step = steps_.at(current_);
    print(QStringLiteral("\n%1. %2").arg(current_ + 1).arg(QLatin1String(step.title)));
    deadline_.start(step.deadline);
    step.act();
    QTimer::singleShot(0, this, &Tour::check);
}

void Tour::check() {
    if (isChecking_ || current_ >= steps_.size() || !deadline_.isActive() || !hands_.isIdle()) {
        return;
    }
    isChecking_ = true;
    if (steps_.at(current_).isAnswered()) {
        deadline_.stop();
        // Once more round the loop: what was just answered is laid out and painted first.
        QTimer::singleShot(0, this, &Tour::finishStep);
    }
    isChecking_ = false;
}

void Tour::finishStep() {
    const Step& step = steps_.at(current_);
    const QString wrong = step.verify();
    printAnswer();
    save(step.name, window_);
    if (!wrong.isEmpty()) {
        fail(wrong);
        return;
    }
    if (++current_ == steps_.size()) {
        end();
        return;
    }
    startStep();
}

void Tour::fail(const QString& sentence) {
    if (std::exchange(hasFailed_, true)) {
        return;
    }
    const char* name = current_ < steps_.size() ? steps_.at(current_).name : "end";
    hands_.stop();
    deadline_.stop();
    save("failed", window_);
    std::fprintf(stderr, "tour: %s: %s\n", name, sentence.toUtf8().constData());
    writers_.waitForDone();
    QApplication::exit(1);
}

void Tour::end() {
    writers_.waitForDone();
    const ui::StallMonitor::Figures figures = stalls_.figures();
    print(QStringLiteral("\nevent loop: longest gap %1 ms, %2 over 50 ms, in %3 s")
              .arg(figures.longestMs, 0, 'f', 0)
              .arg(figures.stallCount)
              .arg(figures.observedSeconds, 0, 'f', 0));
    for (const QString& gap : std::as_const(gaps_)) {
        print(gap);
    }
    print(QStringLiteral("   of own work: longest %1 ms, %2 over 50 ms")
              .arg(figures.longestBusyMs, 0, 'f', 0)
              .arg(figures.busyCount));
    print(QStringLiteral("usable window: %1 ms").arg(usableMs_, 0, 'f', 0));
    QApplication::exit(0);
}

bool Tour::isIndexed() const {
    const ui::CollectionModel& collections = session_.collections();
    if (collections.isEmpty() || session_.device().state != ui::DeviceItem::State::Ready) {
        return false;
    }
    for (int row = 1; row < collections.rowCount(); ++row) {
        if (collections.itemAt(row).scan != ui::ScanState::Idle) {
            return false;
        }
    }
    const auto expected =
        std::min<std::uint64_t>(collections.itemAt(0).fileCount, ui::Session::kPageRows);
    return session_.results().rowCount() > 0 &&
           static_cast<std::uint64_t>(session_.results().rowCount()) >= expected;
}

bool Tour::isQuiet() const {
    const ui::ResultModel& results = session_.results();
    const int seen = std::min(2 * window_.grid().columnCount(), results.rowCount());
    for (int row = 0; row < seen; ++row) {
        const QModelIndex index = results.index(row);  // reading it asks for what is missing
        if (!index.data(ui::ThumbnailRole).isValid() &&
            !index.data(ui::ThumbnailFailedRole).toBool()) {
            return false;
        }
    }
    return !window_.grid().isFading() &&
           (!window_.detail().item() || window_.detail().hasPreview());
}

bool Tour::hasAnswer() const {
    return session_.summary().state == ui::AnswerSummary::State::Final && isQuiet();
}

void Tour::printAnswer() const {
    const ui::ResultModel& results = session_.results();
    if (results.rowCount() > 0) {
        print(QStringLiteral("   ") + window_.header().text());
    }
    for (int row = 0; row < std::min(kPrintedRows, results.rowCount()); ++row) {
        const ui::ResultItem& item = results.itemAt(row);
        if (item.fit == ui::Fit::None) {
            print(QStringLiteral("   %1").arg(ui::nameOf(item.path)));
            continue;
        }
        const char* fit = item.fit == ui::Fit::Strong ? "strong"
                          : item.fit == ui::Fit::Fair ? "fair"
                                                      : "weak";
        print(QStringLiteral("   %1  %2  words %3  looks %4%5")
                  .arg(ui::nameOf(item.path), -28)
                  .arg(QLatin1String(fit), -6)
                  .arg(double{item.words}, 5, 'f', 2)
                  .arg(double{item.looks}, 5, 'f', 2)
                  .arg(item.isThisPicture ? QStringLiteral("  this picture") : QString()));
    }
}

void Tour::save(const char* name, QWidget& widget) {
    const QString path = QStringLiteral("%1/%2-%3.png")
                             .arg(ui::textOf(folder_))
                             .arg(++pictureNumber_, 2, 10, QLatin1Char('0'))
                             .arg(QLatin1String(name));
    const QImage image = widget.grab().toImage();
    writers_.start([image, path] {
        if (!image.save(path)) {
            std::fprintf(stderr, "tour: %s was not written\n", path.toUtf8().constData());
        }
    });
    stalls_.leaveOut();  // taking the picture is not the window's own work
}

QString Tour::expectInFirstRow(const std::function<bool(const ui::ResultItem&)>& isIt,
                               const QString& what) const {
    const ui::ResultModel& results = session_.results();
    const int rowLength = std::min(window_.grid().columnCount(), results.rowCount());
    for (int row = 0; row < rowLength; ++row) {
        if (isIt(results.itemAt(row))) {
            return {};
        }
    }
    return QStringLiteral("%1 is not in the first row").arg(what);
}

void Tour::chooseExhibits() {
    const ui::ResultModel& results = session_.results();
    for (int row = 0; row < results.rowCount(); ++row) {
        if (!isFlower(results.itemAt(row))) {
            continue;
        }
        if (dropped_.empty()) {
            dropped_ = results.itemAt(row).path;
        } else if (shown_.empty()) {
            shown_ = results.itemAt(row).path;
        }
    }
    if (shown_.empty()) {
        shown_ = dropped_;
    }
}

void Tour::showExhibit() {
    exhibit_ = std::make_unique<QLabel>();
    exhibit_->setWindowFlags(Qt::FramelessWindowHint | Qt::X11BypassWindowManagerHint | Qt::Tool);
    exhibit_->setStyleSheet(QStringLiteral("background: white"));
    exhibit_->setAlignment(Qt::AlignCenter);
    exhibit_->setPixmap(QPixmap(ui::textOf(shown_)));
    exhibit_->setGeometry(QRect(window_.screen()->geometry().topLeft() + QPoint(160, 120),
                                exhibit_->pixmap().size() + QSize(40, 40)));
    exhibit_->show();
}

void Tour::dragOverExhibit(ui::CaptureOverlay* overlay) {
    if (!exhibit_) {
        return;
    }
    const QRect frame(exhibit_->mapToGlobal(QPoint(10, 10)), exhibit_->size() - QSize(20, 20));
    QWidget* const screen = overlay->windows().front();
    hands_.drag(screen,
                screen->mapFromGlobal(frame.topLeft()),
                screen->mapFromGlobal(frame.bottomRight()),
                [this](QWidget& shown) { save("overlay", shown); });
    wasCaptured_ = true;
}

void Tour::openTimeOfAnswer() {
    if (!window_.profiler().isVisible()) {
        fail(QStringLiteral("F12 did not open the profiler"));
        return;
    }
    QPushButton& door = window_.header().timeDoor();
    hands_.click(&door, door.rect().center());
}

QString Tour::checkWaterfall() const {
    const int row = session_.requests().rowOf(session_.summary().request);
    if (row < 0) {
        return QStringLiteral("the request is not in the list");
    }
    const ui::RequestItem& request = session_.requests().itemAt(row);
    print(QStringLiteral("   %1, %2 ms").arg(request.label).arg(request.totalMs, 0, 'f', 1));
    for (const ui::SpanItem& span : request.spans) {
        if (span.lens != ui::LensKind::Waiting) {
            print(QStringLiteral("   %1 %2 ms at %3 ms")
                      .arg(span.stage, -16)
                      .arg(span.durationMs, 6, 'f', 1)
                      .arg(span.beginMs, 0, 'f', 1));
        }
    }
    const bool hasLooks =
        std::any_of(request.spans.begin(), request.spans.end(), [](const ui::SpanItem& span) {
            return span.lens == ui::LensKind::Looks;
        });
    if (!hasLooks) {
        return QStringLiteral("the waterfall has no stage that encoded the picture");
    }
    return session_.series().samples().isEmpty() ? QStringLiteral("the charts have no samples")
                                                 : QString();
}

QString Tour::checkNewestFirst() const {
    const ui::ResultModel& results = session_.results();
    for (int row = 1; row < results.rowCount(); ++row) {
        if (results.itemAt(row - 1).modified < results.itemAt(row).modified) {
            return QStringLiteral("the pictures are not newest first");
        }
    }
    return results.rowCount() == 0 ? QStringLiteral("the collection shows no picture") : QString();
}

void Tour::clearPrompt() {
    const int parts = 1 + static_cast<int>(window_.prompt().minusChips().size()) + 1;
    for (int part = 0; part < parts; ++part) {
        hands_.press(&window_.prompt().textField(), Qt::Key_Escape);
    }
}

}  // namespace bifocal::app
