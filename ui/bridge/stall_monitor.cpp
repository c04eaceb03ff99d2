// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/stall_monitor.h"

#include <algorithm>
#include <ctime>

namespace bifocal::ui {

namespace {

/// Processor time of the calling thread.
double threadMs() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace

StallMonitor::StallMonitor(QObject* parent) : QObject(parent) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(kBeat);
    connect(&timer_, &QTimer::timeout, this, &StallMonitor::beat);
    sinceStart_.start();
    sinceBeat_.start();
    processorMs_ = threadMs();
    timer_.start();
}

StallMonitor::Figures StallMonitor::figures() const {
    Figures figures = figures_;
    figures.observedSeconds = static_cast<double>(sinceStart_.elapsed()) / 1000;
    return figures;
}

void StallMonitor::leaveOut() {
    sinceBeat_.restart();
    processorMs_ = threadMs();
}

void StallMonitor::beat() {
    const double late =
        static_cast<double>(sinceBeat_.nsecsElapsed()) / 1e6 - static_cast<double>(kBeat.count());
    const double busy = threadMs() - processorMs_;
    leaveOut();
    const auto stall = static_cast<double>(kStall.count());
    figures_.longestMs = std::max(figures_.longestMs, late);
    figures_.longestBusyMs = std::max(figures_.longestBusyMs, busy);
    figures_.busyCount += busy > stall ? 1 : 0;
    if (late > stall) {
        ++figures_.stallCount;
        Q_EMIT stalled(late, busy);
    }
}

}  // namespace bifocal::ui
