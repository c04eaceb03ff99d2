// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policy.h"

#include "core/schedule/policies/adaptive_lifo_policy.h"
#include "core/schedule/policies/deadline_policy.h"
#include "core/schedule/policies/fifo_policy.h"
#include "core/schedule/policies/parameters.h"
#include "core/schedule/policies/round_robin_policy.h"
#include "core/schedule/policies/seed_decay_policy.h"
#include "core/schedule/policies/sjf_policy.h"
#include "core/schedule/policies/static_partition_policy.h"
#include "core/schedule/policies/strict_priority_policy.h"

#include <array>
#include <tuple>

namespace bifocal::schedule {

namespace {

using PolicyPtr = std::unique_ptr<Policy>;

struct PolicyEntry {
    std::string_view name;
    PolicyPtr (*make)(const PolicyConfig& config, TimePoint epoch);
};

constexpr std::array<PolicyEntry, 8> kPolicies = {{
    {"deadline",
     [](const PolicyConfig& config, TimePoint) -> PolicyPtr {
         return std::make_unique<DeadlinePolicy>(config.deadline);
     }},
    {"seed_decay",
     [](const PolicyConfig& config, TimePoint epoch) -> PolicyPtr {
         return std::make_unique<SeedDecayPolicy>(config.seedDecay, epoch);
     }},
    {"round_robin",
     [](const PolicyConfig&, TimePoint) -> PolicyPtr {
         return std::make_unique<RoundRobinPolicy>();
     }},
    {"fifo",
     [](const PolicyConfig&, TimePoint) -> PolicyPtr { return std::make_unique<FifoPolicy>(); }},
    {"static_partition",
     [](const PolicyConfig& config, TimePoint epoch) -> PolicyPtr {
         return std::make_unique<StaticPartitionPolicy>(config.staticPartition, epoch);
     }},
    {"strict_priority",
     [](const PolicyConfig&, TimePoint) -> PolicyPtr {
         return std::make_unique<StrictPriorityPolicy>();
     }},
    {"sjf",
     [](const PolicyConfig&, TimePoint) -> PolicyPtr { return std::make_unique<SjfPolicy>(); }},
    {"adaptive_lifo",
     [](const PolicyConfig& config, TimePoint epoch) -> PolicyPtr {
         return std::make_unique<AdaptiveLifoPolicy>(config.deadline, config.adaptiveLifo, epoch);
     }},
}};

std::string joinedNames() {
    std::string names;
    for (const PolicyEntry& policy : kPolicies) {
        names += names.empty() ? "" : ", ";
        names += policy.name;
    }
    return names;
}

}  // namespace

bool Policy::goesBefore(const QueueHead& a, const QueueHead& b, TimePoint /*now*/) const {
    return std::tie(a.key, a.sequence) < std::tie(b.key, b.sequence);
}

Result<std::unique_ptr<Policy>> makePolicy(const PolicyConfig& config, TimePoint epoch) {
    BIFOCAL_CHECK(checkParameters(config));
    for (const PolicyEntry& policy : kPolicies) {
        if (policy.name == config.name) {
            return policy.make(config, epoch);
        }
    }
    return Error{ErrorCode::InvalidArgument,
                 "policy \"" + config.name + "\": not one of " + joinedNames()};
}

std::vector<std::string_view> policyNames() {
    std::vector<std::string_view> names;
    names.reserve(std::size(kPolicies));
    for (const PolicyEntry& policy : kPolicies) {
        names.push_back(policy.name);
    }
    return names;
}

std::unique_ptr<Policy> makeDeadlinePolicy() {
    return std::make_unique<DeadlinePolicy>(DeadlineConfig{});
}

std::unique_ptr<Policy> makeFifoPolicy() {
    return std::make_unique<FifoPolicy>();
}

std::unique_ptr<Policy> makeSeedDecayPolicy(TimePoint epoch) {
    return std::make_unique<SeedDecayPolicy>(SeedDecayConfig{}, epoch);
}

}  // namespace bifocal::schedule
