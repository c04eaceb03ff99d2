// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policies/seed_decay_policy.h"

#include "core/base/assert.h"
#include "core/schedule/policies/ordered_key.h"

#include <algorithm>
#include <cmath>

namespace bifocal::schedule {

namespace {

constexpr long double kNanosecondsPerSecond = 1e9L;
constexpr unsigned kRankBits = 4;  // 3 classes × 4 modalities are 12 levels at most
constexpr std::int64_t kRankMask = (std::int64_t{1} << kRankBits) - 1;
constexpr std::uint64_t kWeightlessKey = UINT64_MAX;
// ⌊d⌋ is below a year by the ranges of the parameters, so arrivals have the rest of the 60 bits.
constexpr Duration kArrivalReach = std::chrono::hours(24 * 365 * 9);
constexpr std::array kSeedClasses = {Urgency::Interactive, Urgency::Prefetch, Urgency::Batch};

// Two logarithms whose terms are of this magnitude and that differ by no more are equal: 0.12 · 0.3
// and 0.72 · 0.05 are not quite, as doubles. 2^-50 is for the parameters, which have 53 bits, 2^-58
// for what was computed from them with 64.
long double roundingOf(long double magnitude) {
    return std::ldexp(1.0L, -50) + std::ldexp(magnitude, -58);
}

}  // namespace

SeedDecayPolicy::SeedDecayPolicy(const SeedDecayConfig& config, TimePoint epoch)
    : config_(config), epoch_(epoch) {
    for (const Urgency urgency : kSeedClasses) {
        assignQueue(urgency);
        addRanks(urgency);
    }
    for (Queue& queue : queues_) {
        sortRanks(queue);
    }
    for (const Urgency urgency : kSeedClasses) {
        fillEntries(urgency);
    }
}

std::array<double, SeedDecayPolicy::kModalityCount> SeedDecayPolicy::weights() const {
    return {config_.textWeight, config_.speechWeight, config_.imageWeight, config_.videoWeight};
}

void SeedDecayPolicy::assignQueue(Urgency urgency) {
    const double decay = config_.decay.of(urgency);
    auto queue = std::find_if(
        queues_.begin(), queues_.end(), [&](const Queue& other) { return other.decay == decay; });
    if (queue == queues_.end()) {
        queue = queues_.insert(queue, {decay, -std::log(static_cast<long double>(decay)), {}});
    }
    ofClass_.of(urgency).queue = static_cast<std::size_t>(queue - queues_.begin());
}

SeedDecayPolicy::Level SeedDecayPolicy::levelOf(double weight, Urgency urgency) const {
    const Queue& queue = queues_[ofClass_.of(urgency).queue];
    Level level;
    level.logarithm = std::log(static_cast<long double>(weight) *
                               static_cast<long double>(config_.urgency.of(urgency)));
    if (!std::isfinite(level.logarithm)) {
        return level;
    }
    const long double distance = level.logarithm / queue.decayPerSecond * kNanosecondsPerSecond;
    const long double nearest = std::round(distance);
    level.rounding =
        roundingOf(std::abs(level.logarithm)) / queue.decayPerSecond * kNanosecondsPerSecond;
    const bool isWhole = std::abs(distance - nearest) <= level.rounding;
    const long double whole = isWhole ? nearest : std::floor(distance);
    level.whole = static_cast<std::int64_t>(whole);
    level.fraction = isWhole ? 0 : distance - whole;
    return level;
}

bool SeedDecayPolicy::haveSameFraction(const Level& a, const Level& b) {
    return std::abs(a.fraction - b.fraction) <= std::max(a.rounding, b.rounding);
}

void SeedDecayPolicy::addRanks(Urgency urgency) {
    for (const double weight : weights()) {
        const Level level = levelOf(weight, urgency);
        if (std::isfinite(level.logarithm)) {
            queues_[ofClass_.of(urgency).queue].ranks.push_back(level);
        }
    }
}

void SeedDecayPolicy::sortRanks(Queue& queue) {
    std::vector<Level>& ranks = queue.ranks;
    std::sort(ranks.begin(), ranks.end(), [](const Level& a, const Level& b) {
        return a.fraction < b.fraction;
    });
    ranks.erase(std::unique(ranks.begin(), ranks.end(), haveSameFraction), ranks.end());
    BIFOCAL_ASSERT(ranks.size() <= kRankMask + 1);
}

void SeedDecayPolicy::fillEntries(Urgency urgency) {
    ClassEntry& entry = ofClass_.of(urgency);
    const std::vector<Level>& ranks = queues_[entry.queue].ranks;
    for (std::size_t modality = 0; modality < kModalityCount; ++modality) {
        const Level level = levelOf(weights()[modality], urgency);
        if (!std::isfinite(level.logarithm)) {
            continue;
        }
        const auto rank = std::find_if(ranks.begin(), ranks.end(), [&](const Level& other) {
            return haveSameFraction(other, level);
        });
        BIFOCAL_ASSERT(rank != ranks.end());
        entry.modalities[modality] = {level.whole, static_cast<std::size_t>(rank - ranks.begin())};
    }
}

std::size_t SeedDecayPolicy::heaviest(const PromptFeatures& features) const {
    const std::array<bool, kModalityCount> isPresent = {
        features.hasText, features.hasSpeech, features.hasImage, features.hasVideo};
    const std::array<double, kModalityCount> weight = weights();
    std::size_t best = kModalityCount;
    for (std::size_t modality = 0; modality < kModalityCount; ++modality) {
        if (isPresent[modality] && (best == kModalityCount || weight[modality] > weight[best])) {
            best = modality;
        }
    }
    return best;
}

std::uint64_t SeedDecayPolicy::key(const TaskSpec& task, TimePoint now) {
    const ClassEntry& entry = ofClass_.of(task.urgency);
    const std::size_t modality = heaviest(task.features);
    if (modality == kModalityCount || entry.modalities[modality].rank == kNoRank) {
        return kWeightlessKey;  // priority zero at any age
    }
    const auto [whole, rank] = entry.modalities[modality];
    const std::int64_t arrival = std::clamp(now - epoch_, -kArrivalReach, kArrivalReach).count();
    const std::int64_t value = ((arrival + whole) << kRankBits) | static_cast<std::int64_t>(rank);
    return ~toOrdered(value);  // largest first
}

bool SeedDecayPolicy::goesBefore(const QueueHead& a, const QueueHead& b, TimePoint now) const {
    if (a.queue == b.queue || a.key == kWeightlessKey || b.key == kWeightlessKey) {
        return Policy::goesBefore(a, b, now);
    }
    const Priority ofA = priorityOf(a, now);
    const Priority ofB = priorityOf(b, now);
    const long double difference = std::abs(ofA.logarithm - ofB.logarithm);
    if (difference <= roundingOf(std::max(ofA.magnitude, ofB.magnitude))) {
        return a.sequence < b.sequence;
    }
    return ofA.logarithm > ofB.logarithm;
}

SeedDecayPolicy::Priority SeedDecayPolicy::priorityOf(const QueueHead& head, TimePoint now) const {
    const Queue& queue = queues_[head.queue];
    const std::int64_t value = fromOrdered(~head.key);
    // Of the levels of one fraction any does: it arrived earlier or later by their distance.
    const Level& level = queue.ranks[static_cast<std::size_t>(value & kRankMask)];
    const std::int64_t arrival = (value >> kRankBits) - level.whole;
    const auto age = static_cast<long double>((now - epoch_).count() - arrival);
    const long double lost = queue.decayPerSecond * (age / kNanosecondsPerSecond);
    return {level.logarithm - lost, std::abs(level.logarithm) + std::abs(lost)};
}

}  // namespace bifocal::schedule
