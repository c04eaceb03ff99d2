// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/lab/lab_options.h"
#include "core/base/result.h"
#include "core/schedule/simulate/memory_workload.h"
#include "core/schedule/simulate/simulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::cli {

/// One policy over all seeds: medians of the seeds' latencies and rates, the largest maximum, and
/// sums of what is counted. Threads: value.
struct PolicyRow {
    std::string policy;
    schedule::SimulationResult over;
};

/// Strategies of W-F. Threads: value.
struct StrategyRow {
    std::string strategy;
    schedule::MemoryWorkloadResult result;
};

/// Simulates each policy with each seed.
Result<std::vector<PolicyRow>> runPolicies(const LabOptions& options);
/// The prompts of the same workload alone on the device: what the others are compared with.
Result<PolicyRow> runUnloaded(const LabOptions& options);
/// W-F: unmanaged slots, a ledger of tensors, and ours; as many workloads as there are seeds.
Result<std::vector<StrategyRow>> runStrategies(const LabOptions& options);

std::string toJson(const LabOptions& options,
                   const std::vector<PolicyRow>& rows,
                   const PolicyRow& unloaded);
std::string toTable(const LabOptions& options,
                    const std::vector<PolicyRow>& rows,
                    const PolicyRow& unloaded);
std::string toJson(const std::vector<StrategyRow>& rows);
std::string toTable(const std::vector<StrategyRow>& rows);

}  // namespace bifocal::cli
