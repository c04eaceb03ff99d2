// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/schedule/batching.h"
#include "core/schedule/policy.h"
#include "core/schedule/simulate/device_profile.h"
#include "core/schedule/simulate/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::schedule {

/// What is simulated. Threads: value.
struct SimulationConfig {
    DeviceProfile device;
    Workload workload;
    PolicyConfig policy;
    double guaranteedShare = 0.05;  ///< φ, 0 to 0.5
    BatchRule batching{{8, 8, 16}, {}, 0};
    std::uint32_t segments = 12;  ///< of a batch run; prompts run in one piece
    Disturbance disturbance;
    std::uint64_t seed = 1;
    bool keepsTrace = false;
    bool keepsLatencies = false;
};

/// Of the prompts that were answered, arrival to end, milliseconds. Threads: value.
struct LatencySummary {
    std::uint64_t count = 0;
    double p50Ms = 0;
    double p95Ms = 0;
    double p99Ms = 0;
    double maxMs = 0;
};

/// Exact quantiles (nearest rank) of `values`; zeros for none.
LatencySummary summarize(std::vector<double> values);

/// What came of it. Threads: value.
struct SimulationResult {
    LatencySummary prompts;
    LatencySummary textPrompts;
    LatencySummary batchItems;    ///< Fresh and Dump: arrival to end
    double batchPerSecond = 0;    ///< items, while prompts arrive
    double promptsPerSecond = 0;  ///< answered, and in time when there is an objective
    double utilization = 0;       ///< share of time that the device was busy, while prompts arrive
    double batchShare = 0;        ///< of the device's busy time
    std::uint64_t offeredPrompts = 0;
    std::uint64_t droppedPrompts = 0;
    std::uint64_t unansweredPrompts = 0;  ///< still waiting at the end
    std::uint64_t refused = 0;            ///< Busy
    std::uint64_t guardTurns = 0;
    std::uint64_t suspensions = 0;
    std::uint64_t inversions = 0;  ///< batch work begun while a prompt was ready, guard turns apart
    std::uint64_t boundChecks = 0;
    std::uint64_t boundViolations = 0;  ///< of W ≤ (A + (1 + φ)·q) / φ
    double longestBatchWait = 0;        ///< seconds
    double loosestBound = 0;            ///< seconds, the largest that was checked
    std::string trace;                  ///< one line per decision, when kept
    std::vector<double> promptMs;       ///< of `prompts`, the shortest first, when kept
};

/// Runs the product's own lane (LaneCore) on a virtual clock and a simulated device.
/// InvalidArgument for a policy or a workload that cannot be, or φ outside 0 to 0.5.
Result<SimulationResult> simulate(const SimulationConfig& config);

}  // namespace bifocal::schedule
