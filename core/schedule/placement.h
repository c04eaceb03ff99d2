// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bifocal::schedule {

/// A device as a stage finds it. Threads: value.
struct DeviceState {
    bool isPresent = true;
    /// Until it would begin there: what is left of what runs, and what is queued before its class
    /// and is not joined with it.
    Duration workAhead{0};
    std::uint32_t joinedItems = 0;  ///< queued items of the same run, when they can be joined
    double bytesPerSecond = 0;      ///< on the way to its memory; 0: no way to go
};

/// What `bytes` take on their way; nothing without a way.
Duration transferTime(std::uint64_t bytes, double bytesPerSecond);

/// A piece of work that has to go somewhere. Threads: value.
struct StageDemand {
    const char* stage = "";         ///< string literal
    std::uint32_t shapeBucket = 0;  ///< demands of one stage and bucket cost alike
    std::uint32_t items = 1;
    std::uint64_t bytes = 0;                   ///< that must be where it runs
    std::optional<std::size_t> pinnedTo;       ///< this device and no other
    std::span<const std::size_t> forbidden{};  ///< devices that cannot run it
};

/// Where a piece of work goes. Threads: value.
struct Placed {
    std::size_t device = 0;
    Duration finish{0};    ///< from now, predicted; without its own time when that is not known
    bool isTrial = false;  ///< sent there to be measured
};

/// Chooses for each stage the device that is predicted to finish it first: work ahead of it there,
/// its time there, and the transfer of its bytes; of equals the first. The times are learned, for
/// each stage, shape and device. A device that was never tried counts as if the stage took no time
/// there, until it was given one to measure; until that one was measured it gets no other, unless
/// there is no device that is known.
/// It decides and nothing else: the caller says what the devices are doing, and reports what the
/// work took. Threads: compatible.
class Placement {
public:
    explicit Placement(std::size_t deviceCount);
    Placement(const Placement&) = delete;
    Placement& operator=(const Placement&) = delete;
    ~Placement();

    /// Unsupported: no device that is present may run it. Requires: one state for each device, and
    /// devices below their number in the demand.
    Result<Placed> place(const StageDemand& demand, std::span<const DeviceState> devices);

    /// What a run of `items` took on a device.
    void observe(const StageDemand& demand, std::size_t device, std::uint32_t items, Duration time);
    /// The trial of this demand was cancelled before it was measured.
    void loseTrial(const StageDemand& demand, std::size_t device);
    /// Mean time of a run of `items` on a device; 0: not known.
    Duration cost(const StageDemand& demand, std::size_t device, std::uint32_t items) const;

private:
    struct Known;

    Known& knownFor(const StageDemand& demand, std::size_t device);
    const Known* find(const StageDemand& demand, std::size_t device) const;

    const std::size_t deviceCount_;
    std::vector<Known> known_;  // one for each device, stage by stage
};

}  // namespace bifocal::schedule
