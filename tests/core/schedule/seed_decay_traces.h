// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/policy.h"
#include "tests/core/schedule/policy_queues.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bifocal::schedule {

/// ln(weight · urgency · decay^age), what the source re-evaluates, as the sum of two terms; −∞ for
/// weight zero. Threads: value.
struct SeedPriority {
    long double value = 0;
    long double rounding = 0;  ///< up to this much of a difference means nothing
};

inline SeedPriority seedPriority(const SeedDecayConfig& config,
                                 const Arrival& arrival,
                                 TimePoint now) {
    const PromptFeatures& features = arrival.task.features;
    const Urgency urgency = arrival.task.urgency;
    const long double weight = std::max({features.hasText ? config.textWeight : 0.0,
                                         features.hasSpeech ? config.speechWeight : 0.0,
                                         features.hasImage ? config.imageWeight : 0.0,
                                         features.hasVideo ? config.videoWeight : 0.0});
    const long double product = weight * static_cast<long double>(config.urgency.of(urgency));
    const long double age = static_cast<long double>((now - arrival.time).count()) / 1e9L;
    const long double fresh = std::log(product);
    const long double aged = std::log(static_cast<long double>(config.decay.of(urgency))) * age;
    // Of parameters with 53 bits, and of a sum with 64.
    const long double magnitude = product > 0 ? std::abs(fresh) + std::abs(aged) : 0;
    const long double rounding = std::ldexp(1.0L, -50) + std::ldexp(magnitude, -58);
    return {fresh + aged, rounding};
}

/// The largest now, of equals the first to arrive, over all classes or within the most urgent one.
class ReEvaluation final : public NaiveOrder {
public:
    explicit ReEvaluation(const SeedDecayConfig& config) : config_(config) {}

    std::optional<std::size_t> choose(std::span<const std::size_t> waiting,
                                      const PolicyQueues& queues,
                                      TimePoint now) override {
        Urgency mostUrgent = Urgency::Batch;
        for (const std::size_t name : waiting) {
            mostUrgent = std::min(mostUrgent, queues.at(name).task.urgency);
        }
        std::optional<std::size_t> best;
        SeedPriority highest;
        for (const std::size_t name : waiting) {
            if (config_.isGuarded && queues.at(name).task.urgency != mostUrgent) {
                continue;
            }
            const SeedPriority priority = seedPriority(config_, queues.at(name), now);
            const long double rounding = std::max(priority.rounding, highest.rounding);
            if (!best || priority.value > highest.value + rounding) {
                best = name;
                highest = priority;
            }
        }
        return best;
    }

private:
    SeedDecayConfig config_;
};

inline double hundredths(std::mt19937_64& random, std::uint64_t lowest, std::uint64_t highest) {
    return static_cast<double>(lowest + below(random, highest - lowest + 1)) / 100;
}

/// The source's figures, or any; one constant for all classes, or one for each.
inline SeedDecayConfig randomSeedDecay(std::mt19937_64& random) {
    SeedDecayConfig config;
    if (below(random, 2) == 0) {
        config.textWeight = hundredths(random, 0, 30);
        config.speechWeight = hundredths(random, 0, 30);
        config.imageWeight = hundredths(random, 1, 100);
        config.videoWeight = hundredths(random, 1, 200);
        config.urgency = {hundredths(random, 1, 100), hundredths(random, 0, 100), 0.3};
    }
    if (below(random, 4) == 0) {
        config.urgency = {1.0, 1.0, 1.0};  // ties between the constants, at age 0
    }
    if (below(random, 3) != 0) {
        config.decay = {
            hundredths(random, 85, 95), hundredths(random, 70, 95), hundredths(random, 70, 80)};
    } else if (below(random, 2) == 0) {
        const double decay = hundredths(random, 1, 99);
        config.decay = {decay, decay, decay};
    }
    config.isGuarded = below(random, 4) == 0;
    return config;
}

/// Runs the trace of a seed: up to 500 requests, with ties, cancellations, and waits of more than
/// 30 days. Number of the first dispatch that re-evaluation would make differently; none: there is
/// no such dispatch.
inline std::optional<std::size_t> seedDecayDifference(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::array<Duration, 6> longestSteps = {std::chrono::nanoseconds(3),
                                                  std::chrono::milliseconds(1),
                                                  std::chrono::seconds(3),
                                                  std::chrono::minutes(10),
                                                  std::chrono::hours(24),
                                                  std::chrono::hours(24 * 3)};
    PolicyConfig config;
    config.name = "seed_decay";
    config.seedDecay = randomSeedDecay(random);
    const TimePoint epoch(std::chrono::hours(below(random, 1000)));
    const std::unique_ptr<Policy> policy = *makePolicy(config, epoch);
    ReEvaluation naive(config.seedDecay);
    TraceShape shape;
    shape.taskCount = 1 + below(random, 500);
    shape.longestStep = longestSteps[below(random, longestSteps.size())];
    shape.begin = epoch - std::chrono::hours(1);
    return firstDifference(*policy, naive, shape, random);
}

}  // namespace bifocal::schedule
