// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policy.h"
#include "tests/core/schedule/seed_decay_traces.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace bifocal::schedule {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr PromptFeatures kText = {.hasText = true};
constexpr PromptFeatures kImage = {.hasImage = true};
constexpr PromptFeatures kVideo = {.hasVideo = true};

TaskSpec taskOf(Urgency urgency, const PromptFeatures& features) {
    TaskSpec task;
    task.urgency = urgency;
    task.features = features;
    return task;
}

std::unique_ptr<Policy> makeSeedDecay(const SeedDecayConfig& config, TimePoint epoch = {}) {
    PolicyConfig policy;
    policy.name = "seed_decay";
    policy.seedDecay = config;
    return *makePolicy(policy, epoch);
}

TEST(SeedDecayPolicyTest, EveryDispatchIsThatOfContinuousReEvaluation) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        ASSERT_EQ(seedDecayDifference(seed), std::nullopt) << "seed " << seed;
    }
}

TEST(SeedDecayPolicyTest, OrderIsExactToTheNanosecondAroundTheDistanceOfTwoWeights) {
    // A lighter task must arrive this much later to be served first.
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937_64 random(seed);
        SeedDecayConfig config;
        config.textWeight = hundredths(random, 1, 30);
        config.imageWeight = hundredths(random, 31, 99);
        const double decay = hundredths(random, 1, 99);
        config.decay = {decay, decay, decay};
        const auto policy = makeSeedDecay(config);
        for (const PromptFeatures& light : {kText, kImage}) {
            const long double lightWeight = light.hasText ? config.textWeight : config.imageWeight;
            const long double distance =
                std::log(1.0L / lightWeight) / -std::log(static_cast<long double>(decay)) * 1e9L;
            // Some weights are powers of the decay: their distance is whole.
            const bool isTie = std::abs(distance - std::round(distance)) < 1e-6L;
            const long double last = isTie ? std::round(distance) - 1 : std::floor(distance);
            const Duration tooEarly(static_cast<Duration::rep>(last));
            const Duration lateEnough = tooEarly + nanoseconds(isTie ? 2 : 1);
            for (const Duration age : {Duration(0), Duration(hours(30 * 24))}) {
                const TimePoint arrival(age);
                const auto keyOfLight = [&](Duration later) {
                    return policy->key(taskOf(Urgency::Interactive, light), arrival + later);
                };
                const std::uint64_t heavy =
                    policy->key(taskOf(Urgency::Interactive, kVideo), arrival);
                EXPECT_GT(keyOfLight(tooEarly), heavy) << seed;
                EXPECT_LT(keyOfLight(lateEnough), heavy) << seed;
                EXPECT_EQ(keyOfLight(tooEarly + nanoseconds(1)) == heavy, isTie) << seed;
            }
        }
    }
}

TEST(SeedDecayPolicyTest, TheSourcesFormulaServesAFreshBatchPictureBeforeAFreshTextPrompt) {
    const auto policy = makeSeedDecay({});
    PolicyQueues queues(*policy);
    const std::size_t text = queues.add(taskOf(Urgency::Interactive, kText), TimePoint());
    const std::size_t image = queues.add(taskOf(Urgency::Batch, kImage), TimePoint());

    EXPECT_EQ(policy->classOrder(), ClassOrder::Ignored);
    EXPECT_EQ(queues.first(TimePoint()), image);
    queues.erase(image);
    EXPECT_EQ(queues.first(TimePoint()), text);
}

TEST(SeedDecayPolicyTest, ClassesOfOneConstantShareAQueue) {
    SeedDecayConfig config;
    EXPECT_EQ(makeSeedDecay(config)->queueCount(), 1U);
    config.decay.batch = 0.75;
    const auto policy = makeSeedDecay(config);

    EXPECT_EQ(policy->queueCount(), 2U);
    EXPECT_EQ(policy->queueOf(taskOf(Urgency::Interactive, kText)),
              policy->queueOf(taskOf(Urgency::Prefetch, kVideo)));
    EXPECT_NE(policy->queueOf(taskOf(Urgency::Interactive, kText)),
              policy->queueOf(taskOf(Urgency::Batch, kText)));
}

TEST(SeedDecayPolicyTest, WithTwoConstantsTheOrderOfTwoTasksChangesWithTime) {
    SeedDecayConfig config;
    config.decay.batch = 0.75;
    const auto policy = makeSeedDecay(config);
    PolicyQueues queues(*policy);
    const std::size_t text = queues.add(taskOf(Urgency::Interactive, kText), TimePoint());
    const std::size_t video = queues.add(taskOf(Urgency::Batch, kVideo), TimePoint());
    // 0.3 · 0.75^t = 0.2 · 0.9^t
    const double crossing = std::log(1.5) / std::log(0.9 / 0.75);
    const auto after = [](double time) { return TimePoint(Duration(std::llround(time * 1e9))); };

    EXPECT_EQ(queues.first(after(crossing - 1e-6)), video);
    EXPECT_EQ(queues.first(after(crossing + 1e-6)), text);
}

TEST(SeedDecayPolicyTest, EqualPrioritiesOfTwoConstantsAreServedInOrderOfArrival) {
    SeedDecayConfig config;
    config.urgency = {0.5, 1.0, 1.0};
    config.textWeight = 0.4;
    config.imageWeight = 0.2;
    config.decay = {0.9, 0.8, 0.7};
    const auto policy = makeSeedDecay(config);
    for (const TimePoint now : {TimePoint(), TimePoint(hours(24 * 30) + nanoseconds(7))}) {
        PolicyQueues queues(*policy);
        std::vector<std::size_t> names;
        names.push_back(queues.add(taskOf(Urgency::Batch, kImage), now));
        names.push_back(queues.add(taskOf(Urgency::Interactive, kText), now));
        names.push_back(queues.add(taskOf(Urgency::Prefetch, kImage), now));
        names.push_back(queues.add(taskOf(Urgency::Interactive, kText), now));
        for (const std::size_t name : names) {
            ASSERT_EQ(queues.first(now), name);
            queues.dispatch(name, now);
        }
    }
}

TEST(SeedDecayPolicyTest, AWeightThatIsAPowerOfTheDecayTiesToTheNanosecond) {
    SeedDecayConfig config;
    config.decay = {0.85, 0.7, 0.7};
    const auto policy = makeSeedDecay(config);
    const TaskSpec image = taskOf(Urgency::Batch, kImage);  // 0.7
    const std::uint64_t video = policy->key(taskOf(Urgency::Batch, kVideo), TimePoint());

    EXPECT_GT(policy->key(image, TimePoint(seconds(1) - nanoseconds(1))), video);
    EXPECT_EQ(policy->key(image, TimePoint(seconds(1))), video);
    EXPECT_LT(policy->key(image, TimePoint(seconds(1) + nanoseconds(1))), video);
}

TEST(SeedDecayPolicyTest, WhatHasNoWeightComesLastInOrderOfArrival) {
    SeedDecayConfig config;
    config.speechWeight = 0;
    config.decay.batch = 0.75;
    const auto policy = makeSeedDecay(config);
    PolicyQueues queues(*policy);
    const std::size_t nothing = queues.add(taskOf(Urgency::Batch, {}), TimePoint(seconds(9)));
    const std::size_t speech =
        queues.add(taskOf(Urgency::Interactive, {.hasSpeech = true}), TimePoint(seconds(9)));
    const std::size_t old = queues.add(taskOf(Urgency::Batch, kText),
                                       -TimePoint::duration(hours(24 * 30)) + TimePoint());
    for (const std::size_t name : {old, nothing, speech}) {
        ASSERT_EQ(queues.first(TimePoint(seconds(9))), name);
        queues.dispatch(name, TimePoint(seconds(9)));
    }
}

TEST(SeedDecayPolicyTest, OrderHoldsFarBeyondWhereTheDecayUnderflows) {
    const auto policy = makeSeedDecayPolicy(TimePoint());
    const TaskSpec text = taskOf(Urgency::Interactive, kText);
    const auto keyAt = [&](Duration time) { return policy->key(text, TimePoint(time)); };

    EXPECT_EQ(keyAt(seconds(5)), keyAt(seconds(5)));
    EXPECT_GT(keyAt(seconds(5)), keyAt(hours(24 * 365 * 5)));
    EXPECT_LT(keyAt(-hours(24 * 365 * 5)), policy->key(TaskSpec{}, TimePoint(seconds(5))));
}

TEST(SeedDecayPolicyTest, ExtremesOfItsParametersKeepTheOrder) {
    SeedDecayConfig config;
    config.textWeight = 1e-300;
    config.videoWeight = 1000;
    config.urgency = {1000, 1e-300, 1e-300};
    for (const double decay : {0.0001, 0.9999}) {
        config.decay = {decay, decay, decay};
        const auto policy = makeSeedDecay(config);
        const TimePoint now(hours(24 * 365 * 8));
        const std::uint64_t first = policy->key(taskOf(Urgency::Interactive, kVideo), now);
        const std::uint64_t second = policy->key(taskOf(Urgency::Batch, kVideo), now);
        const std::uint64_t third = policy->key(taskOf(Urgency::Batch, kText), now);

        EXPECT_LT(first, second);
        EXPECT_LT(second, third);
        EXPECT_LT(third, policy->key(taskOf(Urgency::Batch, {}), now));
    }
}

/// What the notes of the presets say: a text prompt that has waited is passed by batch pictures
/// that came in the last `fixed` seconds + `part` of its wait.
struct PassedBy {
    const char* preset;
    double fixed;
    double part;
};

TEST(SeedDecayPolicyTest, ThePresetsDoWhatTheirNotesSay) {
    for (const PassedBy& note : {PassedBy{"seed_95_80", 0.22, 0.23},
                                 PassedBy{"seed_90_75", 0.17, 0.37},
                                 PassedBy{"seed_85_70", 0.14, 0.46}}) {
        const std::vector<PolicyPreset> presets = policyPresets();
        const auto preset = std::find_if(presets.begin(), presets.end(), [&](const auto& other) {
            return std::string(other.id) == note.preset;
        });
        ASSERT_NE(preset, presets.end());
        const std::string text = preset->note;
        EXPECT_NE(text.find(std::to_string(note.fixed).substr(0, 4) + " s + " +
                            std::to_string(std::lround(note.part * 100)) + " %"),
                  std::string::npos)
            << text;
        const auto policy = *makePolicy(preset->config, {});
        for (const double wait : {0.5, 2.0, 20.0}) {
            const auto servesPicture = [&](double age) {
                PolicyQueues queues(*policy);
                const auto at = [&](double time) {
                    return TimePoint(Duration(std::llround(time * 1e9)));
                };
                queues.add(taskOf(Urgency::Interactive, kText), at(100 - wait));
                const std::size_t picture =
                    queues.add(taskOf(Urgency::Batch, kImage), at(100 - age));
                return queues.first(at(100)) == picture;
            };
            const double limit = note.fixed + note.part * wait;
            EXPECT_TRUE(servesPicture(limit - 0.006 - 0.006 * wait)) << note.preset << wait;
            EXPECT_FALSE(servesPicture(limit + 0.006 + 0.006 * wait)) << note.preset << wait;
        }
    }
}

}  // namespace
}  // namespace bifocal::schedule
