// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"

namespace bifocal::schedule {

/// The earlier of the task's own deadline and now + the slack of its class (virtual deadline).
TimePoint dueTime(const TaskSpec& task, TimePoint now, const DeadlineConfig& config);

/// "deadline", see makePolicy(). Threads: compatible.
class DeadlinePolicy final : public Policy {
public:
    explicit DeadlinePolicy(const DeadlineConfig& config) : config_(config) {}

    std::unique_ptr<Policy> clone() const override {
        return std::make_unique<DeadlinePolicy>(*this);
    }
    const char* name() const override { return "deadline"; }
    std::uint64_t key(const TaskSpec& task, TimePoint now) override;

private:
    DeadlineConfig config_;
};

}  // namespace bifocal::schedule
