// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policies/deadline_policy.h"

#include "core/schedule/policies/ordered_key.h"

#include <algorithm>

namespace bifocal::schedule {

TimePoint dueTime(const TaskSpec& task, TimePoint now, const DeadlineConfig& config) {
    const TimePoint due = now + config.slack.of(task.urgency);
    return task.deadline ? std::min(due, *task.deadline) : due;
}

std::uint64_t DeadlinePolicy::key(const TaskSpec& task, TimePoint now) {
    return toOrdered(dueTime(task, now, config_).time_since_epoch().count());
}

}  // namespace bifocal::schedule
