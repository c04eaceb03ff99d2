// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"

#include <array>
#include <vector>

namespace bifocal::schedule {

/// "seed_decay", see makePolicy(). With a = −ln decay per second, the logarithm of the priority is
///     ln(weight · urgency) − a · (now − arrival),
/// so within one constant a the order does not depend on `now`: the latest arrival + d comes first,
/// d = ln(weight · urgency) / a. The classes of one constant share a queue number; heads of two
/// constants are re-evaluated at `now`.
///
/// Exact by construction: arrivals are whole nanoseconds, so arrival + d compares as (arrival +
/// ⌊d⌋, d − ⌊d⌋), and there are few different d. The key holds the sum in its upper 60 bits and
/// below it the rank of the fraction among those of its queue. Fractions that differ by rounding
/// alone have the same rank: a picture of weight 0.7 ties with a video of weight 1 that came 1 s
/// before it when the decay is 0.7, too. Threads: compatible.
class SeedDecayPolicy final : public Policy {
public:
    SeedDecayPolicy(const SeedDecayConfig& config, TimePoint epoch);

    std::unique_ptr<Policy> clone() const override {
        return std::make_unique<SeedDecayPolicy>(*this);
    }
    const char* name() const override { return "seed_decay"; }
    ClassOrder classOrder() const override {
        return config_.isGuarded ? ClassOrder::Guarded : ClassOrder::Ignored;
    }
    std::uint64_t key(const TaskSpec& task, TimePoint now) override;
    std::size_t queueCount() const override { return queues_.size(); }
    std::size_t queueOf(const TaskSpec& task) const override {
        return ofClass_.of(task.urgency).queue;
    }
    bool goesBefore(const QueueHead& a, const QueueHead& b, TimePoint now) const override;

private:
    static constexpr std::size_t kModalityCount = 4;

    /// A number of nanoseconds that weight · urgency is worth.
    struct Level {
        long double logarithm = 0;
        std::int64_t whole = 0;    // ⌊d⌋
        long double fraction = 0;  // d − ⌊d⌋
        long double rounding = 0;  // of d: a smaller difference means nothing
    };
    struct Queue {
        double decay = 0;
        long double decayPerSecond = 0;  // a
        std::vector<Level> ranks;        // one of each fraction, the smallest first
    };
    struct Entry {
        std::int64_t whole = 0;
        std::size_t rank = kNoRank;
    };
    struct ClassEntry {
        std::size_t queue = 0;
        std::array<Entry, kModalityCount> modalities;
    };

    static constexpr std::size_t kNoRank = SIZE_MAX;  // weight or urgency is zero

    struct Priority {
        long double logarithm = 0;
        long double magnitude = 0;  // of the terms it is the sum of
    };

    std::array<double, kModalityCount> weights() const;
    void assignQueue(Urgency urgency);
    // Requires: the class has its queue.
    Level levelOf(double weight, Urgency urgency) const;
    static bool haveSameFraction(const Level& a, const Level& b);
    void addRanks(Urgency urgency);
    static void sortRanks(Queue& queue);
    void fillEntries(Urgency urgency);
    // Index of the heaviest modality of a prompt; kModalityCount: there is none.
    std::size_t heaviest(const PromptFeatures& features) const;
    // Requires: the head has a weight.
    Priority priorityOf(const QueueHead& head, TimePoint now) const;

    SeedDecayConfig config_;
    TimePoint epoch_;
    std::vector<Queue> queues_;
    PerClass<ClassEntry> ofClass_;
};

}  // namespace bifocal::schedule
