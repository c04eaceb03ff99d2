// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policies/static_partition_policy.h"

#include <algorithm>
#include <cmath>

namespace bifocal::schedule {

StaticPartitionPolicy::StaticPartitionPolicy(const StaticPartitionConfig& config, TimePoint epoch)
    : frame_(config.frame), epoch_(epoch) {
    double sum = 0;
    Duration begin{0};
    for (const Urgency urgency : {Urgency::Interactive, Urgency::Prefetch, Urgency::Batch}) {
        sum += config.share.of(urgency);
        const Duration end(std::llround(sum * static_cast<double>(frame_.count())));
        windows_.of(urgency) = {begin, std::min(end, frame_)};
        begin = windows_.of(urgency).closes;
    }
}

TimePoint StaticPartitionPolicy::mayBeginAt(Urgency urgency, TimePoint now) const {
    const Window& window = windows_.of(urgency);
    Duration phase = (now - epoch_) % frame_;
    if (phase < Duration::zero()) {
        phase += frame_;  // before the epoch
    }
    if (phase < window.opens) {
        return now + (window.opens - phase);
    }
    return phase < window.closes ? now : now + (frame_ - phase) + window.opens;
}

}  // namespace bifocal::schedule
