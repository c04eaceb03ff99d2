// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/load/estimate.h"
#include "app/cli/load/open_loop.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bifocal::cli {

/// Latency from the intended start, in milliseconds; empty where there were too few prompts for the
/// figure. Threads: value.
struct LoadLatency {
    std::size_t count = 0;
    std::optional<Estimate> p50;
    std::optional<Estimate> p95;
    std::optional<Estimate> p99;
};

/// A rate that was kept, and what it cost. Threads: value.
struct LoadPoint {
    double rate = 0;                ///< offered, prompts per second
    double completedPerSecond = 0;  ///< until the last answer
    double meanMs = 0;
    double lateP99Ms = 0;
    std::size_t mostInFlight = 0;
    LoadLatency all;
    std::map<LoadKind, LoadLatency> kinds;  ///< those that were asked
};

/// A rate that was not kept.
struct LoadRefusal {
    double rate = 0;
    std::string reason;
};

/// Latency against rate. Threads: value.
struct LoadCurve {
    std::vector<LoadPoint> points;  ///< by rising rate
    std::vector<LoadRefusal> refused;
};

/// The figures of a run that kept its rate. Requires: no refusal. Threads: value.
LoadPoint pointOf(double rate, const LoadRun& run);

/// Index of the point where rate / mean latency, Kleinrock's power, is largest: up to there more
/// prompts cost little, past it each costs more than it brings. None, and why, for fewer than three
/// points or when the last of them is the largest: the knee lies there or beyond. Threads: value.
std::optional<std::size_t> kneeOf(const LoadCurve& curve, std::string& why);

/// {"points":[…],"refused":[…],"knee":…,"knee_reason":…}, as `bifocal-cli load --help` shows it.
std::string toJson(const LoadCurve& curve);
/// For people.
std::string toTable(const LoadCurve& curve);

}  // namespace bifocal::cli
