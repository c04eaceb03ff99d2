// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policies/ordered_key.h"
#include "core/schedule/policy.h"

namespace bifocal::schedule {

/// "sjf", see makePolicy(): shortest job first, by the cost that is predicted when it is queued. A
/// long task waits as long as shorter ones of its class keep coming. Threads: compatible.
class SjfPolicy final : public Policy {
public:
    std::unique_ptr<Policy> clone() const override { return std::make_unique<SjfPolicy>(*this); }
    const char* name() const override { return "sjf"; }
    std::uint64_t key(const TaskSpec& task, TimePoint /*now*/) override {
        return toOrdered(task.predictedCost.count());
    }
};

}  // namespace bifocal::schedule
