// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/load/arrivals.h"
#include "core/base/clock.h"
#include "core/base/result.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bifocal::cli {

/// A clock that can be waited for, so that a test can own it. Threads: safe.
class Pacer : public Clock {
public:
    /// Returns at `due`, or at once when that has passed.
    virtual void waitUntil(TimePoint due) = 0;
};

/// The machine's time. Threads: safe.
class SteadyPacer final : public Pacer {
public:
    TimePoint now() const override { return SteadyClock().now(); }
    void waitUntil(TimePoint due) override;
};

/// Starts a prompt of a kind and sees to it that `onEnd` is called exactly once when it is over, on
/// any thread; on failure never.
using PromptStarter =
    std::function<Result<void>(LoadKind kind, std::function<void(Result<void>)> onEnd)>;

/// One prompt that was answered.
struct LoadSample {
    LoadKind kind = LoadKind::Text;
    double ms = 0;  ///< from when it was meant to start to its end
};

/// What a run of one rate saw. Threads: value.
struct LoadRun {
    std::vector<LoadSample> samples;  ///< in the order in which they were meant to start
    std::size_t sentCount = 0;
    double seconds = 0;                  ///< from the beginning to the last answer
    double lateP99Ms = 0;                ///< how far behind its plan the injector was
    std::size_t mostInFlight = 0;        ///< prompts that had been started and were not over
    std::optional<std::string> refusal;  ///< why the run does not stand for its rate
};

/// Prompts that start when they are meant to, whether or not earlier ones have been answered, and
/// are timed from that moment: a stall costs every prompt that was due during it, as it costs the
/// people who sent them (no coordinated omission).
/// The run does not stand for its rate, and says why, when more than a second's worth of prompts
/// (at least 16) was in flight at once, when the engine refused one, or when the injector itself
/// was later than 10 ms or a tenth of the mean gap, whichever is more, more often than once in a
/// hundred.
/// Threads: inject() and finish() by one thread, in this order, once; the ends come on any.
class OpenLoop {
public:
    /// `rate`: prompts per second that the arrivals were made for. The pacer outlives this object.
    OpenLoop(Pacer& pacer, double rate);
    OpenLoop(const OpenLoop&) = delete;
    OpenLoop& operator=(const OpenLoop&) = delete;
    ~OpenLoop() { waitForEnds(); }

    /// Starts every arrival, or as many as there are until too many are in flight.
    void inject(std::span<const Arrival> arrivals, const PromptStarter& start);
    /// Waits for what is in flight. The first error of a prompt (Busy is a refusal, no error).
    Result<LoadRun> finish();

private:
    bool send(std::size_t number, const Arrival& arrival, const PromptStarter& start);
    void end(std::size_t number, Result<void> outcome);
    void waitForEnds();

    Pacer& pacer_;
    const double rate_;
    TimePoint begin_;
    std::vector<double> lateMs_;
    std::size_t sentCount_ = 0;

    std::mutex mutex_;  // guards what follows
    std::condition_variable ended_;
    std::vector<LoadKind> kinds_;
    std::vector<TimePoint> due_;
    std::vector<std::optional<double>> ms_;
    std::size_t inFlight_ = 0;
    std::size_t mostInFlight_ = 0;
    TimePoint lastEnd_;
    std::optional<std::string> refusal_;
    std::optional<Error> error_;
};

}  // namespace bifocal::cli
