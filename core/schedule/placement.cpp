// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/placement.h"

#include "core/base/assert.h"
#include "core/schedule/batching.h"
#include "core/schedule/internal/cost_model.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace bifocal::schedule {

namespace {

bool isAllowed(const StageDemand& demand, const DeviceState& state, std::size_t device) {
    const bool isForbidden = std::find(demand.forbidden.begin(), demand.forbidden.end(), device) !=
                             demand.forbidden.end();
    return state.isPresent && !isForbidden && demand.pinnedTo.value_or(device) == device;
}

}  // namespace

Duration transferTime(std::uint64_t bytes, double bytesPerSecond) {
    if (bytes == 0 || bytesPerSecond <= 0) {
        return Duration(0);
    }
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(static_cast<double>(bytes) / bytesPerSecond));
}

/// What is known of one stage and shape on one device.
struct Placement::Known {
    std::string_view stage;
    std::uint32_t shapeBucket = 0;
    CostModel cost;
    bool isMeasured = false;
    bool isOnTrial = false;
};

Placement::Placement(std::size_t deviceCount) : deviceCount_(deviceCount) {
    BIFOCAL_ASSERT(deviceCount > 0);
}

Placement::~Placement() = default;

Result<Placed> Placement::place(const StageDemand& demand, std::span<const DeviceState> devices) {
    BIFOCAL_ASSERT(devices.size() == deviceCount_);
    std::optional<Placed> best;
    std::optional<Placed> unknown;  // for when all that may run it are being tried
    for (std::size_t device = 0; device < deviceCount_; ++device) {
        const DeviceState& state = devices[device];
        if (!isAllowed(demand, state, device)) {
            continue;
        }
        const Known& known = knownFor(demand, device);
        Placed here{device,
                    state.workAhead + transferTime(demand.bytes, state.bytesPerSecond),
                    !known.isMeasured && !known.isOnTrial};
        if (known.isMeasured) {
            here.finish += cost(demand, device, state.joinedItems + demand.items);
        }
        std::optional<Placed>& candidate = known.isOnTrial && !known.isMeasured ? unknown : best;
        if (!candidate || here.finish < candidate->finish) {
            candidate = here;
        }
    }
    if (!best) {
        best = unknown;
    }
    if (!best) {
        return Error{ErrorCode::Unsupported,
                     std::string(demand.stage) + ": no device that is present may run it"};
    }
    if (best->isTrial) {
        knownFor(demand, best->device).isOnTrial = true;
    }
    return *best;
}

void Placement::observe(const StageDemand& demand,
                        std::size_t device,
                        std::uint32_t items,
                        Duration time) {
    Known& known = knownFor(demand, device);
    known.cost.observe(items, time);
    known.isMeasured = true;
    known.isOnTrial = false;
}

void Placement::loseTrial(const StageDemand& demand, std::size_t device) {
    knownFor(demand, device).isOnTrial = false;
}

Duration Placement::cost(const StageDemand& demand, std::size_t device, std::uint32_t items) const {
    const Known* known = find(demand, device);
    return known != nullptr ? known->cost.mean(paddedSize(items)) : Duration(0);
}

Placement::Known& Placement::knownFor(const StageDemand& demand, std::size_t device) {
    BIFOCAL_ASSERT(device < deviceCount_);
    if (const Known* known = find(demand, device)) {
        return known_[static_cast<std::size_t>(known - known_.data())];
    }
    const std::size_t first = known_.size();
    known_.resize(first + deviceCount_);
    for (std::size_t i = first; i < known_.size(); ++i) {
        known_[i].stage = demand.stage;
        known_[i].shapeBucket = demand.shapeBucket;
    }
    return known_[first + device];
}

const Placement::Known* Placement::find(const StageDemand& demand, std::size_t device) const {
    for (std::size_t first = 0; first < known_.size(); first += deviceCount_) {
        if (known_[first].stage == demand.stage &&
            known_[first].shapeBucket == demand.shapeBucket) {
            return &known_[first + device];
        }
    }
    return nullptr;
}

}  // namespace bifocal::schedule
