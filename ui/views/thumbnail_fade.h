// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QBasicTimer>
#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QPersistentModelIndex>

#include <chrono>

namespace bifocal::ui {

/// How far the pictures that have just arrived have faded in. While one fades, a timer names its
/// row at each step; else nothing runs, and nothing is repainted. Threads: gui.
class ThumbnailFade final : public QObject {
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds kDuration{120};

    explicit ThumbnailFade(QObject* parent = nullptr);

    void begin(const QModelIndex& index);
    /// 0 … 1; 1 for a row that does not fade.
    double opacity(const QModelIndex& index) const;
    bool isRunning() const { return !fades_.isEmpty(); }

Q_SIGNALS:
    /// The row is to be painted again, also for the last time.
    void advanced(const QModelIndex& index);
    void ended();

protected:
    void timerEvent(QTimerEvent* event) override;

private:
    struct Fade {
        QPersistentModelIndex index;
        qint64 beginMs = 0;
    };

    double opacityOf(const Fade& fade) const;

    static constexpr std::chrono::milliseconds kStep{16};

    QList<Fade> fades_;
    QBasicTimer timer_;
    QElapsedTimer clock_;
};

}  // namespace bifocal::ui
