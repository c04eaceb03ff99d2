// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/batcher_check.h"

#include "core/base/assert.h"
#include "core/schedule/batching.h"
#include "core/schedule/internal/admission.h"
#include "core/schedule/internal/lane_core.h"
#include "core/schedule/memory_ledger.h"
#include "core/schedule/policy.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <random>
#include <utility>

namespace bifocal::schedule {

namespace {

constexpr std::size_t kFull = 8;
constexpr Duration kWindow = std::chrono::milliseconds(50);

class BatcherRig {
public:
    BatcherCheck run(std::span<const Duration> arrivals);

private:
    void serve();

    MemoryLedger ledger_{std::numeric_limits<std::uint64_t>::max()};
    Admission admission_{ledger_, 1, 0};
    LaneCore core_{{"batcher", 0, kFull, 1, 0, BatchRule::eightOrFiftyMilliseconds()},
                   makeFifoPolicy(),
                   admission_};
    TimePoint now_{};
    TimePoint timer_ = TimePoint::max();
    BatcherCheck check_;
};

BatcherCheck BatcherRig::run(std::span<const Duration> arrivals) {
    for (const Duration arrival : arrivals) {
        while (timer_ <= TimePoint(arrival)) {
            now_ = timer_;
            serve();
        }
        now_ = TimePoint(arrival);
        TaskSpec spec;
        spec.stage = "encode";
        spec.maxJoined = kMaxRunSize;
        std::shared_ptr<Work> none;
        const auto queued = core_.enqueue(spec, none, now_);
        BIFOCAL_ASSERT(queued.has_value());
        serve();
    }
    while (timer_ != TimePoint::max()) {
        now_ = timer_;
        serve();
    }
    return std::move(check_);
}

void BatcherRig::serve() {
    for (;;) {
        const Decision decision = core_.next({}, now_);
        if (decision.kind != Decision::Kind::Run) {
            timer_ = decision.until;
            return;
        }
        Run& run = *decision.run;
        check_.flushes.push_back({now_.time_since_epoch(), run.count});
        admission_.release(run.bytes, run.predictedEnd);
        core_.finish(run, now_);
    }
}

std::vector<BatcherFlush> expectedFlushes(std::span<const Duration> arrivals) {
    std::vector<BatcherFlush> flushes;
    std::size_t first = 0;
    while (first < arrivals.size()) {
        const Duration close = arrivals[first] + kWindow;
        std::size_t end = first;
        while (end < arrivals.size() && end - first < kFull && arrivals[end] < close) {
            ++end;
        }
        const bool isFull = end - first == kFull;
        flushes.push_back({isFull ? arrivals[end - 1] : close, end - first});
        first = end;
    }
    return flushes;
}

}  // namespace

BatcherCheck checkBatcher(std::span<const Duration> arrivals) {
    BatcherCheck check = BatcherRig().run(arrivals);
    const std::vector<BatcherFlush> expected = expectedFlushes(arrivals);
    const std::size_t both = std::min(expected.size(), check.flushes.size());
    check.wrongFlushes = std::max(expected.size(), check.flushes.size()) - both;
    for (std::size_t i = 0; i < both; ++i) {
        check.wrongFlushes += expected[i] == check.flushes[i] ? 0 : 1;
    }
    return check;
}

std::vector<Duration> batcherArrivals(std::uint64_t seed, std::size_t count, double perSecond) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> gap(perSecond);
    std::vector<Duration> arrivals;
    double at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        at += gap(random);
        arrivals.push_back(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(at)));
    }
    return arrivals;
}

}  // namespace bifocal::schedule
