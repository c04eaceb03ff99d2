// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policy.h"

#include "core/schedule/internal/indexed_heap.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace bifocal::schedule {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TimePoint at(Duration time) {
    return TimePoint(time);
}

TEST(PromptFeaturesTest, TheHeaviestModalityCounts) {
    EXPECT_EQ((PromptFeatures{}).weight(), 0.0);
    EXPECT_EQ((PromptFeatures{.hasText = true}).weight(), 0.2);
    EXPECT_EQ((PromptFeatures{.hasSpeech = true}).weight(), 0.2);
    EXPECT_EQ((PromptFeatures{.hasText = true, .hasImage = true}).weight(), 0.7);
    EXPECT_EQ((PromptFeatures{.hasText = true, .hasImage = true, .hasVideo = true}).weight(), 1.0);
}

TEST(DeadlinePolicyTest, IsDueAtTheDeadlineOrAfterTheSlackOfTheClass) {
    const auto policy = makeDeadlinePolicy();
    const auto keyOf = [&](Duration now, Urgency urgency, std::optional<TimePoint> deadline) {
        TaskSpec task;
        task.urgency = urgency;
        task.deadline = deadline;
        return policy->key(task, at(now));
    };
    const std::uint64_t plain = keyOf(seconds(10), Urgency::Batch, {});

    EXPECT_LT(plain, keyOf(seconds(10) + nanoseconds(1), Urgency::Batch, {}));
    EXPECT_EQ(plain,
              keyOf(seconds(1), Urgency::Batch, at(seconds(10) + kBatchSlack)) +
                  static_cast<std::uint64_t>(Duration(seconds(9)).count()))
        << "a deadline beyond the slack does not delay a task";
    EXPECT_LT(keyOf(seconds(12), Urgency::Batch, at(seconds(13))), plain);
    EXPECT_LT(keyOf(seconds(10), Urgency::Interactive, {}),
              keyOf(seconds(10), Urgency::Prefetch, {}));
    EXPECT_LT(keyOf(seconds(10), Urgency::Prefetch, {}), plain);
    EXPECT_LT(keyOf(-seconds(100), Urgency::Batch, {}), plain) << "before the clock's start";
}

TEST(FifoPolicyTest, AllKeysAreEqual) {
    const auto policy = makeFifoPolicy();
    TaskSpec urgent;
    urgent.deadline = at(seconds(1));

    EXPECT_EQ(policy->key(urgent, at(seconds(9))), policy->key(TaskSpec{}, at(seconds(1))));
}

struct Arrival {
    TaskSpec task;
    TimePoint time;
};

/// weight · urgency · 0.9^age as a logarithm, evaluated now; −∞ for weight zero.
long double evaluate(const Arrival& arrival, TimePoint now) {
    const long double urgency =
        arrival.task.urgency == Urgency::Interactive ? kSeedInteractiveUrgency : kSeedOtherUrgency;
    const long double age = static_cast<long double>((now - arrival.time).count()) / 1e9L;
    return std::log(static_cast<long double>(arrival.task.features.weight())) + std::log(urgency) +
           std::log(0.9L) * age;
}

/// Index of what continuous re-evaluation serves now: the largest, of equals the first to arrive.
std::size_t bruteForce(const std::vector<Arrival>& arrivals,
                       const std::vector<std::size_t>& ready,
                       TimePoint now) {
    std::size_t best = ready.front();
    for (const std::size_t candidate : ready) {
        if (evaluate(arrivals[candidate], now) > evaluate(arrivals[best], now)) {
            best = candidate;
        }
    }
    return best;
}

PromptFeatures randomFeatures(std::mt19937_64& random) {
    const std::array<PromptFeatures, 5> kinds = {{{},
                                                  {.hasText = true},
                                                  {.hasImage = true},
                                                  {.hasVideo = true},
                                                  {.hasText = true, .hasSpeech = true}}};
    return kinds[random() % kinds.size()];
}

TEST(SeedDecayPolicyTest, EveryDispatchIsThatOfContinuousReEvaluation) {
    // Longest time between two arrivals: ties and near-ties, the weights' distances, 30 days.
    const std::array<Duration, 5> spreads = {
        nanoseconds(3), milliseconds(1), seconds(3), seconds(600), hours(24)};
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937_64 random(seed);
        const Duration spread = spreads[seed % spreads.size()];
        const TimePoint epoch = at(hours(random() % 1000));
        const auto policy = makeSeedDecayPolicy(epoch);
        const auto urgency = static_cast<Urgency>(random() % 3 + 1);  // a heap is of one class
        IndexedHeap heap;
        std::vector<Arrival> arrivals;
        std::vector<std::size_t> ready;
        TimePoint now = epoch;
        while (arrivals.size() < 120 || !ready.empty()) {
            now += Duration(
                static_cast<Duration::rep>(random() % static_cast<std::uint64_t>(spread.count())));
            if (arrivals.size() < 120 && (ready.empty() || random() % 3 != 0)) {
                Arrival arrival;
                arrival.task.urgency = urgency;
                arrival.task.features = randomFeatures(random);
                arrival.time = now;
                const std::size_t index = arrivals.size();
                heap.push(
                    {policy->key(arrival.task, now), index, static_cast<std::uint32_t>(index)});
                ready.push_back(index);
                arrivals.push_back(arrival);
                continue;
            }
            const std::size_t expected = bruteForce(arrivals, ready, now);
            ASSERT_EQ(heap.top().handle, expected) << "seed " << seed;
            heap.erase(static_cast<std::uint32_t>(expected));
            std::erase(ready, expected);
        }
    }
}

TEST(SeedDecayPolicyTest, OrderIsExactToTheNanosecondAroundTheDistanceOfTwoWeights) {
    // A lighter task must arrive this much later to be served first.
    const auto policy = makeSeedDecayPolicy(at(seconds(0)));
    const std::array<PromptFeatures, 3> weights = {
        {{.hasText = true}, {.hasImage = true}, {.hasVideo = true}}};
    for (const PromptFeatures& light : weights) {
        for (const PromptFeatures& heavy : weights) {
            const long double distance =
                std::log(static_cast<long double>(heavy.weight() / light.weight())) /
                -std::log(0.9L) * 1e9L;
            if (distance <= 0) {
                continue;
            }
            for (const Duration age : {Duration(0), Duration(hours(30 * 24))}) {
                const auto below = Duration(static_cast<Duration::rep>(std::floor(distance)));
                TaskSpec lightTask;
                lightTask.features = light;
                TaskSpec heavyTask;
                heavyTask.features = heavy;
                const std::uint64_t heavyKey = policy->key(heavyTask, at(age));
                EXPECT_GT(policy->key(lightTask, at(age + below)), heavyKey);
                EXPECT_LT(policy->key(lightTask, at(age + below + nanoseconds(1))), heavyKey);
            }
        }
    }
}

TEST(SeedDecayPolicyTest, OrderHoldsFarBeyondWhereTheDecayUnderflows) {
    const auto policy = makeSeedDecayPolicy(at(seconds(0)));
    TaskSpec text;
    text.features.hasText = true;
    TaskSpec nothing;

    EXPECT_EQ(policy->key(text, at(seconds(5))), policy->key(text, at(seconds(5))));
    EXPECT_GT(policy->key(text, at(seconds(5))), policy->key(text, at(hours(24 * 365 * 5))));
    EXPECT_LT(policy->key(text, at(-hours(24 * 365 * 5))), policy->key(nothing, at(seconds(5))));
}

TEST(PolicyTest, NamesAreStable) {
    EXPECT_STREQ(makeDeadlinePolicy()->name(), "deadline");
    EXPECT_STREQ(makeFifoPolicy()->name(), "fifo");
    EXPECT_STREQ(makeSeedDecayPolicy({})->name(), "seed_decay");
}

}  // namespace
}  // namespace bifocal::schedule
