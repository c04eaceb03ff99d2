// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/schedule/simulate/device_profile.h"
#include "core/schedule/simulate/simulator.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::schedule {

/// How the stages of a prompt find their device.
enum class PlacementStrategy : std::uint8_t {
    EarliestFinish = 1,  ///< Placement, which learns the times as it goes
    OneDevice,           ///< everything on one
    Fixed,               ///< words and pictures each where one alone is done first, always
};

/// What is simulated: prompts of words and a picture, a Poisson process; both stages may run at the
/// same time, and a prompt is over when both are. Threads: value.
struct PlacementConfig {
    std::vector<DeviceProfile> devices;
    PlacementStrategy strategy = PlacementStrategy::EarliestFinish;
    std::size_t onlyDevice = 0;  ///< with OneDevice
    double promptsPerSecond = 20;
    Duration length = std::chrono::seconds(120);
    Disturbance disturbance;
    std::uint64_t seed = 1;
};

/// What one device did. Threads: value.
struct DeviceUse {
    std::string name;
    double utilization = 0;      ///< share of the time that it was busy
    std::uint64_t words = 0;     ///< stages sent there
    std::uint64_t pictures = 0;  ///< stages sent there
};

/// What came of it. Threads: value.
struct PlacementResult {
    LatencySummary prompts;  ///< those that still wait at the end count as long as they have waited
    double promptsPerSecond = 0;  ///< answered
    std::uint64_t offered = 0;
    std::uint64_t unanswered = 0;
    std::uint64_t trials = 0;  ///< stages sent to be measured
    std::vector<DeviceUse> devices;
};

/// Each device is a lane of the product (LaneCore) on a virtual clock. InvalidArgument without a
/// device, for one that there is not, or a workload as arrivalsOf() refuses it.
Result<PlacementResult> simulatePlacement(const PlacementConfig& config);

}  // namespace bifocal::schedule
