// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"

namespace bifocal::schedule {

/// "static_partition", see makePolicy(): each frame holds a window for each class, one after the
/// other from its begin on. Threads: compatible.
class StaticPartitionPolicy final : public Policy {
public:
    StaticPartitionPolicy(const StaticPartitionConfig& config, TimePoint epoch);

    std::unique_ptr<Policy> clone() const override {
        return std::make_unique<StaticPartitionPolicy>(*this);
    }
    const char* name() const override { return "static_partition"; }
    /// Of classes that may begin at the same time there is one at most.
    ClassOrder classOrder() const override { return ClassOrder::Strict; }
    std::uint64_t key(const TaskSpec& /*task*/, TimePoint /*now*/) override { return 0; }
    TimePoint mayBeginAt(Urgency urgency, TimePoint now) const override;

private:
    struct Window {  // from the begin of a frame
        Duration opens{0};
        Duration closes{0};
    };

    Duration frame_;
    TimePoint epoch_;
    PerClass<Window> windows_;
};

}  // namespace bifocal::schedule
