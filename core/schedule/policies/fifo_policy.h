// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"

namespace bifocal::schedule {

/// "fifo", see makePolicy(): all keys are equal, so that the order of arrival decides.
/// Threads: compatible.
class FifoPolicy final : public Policy {
public:
    std::unique_ptr<Policy> clone() const override { return std::make_unique<FifoPolicy>(*this); }
    const char* name() const override { return "fifo"; }
    ClassOrder classOrder() const override { return ClassOrder::Ignored; }
    std::uint64_t key(const TaskSpec& /*task*/, TimePoint /*now*/) override { return 0; }
};

}  // namespace bifocal::schedule
