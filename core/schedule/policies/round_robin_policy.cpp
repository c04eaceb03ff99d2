// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policies/round_robin_policy.h"

namespace bifocal::schedule {

std::uint64_t RoundRobinPolicy::key(const TaskSpec& task, TimePoint /*now*/) {
    return static_cast<std::uint64_t>(task.urgency) - 1;
}

std::size_t RoundRobinPolicy::queueOf(const TaskSpec& task) const {
    const PromptFeatures& features = task.features;
    return features.hasVideo    ? 0
           : features.hasImage  ? 1
           : features.hasSpeech ? 2
           : features.hasText   ? 3
                                : 4;
}

bool RoundRobinPolicy::goesBefore(const QueueHead& a, const QueueHead& b, TimePoint /*now*/) const {
    const std::size_t distanceToA = distanceTo(a);
    const std::size_t distanceToB = distanceTo(b);
    return distanceToA != distanceToB ? distanceToA < distanceToB : a.sequence < b.sequence;
}

void RoundRobinPolicy::onDispatch(const TaskSpec& task, Duration /*waited*/, TimePoint now) {
    const std::size_t flow =
        static_cast<std::size_t>(key(task, now)) * kModalityCount + queueOf(task);
    next_ = (flow + 1) % kFlowCount;
}

std::size_t RoundRobinPolicy::distanceTo(const QueueHead& head) const {
    const std::size_t flow = static_cast<std::size_t>(head.key) * kModalityCount + head.queue;
    return (flow + kFlowCount - next_) % kFlowCount;
}

}  // namespace bifocal::schedule
