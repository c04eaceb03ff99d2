// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/stall_monitor.h"

#include <algorithm>

namespace bifocal::ui {

StallMonitor::StallMonitor(QObject* parent) : QObject(parent) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(kBeat);
    connect(&timer_, &QTimer::timeout, this, &StallMonitor::beat);
    sinceStart_.start();
    sinceBeat_.start();
    timer_.start();
}

StallMonitor::Figures StallMonitor::figures() const {
    Figures figures = figures_;
    figures.observedSeconds = static_cast<double>(sinceStart_.elapsed()) / 1000;
    return figures;
}

void StallMonitor::beat() {
    const double late =
        static_cast<double>(sinceBeat_.nsecsElapsed()) / 1e6 - static_cast<double>(kBeat.count());
    sinceBeat_.restart();
    figures_.longestMs = std::max(figures_.longestMs, late);
    if (late > static_cast<double>(kStall.count())) {
        ++figures_.stallCount;
        Q_EMIT stalled(late);
    }
}

}  // namespace bifocal::ui
