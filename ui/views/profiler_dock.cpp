// SPDX-License-Identifier: Apache-2.0
#include "ui/views/profiler_dock.h"

#include "ui/bridge/session.h"
#include "ui/models/roles.h"
#include "ui/views/chart/time_chart.h"
#include "ui/views/chart/waterfall.h"
#include "ui/views/make_child.h"
#include "ui/views/theme.h"

#include <QAbstractItemDelegate>
#include <QFileDialog>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>
#include <functional>
#include <limits>

namespace bifocal::ui {

namespace {

constexpr double kGigabyte = 1e9;

QList<QPointF> pointsOf(const QList<SampleItem>& samples,
                        const std::function<double(const SampleItem&)>& value) {
    QList<QPointF> points;
    points.reserve(samples.size());
    for (const SampleItem& sample : samples) {
        points.append({sample.secondsAgo, value(sample)});
    }
    return points;
}

}  // namespace

/// Label, class, waterfall in one bar, total.
class ProfilerDock::RequestDelegate final : public QAbstractItemDelegate {
public:
    RequestDelegate(const RequestModel& model, const Theme& theme, QObject* parent)
        : QAbstractItemDelegate(parent), model_(model), theme_(theme) {}

    QSize sizeHint(const QStyleOptionViewItem& option,
                   const QModelIndex& /*index*/) const override {
        return {option.rect.width(), 22};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Palette& palette = theme_.palette();
        const RequestItem& item = model_.itemAt(index.row());
        const QRect row = option.rect;
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) {
            painter->fillRect(row, palette.raised);
        }
        painter->setFont(theme_.font(TextSize::Body));
        const int labelWidth = row.width() * 32 / 100;
        const QRect label(row.left() + 4, row.top(), labelWidth - 12, row.height());
        painter->setPen(palette.text);
        painter->drawText(label,
                          Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(
                              index.data().toString(), Qt::ElideRight, label.width()));
        painter->setPen(palette.muted);
        painter->drawText(QRect(row.left() + labelWidth, row.top(), 84, row.height()),
                          Qt::AlignVCenter,
                          index.data(ClassTextRole).toString());
        const int figureWidth = 72;
        const QRectF bar(row.left() + labelWidth + 88,
                         row.center().y() - 3,
                         row.width() - labelWidth - 88 - figureWidth,
                         8);
        paintBar(*painter, bar, item, model_.longestMs(item.kind), palette);
        painter->drawText(
            QRect(row.right() - figureWidth, row.top(), figureWidth - 4, row.height()),
            Qt::AlignVCenter | Qt::AlignRight,
            RequestModel::durationText(item.totalMs));
        painter->setPen(palette.hairline);
        painter->drawLine(row.bottomLeft(), row.bottomRight());
        painter->restore();
    }

private:
    const RequestModel& model_;
    const Theme& theme_;
};

ProfilerDock::ProfilerDock(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), session_(session), theme_(theme) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    setMinimumHeight(150);
    latency_ = new TimeChart(tr("Latency, interactive (ms)"), theme, this);
    latency_->setEmptyText(tr("No prompt in the last minute."));
    queue_ = new TimeChart(tr("Ready queue"), theme, this);
    queue_->setEmptyText(tr("Nothing measured yet."));
    queue_->setLeastTop(4);
    memory_ = new TimeChart(tr("Memory (GB)"), theme, this);
    memory_->setEmptyText(tr("Nothing measured yet."));
    requests_ = buildRequests();
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(1);  // the hairlines between the panes
    layout->addWidget(latency_, 38);
    layout->addWidget(queue_, 26);
    layout->addWidget(memory_, 27);
    layout->addWidget(requests_, 51);
    connect(&session.series(), &ProfilerSeries::changed, this, &ProfilerDock::showSamples);
    connect(latency_, &TimeChart::momentChosen, this, &ProfilerDock::selectMoment);
    connect(queue_, &TimeChart::momentChosen, this, &ProfilerDock::selectMoment);
    connect(memory_, &TimeChart::momentChosen, this, &ProfilerDock::selectMoment);
    connect(&theme, &Theme::changed, this, &ProfilerDock::applyTheme);
    applyTheme();
}

QWidget* ProfilerDock::buildRequests() {
    auto* pane = makeChild<QWidget>(this);
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(14, 6, 14, 8);
    layout->setSpacing(4);
    auto* line = new QHBoxLayout();
    line->setSpacing(10);
    title_ = makeChild<QLabel>(pane);
    title_->setText(tr("Requests"));
    legend_ = makeChild<QLabel>(pane);
    json_ = makeChild<QPushButton>(pane);
    json_->setText(tr("JSON"));
    json_->setToolTip(tr("Write a trace for chrome://tracing or Perfetto (Ctrl+Shift+J)"));
    csv_ = makeChild<QPushButton>(pane);
    csv_->setText(tr("CSV"));
    csv_->setToolTip(tr("Write every span as a table"));
    line->addWidget(title_);
    line->addStretch(1);
    line->addWidget(legend_);
    for (QPushButton* button : {json_, csv_}) {
        button->setObjectName(QStringLiteral("quietLink"));
        line->addWidget(button);
    }
    list_ = makeChild<QListView>(pane);
    list_->setAccessibleName(tr("requests"));
    list_->setUniformItemSizes(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setItemDelegate(new RequestDelegate(session_.requests(), theme_, list_));
    list_->setModel(&session_.requests());
    waterfall_ = new Waterfall(theme_, pane);
    layout->addLayout(line);
    layout->addWidget(list_, 5);
    layout->addWidget(waterfall_, 4);
    connect(json_, &QPushButton::clicked, this, &ProfilerDock::exportTrace);
    connect(csv_, &QPushButton::clicked, this, [this] { exportTo(QStringLiteral("csv")); });
    connect(list_->selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            &ProfilerDock::showChosen);
    connect(
        &session_.requests(), &QAbstractItemModel::dataChanged, this, &ProfilerDock::showChosen);
    connect(
        &session_.requests(), &QAbstractItemModel::dataChanged, this, &ProfilerDock::showLatency);
    connect(&session_.requests(), &QAbstractItemModel::rowsInserted, this, [this] {
        showLatency();
        if (wanted_ != 0) {
            select(wanted_);
        }
    });
    return pane;
}

void ProfilerDock::applyTheme() {
    const Palette& palette = theme_.palette();
    title_->setFont(theme_.font(TextSize::Body, QFont::DemiBold));
    legend_->setFont(theme_.font(TextSize::Small));
    json_->setFont(theme_.font(TextSize::Small));
    csv_->setFont(theme_.font(TextSize::Small));
    legend_->setText(QStringLiteral("<span style='color:%1'>%2</span>&nbsp;&nbsp;"
                                    "<span style='color:%3'>%4</span>&nbsp;&nbsp;"
                                    "<span style='color:%5'>%6</span>")
                         .arg(palette.words.name(),
                              tr("words"),
                              palette.looks.name(),
                              tr("looks"),
                              palette.muted.name(),
                              tr("decode, fuse, search")));
    showSamples();
    update();
}

void ProfilerDock::paintEvent(QPaintEvent* event) {
    QWidget::paintEvent(event);
    QPainter painter(this);
    for (const QWidget* pane :
         {static_cast<QWidget*>(queue_), static_cast<QWidget*>(memory_), requests_}) {
        painter.fillRect(pane->x() - 1, 0, 1, height(), theme_.palette().hairline);
    }
}

void ProfilerDock::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    session_.bridge().watchProfiler(EngineBridge::Watch::On);
}

void ProfilerDock::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    session_.bridge().watchProfiler(EngineBridge::Watch::Off);
}

void ProfilerDock::showSamples() {
    showLatency();
    showQueue();
    showMemory();
}

void ProfilerDock::showLatency() {
    const Palette& palette = theme_.palette();
    const QList<SampleItem>& samples = session_.series().samples();
    const SampleItem last = session_.series().last();
    const QLocale locale;
    const auto legend = [&](const QString& name, double value) {
        return last.count == 0 ? name : name + QLatin1Char(' ') + locale.toString(value, 'f', 0);
    };
    QList<SampleItem> measured;
    for (const SampleItem& sample : samples) {
        if (sample.count > 0) {
            measured.append(sample);
        }
    }
    if (measured.isEmpty()) {
        measured = newestPrompt();
    }
    latency_->setLines({{legend(QStringLiteral("P50"), last.p50Ms),
                         palette.ramp1,
                         TimeChart::Fill::None,
                         pointsOf(measured, [](const SampleItem& s) { return s.p50Ms; })},
                        {legend(QStringLiteral("P95"), last.p95Ms),
                         palette.ramp2,
                         TimeChart::Fill::None,
                         pointsOf(measured, [](const SampleItem& s) { return s.p95Ms; })},
                        {legend(QStringLiteral("P99"), last.p99Ms),
                         palette.ramp3,
                         TimeChart::Fill::None,
                         pointsOf(measured, [](const SampleItem& s) { return s.p99Ms; })}});
}

/// The prompt that was answered since the last sample was taken, as a sample of its own.
QList<SampleItem> ProfilerDock::newestPrompt() const {
    const RequestModel& requests = session_.requests();
    for (int row = 0; row < requests.rowCount(); ++row) {
        const RequestItem& item = requests.itemAt(row);
        if (item.kind == RequestClass::Interactive && item.state == RequestState::Done &&
            item.secondsAgo <= ProfilerSeries::kSpanSeconds) {
            SampleItem sample;
            sample.secondsAgo = item.secondsAgo;
            sample.count = 1;
            sample.p50Ms = sample.p95Ms = sample.p99Ms = item.totalMs;
            return {sample};
        }
    }
    return {};
}

void ProfilerDock::showQueue() {
    const Palette& palette = theme_.palette();
    const QList<SampleItem>& samples = session_.series().samples();
    queue_->setLines(
        {{tr("batch"),
          palette.ramp1,
          TimeChart::Fill::Area,
          pointsOf(samples, [](const SampleItem& s) { return double(s.readyBatch); })},
         {tr("prefetch"),
          palette.ramp2,
          TimeChart::Fill::None,
          pointsOf(samples, [](const SampleItem& s) { return double(s.readyPrefetch); })},
         {tr("interactive"),
          palette.ramp3,
          TimeChart::Fill::None,
          pointsOf(samples, [](const SampleItem& s) { return double(s.readyInteractive); })}});
}

void ProfilerDock::showMemory() {
    const Palette& palette = theme_.palette();
    const QList<SampleItem>& samples = session_.series().samples();
    const auto gigabytes = [](std::uint64_t bytes) {
        return static_cast<double>(bytes) / kGigabyte;
    };
    QList<TimeChart::Line> lines{
        {tr("ledger"),
         palette.ramp1,
         TimeChart::Fill::None,
         pointsOf(samples, [&](const SampleItem& s) { return gigabytes(s.ledgerBytes); })},
        {tr("tensors"),
         palette.ramp2,
         TimeChart::Fill::None,
         pointsOf(samples, [&](const SampleItem& s) { return gigabytes(s.allocatorBytes); })},
        {tr("in use"),
         palette.ramp3,
         TimeChart::Fill::Area,
         pointsOf(samples, [&](const SampleItem& s) { return gigabytes(s.residentBytes); })}};
    if (session_.series().hasVram()) {
        lines.append({tr("VRAM"),
                      palette.muted,
                      TimeChart::Fill::None,
                      pointsOf(samples, [&](const SampleItem& s) {
                          return gigabytes(s.vramBytes.value_or(0));
                      })});
    }
    memory_->setLines(lines);
}

void ProfilerDock::select(qulonglong request) {
    const int row = session_.requests().rowOf(request);
    if (row < 0) {
        wanted_ = request;
        return;
    }
    wanted_ = 0;
    const QModelIndex index = session_.requests().index(row);
    list_->setCurrentIndex(index);
    list_->scrollTo(index);
}

void ProfilerDock::showChosen() {
    const QModelIndex chosen = list_->currentIndex();
    if (chosen.isValid()) {
        waterfall_->show(session_.requests().itemAt(chosen.row()));
    } else {
        waterfall_->clear();
    }
}

void ProfilerDock::selectMoment(double secondsAgo) {
    const RequestModel& requests = session_.requests();
    int nearest = -1;
    double least = std::numeric_limits<double>::max();
    for (int row = 0; row < requests.rowCount(); ++row) {
        const double distance = std::abs(requests.itemAt(row).secondsAgo - secondsAgo);
        if (distance < least) {
            least = distance;
            nearest = row;
        }
    }
    if (nearest >= 0) {
        select(requests.itemAt(nearest).id);
    }
}

void ProfilerDock::exportTrace() {
    exportTo(QStringLiteral("json"));
}

void ProfilerDock::exportTo(const QString& format) {
    auto* dialog = makeChild<QFileDialog>(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setWindowTitle(tr("Write the trace"));
    dialog->setDefaultSuffix(format);
    dialog->selectFile(QStringLiteral("bifocal-trace.%1").arg(format));
    connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) {
        session_.bridge().exportTrace(
            path.toStdString(),
            format == QLatin1String("csv") ? TraceFormat::Csv : TraceFormat::Chrome);
    });
    dialog->open();
}

}  // namespace bifocal::ui
