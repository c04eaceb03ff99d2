// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QWidget>

class QListView;
class QLabel;
class QPushButton;

namespace bifocal::ui {

class Session;
struct SampleItem;
class Theme;
class TimeChart;
class Waterfall;

/// What the engine does: latency, ready queue and memory over a minute, and the requests with their
/// waterfalls. Samples flow only while it is shown. Threads: gui.
class ProfilerDock final : public QWidget {
    Q_OBJECT

public:
    ProfilerDock(Session& session, const Theme& theme, QWidget* parent);

    /// Chooses a request and shows its waterfall; when it is not listed yet, as soon as it is.
    void select(qulonglong request);
    /// Asks where to, and writes the trace as JSON.
    void exportTrace();
    QListView& requestList() { return *list_; }
    Waterfall& waterfall() { return *waterfall_; }

    QSize sizeHint() const override { return {1000, 248}; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    class RequestDelegate;

    QWidget* buildRequests();
    void showSamples();
    void showLatency();
    QList<SampleItem> newestPrompt() const;
    void showQueue();
    void showMemory();
    void showChosen();
    void selectMoment(double secondsAgo);
    void exportTo(const QString& format);
    void applyTheme();

    Session& session_;
    const Theme& theme_;
    TimeChart* latency_ = nullptr;
    TimeChart* queue_ = nullptr;
    TimeChart* memory_ = nullptr;
    QWidget* requests_ = nullptr;
    QLabel* title_ = nullptr;
    QLabel* legend_ = nullptr;
    QListView* list_ = nullptr;
    Waterfall* waterfall_ = nullptr;
    QPushButton* json_ = nullptr;
    QPushButton* csv_ = nullptr;
    qulonglong wanted_ = 0;
};

}  // namespace bifocal::ui
