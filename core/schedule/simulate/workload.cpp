// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/workload.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace bifocal::schedule {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kMostArrivals = 1e7;

bool isPositive(double value) {
    return std::isfinite(value) && value > 0;
}

Result<void> check(const Workload& workload) {
    const bool isFresh = workload.source == BatchSource::Fresh;
    const double length = std::chrono::duration<double>(workload.length).count();
    if (!isPositive(workload.promptsPerSecond) ||
        (isFresh && !isPositive(workload.batchItemsPerSecond))) {
        return Error{ErrorCode::InvalidArgument, workload.name + ": a rate must be above zero"};
    }
    if (!(workload.textShare >= 0 && workload.textShare <= 1)) {
        return Error{ErrorCode::InvalidArgument,
                     workload.name + ": the share of text must be 0 to 1"};
    }
    if (!(length > 0) || workload.batchAlone < Duration(0) ||
        (workload.objective && *workload.objective <= Duration(0))) {
        return Error{ErrorCode::InvalidArgument, workload.name + ": a time must be above zero"};
    }
    const double rate = workload.promptsPerSecond + (isFresh ? workload.batchItemsPerSecond : 0);
    if (rate * length > kMostArrivals) {
        return Error{ErrorCode::InvalidArgument,
                     workload.name + ": more than 10,000,000 arrivals; lower the rate"};
    }
    return {};
}

/// Poisson arrivals from `begin` to `end`.
template <typename Add>
void arrive(double perSecond, Duration begin, Duration end, std::mt19937_64& random, Add add) {
    std::exponential_distribution<double> gap(perSecond);
    const double last = std::chrono::duration<double>(end).count();
    for (double at = std::chrono::duration<double>(begin).count() + gap(random); at < last;
         at += gap(random)) {
        add(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(at)));
    }
}

}  // namespace

std::vector<Workload> workloads() {
    return {
        {"W-A",
         "batch always ready, a prompt a second",
         1,
         0.5,
         BatchSource::Pull,
         64,
         0,
         Duration(0),
         seconds(2000),
         {}},
        {"W-B",
         "10,000 pictures dropped in at once, a prompt a second",
         1,
         0.5,
         BatchSource::Dump,
         10'000,
         0,
         Duration(0),
         seconds(120),
         {}},
        {"W-C",
         "prompts of text against a stream of fresh pictures",
         1,
         1.0,
         BatchSource::Fresh,
         0,
         100,
         Duration(0),
         seconds(300),
         {}},
        {"W-D",
         "more prompts than the device can serve, after an hour of batch alone",
         90,
         0.5,
         BatchSource::Pull,
         64,
         0,
         hours(1),
         seconds(120),
         {}},
        {"W-E",
         "overload; a prompt is worth something for 300 ms",
         120,
         0.5,
         BatchSource::Pull,
         64,
         0,
         Duration(0),
         seconds(60),
         milliseconds(300)},
    };
}

Result<Workload> workloadNamed(const std::string& name) {
    std::string known;
    for (Workload& workload : workloads()) {
        if (workload.name == name) {
            return std::move(workload);
        }
        known += (known.empty() ? "" : ", ") + workload.name;
    }
    return Error{ErrorCode::NotFound, name + ": no such workload; there are " + known};
}

Result<std::vector<Arrival>> arrivalsOf(const Workload& workload, std::uint64_t seed) {
    if (!workload.recorded.empty()) {
        return workload.recorded;
    }
    BIFOCAL_CHECK(check(workload));
    std::vector<Arrival> arrivals;
    const Duration end = workload.batchAlone + workload.length;
    // A stream of its own for the prompts: they are the same with and without batch work.
    std::mt19937_64 prompts(seed);
    std::uniform_real_distribution<double> share(0, 1);
    arrive(workload.promptsPerSecond, workload.batchAlone, end, prompts, [&](Duration at) {
        arrivals.push_back({at, true, share(prompts) < workload.textShare});
    });
    if (workload.source == BatchSource::Fresh) {
        std::mt19937_64 items(seed ^ 0x9E3779B97F4A7C15U);
        arrive(workload.batchItemsPerSecond, Duration(0), end, items, [&](Duration at) {
            arrivals.push_back({at, false, false});
        });
        std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
            return a.time < b.time;
        });
    }
    return arrivals;
}

}  // namespace bifocal::schedule
