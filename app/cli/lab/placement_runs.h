// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/arguments.h"
#include "app/cli/lab/lab_options.h"
#include "core/base/result.h"
#include "core/schedule/simulate/placement_workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::cli {

/// What `lab placement` simulates. Threads: value.
struct PlacementOptions {
    schedule::PlacementConfig config;
    std::uint64_t firstSeed = 1;
    std::uint64_t lastSeed = 5;
};

/// One way to place, over all seeds: medians of quantiles and rates, the largest maximum, and sums
/// of what is counted. Threads: value.
struct PlacementRow {
    std::string strategy;
    schedule::PlacementResult over;
};

/// From --devices, --rate, --seconds, --seeds and --rough. Errors name the option.
Result<PlacementOptions> placementOptionsFrom(const Arguments& arguments, const DeviceMeter& meter);

/// Predicted finish first, then fixed places, then everything on each of the devices.
Result<std::vector<PlacementRow>> runPlacements(const PlacementOptions& options);

std::string toJson(const PlacementOptions& options, const std::vector<PlacementRow>& rows);
std::string toTable(const PlacementOptions& options, const std::vector<PlacementRow>& rows);

}  // namespace bifocal::cli
