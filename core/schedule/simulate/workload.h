// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bifocal::schedule {

/// Where batch work comes from.
enum class BatchSource : std::uint8_t {
    None = 1,
    Pull,  ///< a generator that keeps a number of items ready
    Dump,  ///< all items at the start
    Fresh  ///< items that arrive one by one, at a rate
};

/// One simulated arrival. Threads: value.
struct Arrival {
    Duration time{0};
    bool isPrompt = true;
    bool isText = false;
};

/// What arrives at a simulated device. Prompts arrive as a Poisson process. Threads: value.
struct Workload {
    std::string name;
    std::string title;  ///< one line, English
    double promptsPerSecond = 1;
    double textShare = 0.5;  ///< of the prompts; the others are pictures
    BatchSource source = BatchSource::Pull;
    std::uint32_t batchItems = 64;   ///< Pull: kept ready; Dump: in all
    double batchItemsPerSecond = 0;  ///< Fresh
    Duration batchAlone{0};          ///< batch work only, before the first prompt
    Duration length = std::chrono::seconds(120);
    std::optional<Duration> objective;  ///< prompts that cannot be done within it are dropped
    /// Not empty: these arrivals, in order of time, instead of drawn ones.
    std::vector<Arrival> recorded;
};

/// W-A to W-E of the design: saturation, dump, fresh text prompts against fresh pictures, overload
/// with a guaranteed share, overload with an objective. NotFound for another name.
Result<Workload> workloadNamed(const std::string& name);
std::vector<Workload> workloads();

/// The arrivals of a workload, in order of time; Pull and Dump have no arrivals for their batch
/// items. The same seed gives the same arrivals. InvalidArgument for a rate that is not a positive
/// number, a share outside 0 to 1, a length that is not positive or more than 10,000,000 arrivals.
Result<std::vector<Arrival>> arrivalsOf(const Workload& workload, std::uint64_t seed);

}  // namespace bifocal::schedule
