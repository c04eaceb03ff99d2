// SPDX-License-Identifier: Apache-2.0
#include "app/cli/load/open_loop.h"

#include "app/cli/bench/report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr double kLateMs = 10;
constexpr double kLateShareOfGap = 0.1;
constexpr std::size_t kFewestInFlightLimit = 16;

double toMs(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

std::size_t inFlightLimit(double rate) {
    return std::max(kFewestInFlightLimit, static_cast<std::size_t>(std::ceil(rate)));
}

std::string oneDecimal(double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.1f", value);
    return text;
}

}  // namespace

void SteadyPacer::waitUntil(TimePoint due) {
    std::mutex mutex;
    std::condition_variable nobodySignals;
    std::unique_lock lock(mutex);
    nobodySignals.wait_until(lock, due, [&] { return now() >= due; });
}

OpenLoop::OpenLoop(Pacer& pacer, double rate) : pacer_(pacer), rate_(rate) {}

void OpenLoop::inject(std::span<const Arrival> arrivals, const PromptStarter& start) {
    begin_ = pacer_.now();
    {
        const std::lock_guard lock(mutex_);
        lastEnd_ = begin_;
        ms_.resize(arrivals.size());
        for (const Arrival& arrival : arrivals) {
            kinds_.push_back(arrival.kind);
            due_.push_back(begin_ + arrival.due);
        }
    }
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        if (!send(i, arrivals[i], start)) {
            return;
        }
    }
}

bool OpenLoop::send(std::size_t number, const Arrival& arrival, const PromptStarter& start) {
    pacer_.waitUntil(begin_ + arrival.due);
    {
        const std::lock_guard lock(mutex_);
        if (refusal_ || error_) {
            return false;
        }
        if (inFlight_ == inFlightLimit(rate_)) {
            refusal_ = "overloaded: " + std::to_string(inFlight_) +
                       " prompts were in flight after " + oneDecimal(toMs(arrival.due) / 1000) +
                       " s";
            return false;
        }
        mostInFlight_ = std::max(mostInFlight_, ++inFlight_);
    }
    lateMs_.push_back(toMs(pacer_.now() - (begin_ + arrival.due)));
    ++sentCount_;
    const Result<void> started = start(
        arrival.kind, [this, number](Result<void> outcome) { end(number, std::move(outcome)); });
    if (!started) {
        end(number, started.error());
    }
    return true;
}

void OpenLoop::end(std::size_t number, Result<void> outcome) {
    const TimePoint now = pacer_.now();
    const std::lock_guard lock(mutex_);
    if (outcome) {
        ms_[number] = toMs(now - due_[number]);
    } else if (outcome.error().code == ErrorCode::Busy) {
        refusal_ = refusal_.value_or("refused: " + outcome.error().message);
    } else if (!error_) {
        error_ = std::move(outcome).error();
    }
    lastEnd_ = std::max(lastEnd_, now);
    --inFlight_;
    ended_.notify_all();
}

void OpenLoop::waitForEnds() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return inFlight_ == 0; });
}

Result<LoadRun> OpenLoop::finish() {
    waitForEnds();
    const std::lock_guard lock(mutex_);
    if (error_) {
        return *error_;
    }
    LoadRun run;
    for (std::size_t i = 0; i < ms_.size(); ++i) {
        if (ms_[i]) {
            run.samples.push_back({kinds_[i], *ms_[i]});
        }
    }
    run.sentCount = sentCount_;
    run.seconds = toMs(lastEnd_ - begin_) / 1000;
    run.lateP99Ms = quantile(lateMs_, 0.99);
    run.mostInFlight = mostInFlight_;
    run.refusal = refusal_;
    const double limit = std::max(kLateMs, kLateShareOfGap * 1000 / rate_);
    if (!run.refusal && run.lateP99Ms > limit) {
        run.refusal = "the injector was " + oneDecimal(run.lateP99Ms) +
                      " ms late (P99), more than " + oneDecimal(limit) + " ms";
    }
    return run;
}

}  // namespace bifocal::cli
