// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policies/adaptive_lifo_policy.h"

#include "core/schedule/policies/deadline_policy.h"
#include "core/schedule/policies/ordered_key.h"

#include <algorithm>

namespace bifocal::schedule {

namespace {

// Times from the epoch are kept within 73 years, and moved by as much to be positive.
constexpr Duration kHalfRange{std::int64_t{1} << 61};

std::uint64_t toPositive(Duration time) {
    return static_cast<std::uint64_t>(
        (std::clamp(time, -kHalfRange, kHalfRange) + kHalfRange).count());
}

}  // namespace

std::uint64_t AdaptiveLifoPolicy::key(const TaskSpec& task, TimePoint now) {
    Load& load = loads_.of(task.urgency);
    endInterval(load, now);
    if (load.isOverloaded) {
        ++load.arrivedCount;
        // Distinct, so that the newest of one instant is first, too.
        lastStamp_ = std::max(now - epoch_, lastStamp_ + Duration(1));
        return toPositive(-lastStamp_);
    }
    // A deadline may be any number: bring it into reach before anything is subtracted.
    const TimePoint due = std::max(dueTime(task, now, deadline_), epoch_ - kHalfRange);
    return kSignBit | toPositive(due - epoch_);
}

void AdaptiveLifoPolicy::onDispatch(const TaskSpec& task, Duration waited, TimePoint now) {
    Load& load = loads_.of(task.urgency);
    endInterval(load, now);
    const bool isLate = waited > config_.target.of(task.urgency);
    if (load.isOverloaded) {
        ++load.dispatchedCount;
        load.wasLate = load.wasLate || isLate;
        return;
    }
    if (!isLate) {
        load.lateSince.reset();
    } else if (!load.lateSince) {
        load.lateSince = now;
    } else if (now - *load.lateSince >= config_.interval) {
        load = Load{};
        load.isOverloaded = true;
        load.intervalBegin = now;
    }
}

void AdaptiveLifoPolicy::endInterval(Load& load, TimePoint now) const {
    if (!load.isOverloaded || now - load.intervalBegin < config_.interval) {
        return;
    }
    const bool goesOn = load.wasLate || load.arrivedCount > load.dispatchedCount;
    load = Load{};
    load.isOverloaded = goesOn;
    load.intervalBegin = now;
}

}  // namespace bifocal::schedule
