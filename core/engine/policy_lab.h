// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/schedule/simulate/simulator.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal {

/// What a window's laboratory simulates: one workload under each policy. Threads: value.
struct LabSetup {
    std::string device;                 ///< of schedule::builtInProfiles()
    std::string workload;               ///< of schedule::workloads()
    std::vector<std::string> policies;  ///< ids of schedule::policyPresets()
    double guaranteedShare = 0.05;
    std::uint64_t seed = 1;
};

/// What came of one policy. Threads: value.
struct LabOutcome {
    std::string policy;
    schedule::SimulationResult result;  ///< with its promptMs
};

/// Simulates each policy in turn, in some tenths of a second each, on the calling thread. NotFound
/// names the device, workload or preset that there is not; Cancelled when `stop` was requested
/// between two policies. Threads: safe.
Result<std::vector<LabOutcome>> runLab(const LabSetup& setup, const std::stop_token& stop);

/// One of the mission's figures of latency, throughput and memory (row B13) on the design's
/// reference model, R-T4. Threads: value.
struct ReferenceFigures {
    double textMs = 0;            ///< one text prompt
    double fusedMs = 0;           ///< a text and a picture, together
    double perSecondOfEight = 0;  ///< pictures, in runs of 8
    double perSecondOfSixteen = 0;
    double busyShare = 0;  ///< at 65 prompts a second, in runs of up to 8
};

/// Computes them; simulates two minutes in a few tenths of a second. Threads: safe.
Result<ReferenceFigures> referenceFigures();

}  // namespace bifocal
