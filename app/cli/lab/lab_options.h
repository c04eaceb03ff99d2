// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/arguments.h"
#include "core/base/result.h"
#include "core/schedule/simulate/simulator.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bifocal::cli {

/// What `lab` simulates: one configuration for each policy and seed. Threads: value.
struct LabOptions {
    schedule::SimulationConfig config;  ///< its policy has the parameters that --set gave
    bool isMemoryWorkload = false;      ///< W-F: no policy, but strategies of admission
    std::vector<std::string> policies;
    std::uint64_t firstSeed = 1;
    std::uint64_t lastSeed = 5;
};

/// Measures the device called kMeasuredDevice; takes seconds.
using DeviceMeter = std::function<Result<schedule::DeviceProfile>()>;
inline constexpr const char* kMeasuredDevice = "measured";

/// From --workload, --policy, --device, --seeds, --phi, --segments, --batcher, --rate, --seconds,
/// --rough and --set. A workload or device that ends in .json is a file: a trace as `trace` writes
/// it, a profile as the built-in ones. Errors name the option and what it may be.
Result<LabOptions> labOptionsFrom(const Arguments& arguments, const DeviceMeter& meter);

/// "A-B" or "A". InvalidArgument.
Result<std::pair<std::uint64_t, std::uint64_t>> parseSeeds(const std::string& text);

/// "A,B" in parts; empty ones too.
std::vector<std::string> splitAtCommas(const std::string& text);

/// The built-in profile of that name, what the meter gives, or the one in a file that ends in
/// .json. `option` is named in the error.
Result<schedule::DeviceProfile> deviceFor(const char* option,
                                          const std::string& name,
                                          const DeviceMeter& meter);

/// The requests of an exported trace as arrivals; the interactive ones are prompts.
/// Corruption as readTrace(), NotFound without a request.
Result<schedule::Workload> workloadFromTrace(const std::string& name, const std::string& trace);

/// The options that labOptionsFrom() reads, for a command's table.
std::vector<OptionSpec> withLabOptions(std::vector<OptionSpec> own);

}  // namespace bifocal::cli
