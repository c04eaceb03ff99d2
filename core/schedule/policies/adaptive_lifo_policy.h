// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"

#include <optional>

namespace bifocal::schedule {

/// "adaptive_lifo", see makePolicy(): under overload somebody is late in any case, and newest first
/// keeps the others in time. Keys below the sign bit are of tasks that went in front.
/// A dispatched task that waited little does not end the overload, as it does in CoDel: those that
/// went in front always wait little, while the backlog behind them stands.
/// Threads: compatible.
class AdaptiveLifoPolicy final : public Policy {
public:
    AdaptiveLifoPolicy(const DeadlineConfig& deadline,
                       const AdaptiveLifoConfig& config,
                       TimePoint epoch)
        : deadline_(deadline), config_(config), epoch_(epoch) {}

    std::unique_ptr<Policy> clone() const override {
        return std::make_unique<AdaptiveLifoPolicy>(*this);
    }
    const char* name() const override { return "adaptive_lifo"; }
    std::uint64_t key(const TaskSpec& task, TimePoint now) override;
    void onDispatch(const TaskSpec& task, Duration waited, TimePoint now) override;

    /// As of the last key() or onDispatch() of the class.
    bool isOverloaded(Urgency urgency) const { return loads_.of(urgency).isOverloaded; }

private:
    struct Load {  // of one class
        bool isOverloaded = false;
        std::optional<TimePoint> lateSince;  // no wait was within the target since then
        // While overloaded, the interval that runs:
        TimePoint intervalBegin;
        std::uint64_t arrivedCount = 0;
        std::uint64_t dispatchedCount = 0;
        bool wasLate = false;
    };

    void endInterval(Load& load, TimePoint now) const;

    DeadlineConfig deadline_;
    AdaptiveLifoConfig config_;
    TimePoint epoch_;
    PerClass<Load> loads_;
    Duration lastStamp_ = Duration::min();  // of a task that went in front
};

}  // namespace bifocal::schedule
