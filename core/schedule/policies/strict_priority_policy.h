// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"

namespace bifocal::schedule {

/// "strict_priority", see makePolicy(): the class order does all of it. Threads: compatible.
class StrictPriorityPolicy final : public Policy {
public:
    std::unique_ptr<Policy> clone() const override {
        return std::make_unique<StrictPriorityPolicy>(*this);
    }
    const char* name() const override { return "strict_priority"; }
    ClassOrder classOrder() const override { return ClassOrder::Strict; }
    std::uint64_t key(const TaskSpec& /*task*/, TimePoint /*now*/) override { return 0; }
};

}  // namespace bifocal::schedule
