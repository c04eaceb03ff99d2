// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policy.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace bifocal::schedule {

namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;

/// The unsigned number that stands where `value` stands among the signed ones.
std::uint64_t toOrdered(std::int64_t value) {
    return static_cast<std::uint64_t>(value) ^ kSignBit;
}

Duration slackOf(Urgency urgency) {
    switch (urgency) {
        case Urgency::Interactive: return kInteractiveSlack;
        case Urgency::Prefetch: return kPrefetchSlack;
        case Urgency::Batch: return kBatchSlack;
    }
    return kBatchSlack;
}

class DeadlinePolicy final : public Policy {
public:
    const char* name() const override { return "deadline"; }
    std::uint64_t key(const TaskSpec& task, TimePoint now) const override {
        TimePoint due = now + slackOf(task.urgency);
        if (task.deadline) {
            due = std::min(due, *task.deadline);
        }
        return toOrdered(due.time_since_epoch().count());
    }
};

class FifoPolicy final : public Policy {
public:
    const char* name() const override { return "fifo"; }
    std::uint64_t key(const TaskSpec& /*task*/, TimePoint /*now*/) const override { return 0; }
};

/// ln(weight · urgency) + λ·t, divided by λ, is a time: when a task of weight and urgency 1 would
/// have to arrive to be its equal. In 1/16 ns, a time stays in range for 18 years, and rounding
/// cannot change an order: arrivals are whole nanoseconds apart, while the distances between the
/// weights (0.2, 0.7, 1.0), as times, are at least 0.17 ns from a whole number of them.
class SeedDecayPolicy final : public Policy {
public:
    explicit SeedDecayPolicy(TimePoint epoch) : epoch_(epoch) {}

    const char* name() const override { return "seed_decay"; }
    std::uint64_t key(const TaskSpec& task, TimePoint now) const override {
        const double weight = task.features.weight();
        if (!(weight > 0)) {
            return UINT64_MAX;  // priority zero at any age
        }
        const double urgency =
            task.urgency == Urgency::Interactive ? kSeedInteractiveUrgency : kSeedOtherUrgency;
        const std::int64_t head = std::llround(
            std::log(static_cast<long double>(weight) * static_cast<long double>(urgency)) /
            kSeedDecayPerSecond * kNanosecondsPerSecond * kStepsPerNanosecond);
        const std::int64_t limit =
            std::numeric_limits<std::int64_t>::max() / kStepsPerNanosecond / 2;
        const std::int64_t age = std::clamp((now - epoch_).count(), -limit, limit);
        return ~toOrdered(age * kStepsPerNanosecond + head);  // latest first
    }

private:
    static constexpr long double kNanosecondsPerSecond = 1e9L;
    static constexpr std::int64_t kStepsPerNanosecond = 16;

    TimePoint epoch_;
};

}  // namespace

std::unique_ptr<Policy> makeDeadlinePolicy() {
    return std::make_unique<DeadlinePolicy>();
}

std::unique_ptr<Policy> makeFifoPolicy() {
    return std::make_unique<FifoPolicy>();
}

std::unique_ptr<Policy> makeSeedDecayPolicy(TimePoint epoch) {
    return std::make_unique<SeedDecayPolicy>(epoch);
}

}  // namespace bifocal::schedule
