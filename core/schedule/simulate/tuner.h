// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedule/simulate/simulator.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bifocal::schedule {

/// A search for better parameters of the policy config.policy.name, the share φ, the number of
/// segments, the largest batch run and the riders. Threads: value.
struct TunerOptions {
    SimulationConfig
        config;  ///< the default that has to be beaten; its workload is what is tuned for
    std::uint32_t generations = 10;
    std::uint32_t candidates = 24;  ///< of a generation; the best quarter shapes the next
    std::uint32_t trainingRuns = 3;
    std::uint32_t heldOutRuns = 20;
    std::uint64_t seed = 1;
    /// Asked between simulations; true ends the search: Cancelled.
    std::function<bool()> isStopped;
};

struct TunedParameter {
    std::string name;
    double before = 0;
    double after = 0;
};

/// What the search found, and what it is worth on arrivals that it never saw. Threads: value.
struct TunerResult {
    std::vector<TunedParameter> parameters;
    SimulationConfig tuned;
    double trainingBefore = 0;  ///< mean cost, see costOf()
    double trainingAfter = 0;
    double heldOutBefore = 0;
    double heldOutAfter = 0;
    double differenceLow =
        0;  ///< of the costs after − before, 95 % interval of the mean (bootstrap)
    double differenceHigh = 0;
    bool wins = false;  ///< the whole interval is below zero; only then may it be offered
    std::uint32_t simulations = 0;
};

/// What is minimised: P95 of the prompts as a multiple of the time that a prompt takes alone on the
/// device, plus the share of the batch throughput of a device without prompts that is missing.
/// A prompt that was dropped or not answered counts as ten times that time.
double costOf(const SimulationConfig& config, const SimulationResult& result);

/// Cross-entropy search: candidates are drawn from a normal distribution over the parameters, whose
/// mean and spread follow the best of each generation. A recorded workload is cut in half: the
/// first half trains, the second judges. InvalidArgument for what cannot be simulated.
Result<TunerResult> tune(const TunerOptions& options);

}  // namespace bifocal::schedule
