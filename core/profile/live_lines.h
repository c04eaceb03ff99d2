// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/tracer.h"
#include "core/profile/profiler.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bifocal::profile {

/// What one line of a live chart is about: the times of one kind of one stage in one class; with
/// SpanKind::Total the requests of the class that ended in the stage's way. Threads: value.
struct LineKey {
    std::string stage;
    Urgency urgency = Urgency::Interactive;
    SpanKind kind = SpanKind::Execute;

    friend auto operator<=>(const LineKey&, const LineKey&) = default;
};

/// One point of a line: of the spans that ended within kSampleWindow before the tick.
/// Threads: value.
struct LineTick {
    std::size_t line = 0;  ///< index in LiveLines::lines()
    Quantiles window;      ///< within 0.4 %; its maximum, too
    double perSecond = 0;  ///< spans
    double meanItems = 0;  ///< per span
};

/// One lane at a tick. Threads: value.
struct LaneTick {
    std::size_t lane = 0;           ///< index in LiveLines::lanes()
    double busyShare = 0;           ///< of the time of its workers, within the window; 0 to 1
    std::uint32_t workerCount = 0;  ///< that have ever run something
};

/// All lines at one moment; lines without a span in the window are left out. Threads: value.
struct LiveTick {
    TimePoint time;
    std::vector<LineTick> lines;
    std::vector<LaneTick> lanes;
};

/// The lines of the live charts, from the spans as they are recorded: a sliding window of
/// kSampleWindow that moves by kTick. A tick costs as much as the spans that are new and a walk
/// over some hundred counts per line; memory grows with the number of lines and with the
/// spans of one window, not with time. Nobody who does not look pays: whoever begins to look gives
/// it the spans of the last minutes at once. Threads: compatible.
class LiveLines {
public:
    static constexpr Duration kTick = std::chrono::milliseconds(500);

    /// The first tick ends kTick after `begin`.
    explicit LiveLines(TimePoint begin);
    LiveLines(const LiveLines&) = delete;
    LiveLines& operator=(const LiveLines&) = delete;
    ~LiveLines();

    /// Takes spans in the order in which they were recorded, and returns the ticks that are over by
    /// `now`, oldest first. A span counts where it ends; one that ended before the current tick
    /// counts in it.
    std::vector<LiveTick> add(std::span<const Span> spans, TimePoint now);

    /// Index of the line that a span which was added belongs to.
    std::size_t lineOf(const Span& span) const;
    /// In the order in which they were first seen; an index stays what it is.
    const std::vector<LineKey>& lines() const;
    const std::vector<std::string>& lanes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace bifocal::profile
