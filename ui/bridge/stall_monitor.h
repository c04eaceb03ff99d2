// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <cstdint>

namespace bifocal::ui {

/// Measures how long the event loop did not come round: a heartbeat is due every kBeat, and what it
/// comes late by is a gap. A gap has two causes, told apart by this thread's processor time: own
/// work, which is ours to shorten, and a machine that gave the thread no turn (or a call that
/// waited). Runs from construction on. Threads: gui.
class StallMonitor final : public QObject {
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds kBeat{10};
    static constexpr std::chrono::milliseconds kStall{50};

    struct Figures {
        std::uint64_t stallCount = 0;  ///< gaps over kStall
        double longestMs = 0;
        std::uint64_t busyCount = 0;  ///< of the stalls: over kStall of own work
        double longestBusyMs = 0;
        double observedSeconds = 0;
    };

    explicit StallMonitor(QObject* parent = nullptr);

    Figures figures() const;
    /// Leaves out the time since the last beat: what a tour or test did itself on this thread.
    void leaveOut();

Q_SIGNALS:
    /// A gap over kStall has ended; `busyMs` of it were own work.
    void stalled(double ms, double busyMs);

private:
    void beat();

    QTimer timer_;
    QElapsedTimer sinceStart_;
    QElapsedTimer sinceBeat_;
    double processorMs_ = 0;  ///< at the last beat
    Figures figures_;
};

}  // namespace bifocal::ui
