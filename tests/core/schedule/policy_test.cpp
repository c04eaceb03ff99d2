// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace bifocal::schedule {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::HasSubstr;

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

TEST(PolicyTest, EachNameMakesThePolicyOfThatName) {
    const std::vector<std::string_view> names = policyNames();

    EXPECT_THAT(names,
                testing::ElementsAre("deadline",
                                     "seed_decay",
                                     "round_robin",
                                     "fifo",
                                     "static_partition",
                                     "strict_priority",
                                     "sjf",
                                     "adaptive_lifo"));
    EXPECT_EQ(PolicyConfig{}.name, names.front());
    for (const std::string_view name : names) {
        PolicyConfig config;
        config.name = name;
        const auto policy = makePolicy(config, {});
        ASSERT_TRUE(policy) << name;
        EXPECT_EQ((*policy)->name(), name);
        EXPECT_EQ((*policy)->clone()->name(), name);
        EXPECT_GE((*policy)->queueCount(), 1U);
        EXPECT_LT((*policy)->queueOf(TaskSpec{}), (*policy)->queueCount());
    }
}

TEST(PolicyTest, TheClassOrderIsWhatEachIsKnownFor) {
    const auto orderOf = [](const char* name) {
        PolicyConfig config;
        config.name = name;
        return (*makePolicy(config, {}))->classOrder();
    };

    EXPECT_EQ(orderOf("deadline"), ClassOrder::Guarded);
    EXPECT_EQ(orderOf("sjf"), ClassOrder::Guarded);
    EXPECT_EQ(orderOf("adaptive_lifo"), ClassOrder::Guarded);
    EXPECT_EQ(orderOf("strict_priority"), ClassOrder::Strict);
    EXPECT_EQ(orderOf("static_partition"), ClassOrder::Strict);
    EXPECT_EQ(orderOf("seed_decay"), ClassOrder::Ignored);
    EXPECT_EQ(orderOf("round_robin"), ClassOrder::Ignored);
    EXPECT_EQ(orderOf("fifo"), ClassOrder::Ignored);
    PolicyConfig guarded;
    guarded.name = "seed_decay";
    guarded.seedDecay.isGuarded = true;
    EXPECT_EQ((*makePolicy(guarded, {}))->classOrder(), ClassOrder::Guarded);
}

TEST(PolicyTest, AnUnknownNameIsRefusedAndNamed) {
    for (const char* name : {"", "edf", "Deadline", "fifo "}) {
        PolicyConfig config;
        config.name = name;
        const auto policy = makePolicy(config, {});
        ASSERT_FALSE(policy);
        EXPECT_EQ(policy.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(policy.error().message, HasSubstr("\"" + config.name + "\""));
        EXPECT_THAT(policy.error().message, HasSubstr("adaptive_lifo"));
    }
}

void expectRefused(const PolicyConfig& config, const std::string& parameter) {
    const auto policy = makePolicy(config, {});
    ASSERT_FALSE(policy) << parameter;
    EXPECT_EQ(policy.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(policy.error().message, testing::StartsWith(parameter + ": "));
}

TEST(PolicyTest, ADecayOutsideZeroToOneIsRefusedAndNamed) {
    for (const double decay : {-0.1, 0.0, 1.0, 1.2, std::nan(""), HUGE_VAL}) {
        PolicyConfig config;
        config.name = "seed_decay";
        config.seedDecay.decay.prefetch = decay;
        expectRefused(config, "seed_decay.decay.prefetch");
    }
}

TEST(PolicyTest, WeightsFramesSlacksAndIntervalsOutOfRangeAreRefusedAndNamed) {
    PolicyConfig weight;
    weight.seedDecay.imageWeight = std::nan("");
    expectRefused(weight, "seed_decay.weight.image");
    PolicyConfig negative;
    negative.seedDecay.urgency.batch = -0.3;
    expectRefused(negative, "seed_decay.urgency.batch");
    PolicyConfig frame;
    frame.staticPartition.frame = Duration(0);
    expectRefused(frame, "static_partition.frame");
    PolicyConfig slack;
    slack.deadline.slack.interactive = -nanoseconds(1);
    expectRefused(slack, "deadline.slack.interactive");
    PolicyConfig endless;
    endless.deadline.slack.batch = Duration::max();
    expectRefused(endless, "deadline.slack.batch");
    PolicyConfig interval;
    interval.adaptiveLifo.interval = Duration(0);
    expectRefused(interval, "adaptive_lifo.interval");
}

TEST(PolicyTest, SharesMustBePositiveAndFitTheFrame) {
    const auto configOf = [](PerClass<double> share) {
        PolicyConfig config;
        config.name = "static_partition";
        config.staticPartition.share = share;
        return config;
    };

    expectRefused(configOf({0.5, 0.2, 0.4}), "static_partition.share");
    expectRefused(configOf({0.5, 0.0, 0.4}), "static_partition.share.prefetch");
    expectRefused(configOf({1.5, 0.1, 0.1}), "static_partition.share.interactive");
    expectRefused(configOf({0.5, 0.1, std::nan("")}), "static_partition.share.batch");
    EXPECT_TRUE(makePolicy(configOf({0.1, 0.2, 0.7}), {})) << "sums to 1 but for rounding";
    EXPECT_TRUE(makePolicy(configOf({0.3, 0.2, 0.1}), {}));
}

TEST(PolicyParametersTest, EachCanBeSetToItsLimitsAndReadBack) {
    std::set<std::string> names;
    for (const PolicyParameter& parameter : policyParameters()) {
        EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
        EXPECT_LT(parameter.lowest, parameter.highest);
        PolicyConfig config;
        for (const double value : {parameter.lowest, parameter.highest}) {
            ASSERT_TRUE(setPolicyParameter(config, parameter.name, value)) << parameter.name;
            EXPECT_EQ(*policyParameter(config, parameter.name), value) << parameter.name;
        }
        const double step = (parameter.highest - parameter.lowest) / 1000;
        for (const double value :
             {parameter.lowest - step, parameter.highest + step, std::nan("")}) {
            const auto outcome = setPolicyParameter(config, parameter.name, value);
            ASSERT_FALSE(outcome) << parameter.name;
            EXPECT_EQ(outcome.error().code, ErrorCode::InvalidArgument);
            EXPECT_THAT(outcome.error().message, HasSubstr(parameter.name));
        }
        EXPECT_EQ(*policyParameter(config, parameter.name), parameter.highest) << "unchanged";
    }
}

TEST(PolicyParametersTest, EachIsOneMemberOfTheConfig) {
    PolicyConfig config;

    ASSERT_TRUE(setPolicyParameter(config, "seed_decay.decay.batch", 0.75));
    ASSERT_TRUE(setPolicyParameter(config, "seed_decay.guard", 1));
    ASSERT_TRUE(setPolicyParameter(config, "static_partition.frame", 12.5));

    EXPECT_EQ(config.seedDecay.decay.batch, 0.75);
    EXPECT_EQ(config.seedDecay.decay.prefetch, 0.9);
    EXPECT_TRUE(config.seedDecay.isGuarded);
    EXPECT_EQ(config.staticPartition.frame, Duration(12500000));
    EXPECT_FALSE(setPolicyParameter(config, "seed_decay.guard", 0.5));
}

TEST(PolicyParametersTest, AnUnknownNameIsNotFound) {
    PolicyConfig config;

    EXPECT_EQ(setPolicyParameter(config, "seed_decay.decay", 0.5).error().code,
              ErrorCode::NotFound);
    EXPECT_EQ(policyParameter(config, "").error().code, ErrorCode::NotFound);
}

TEST(PolicyPresetsTest, AllCanBeMadeAndTheDefaultIsFirst) {
    const std::vector<PolicyPreset> presets = policyPresets();
    std::set<std::string> ids;
    std::set<std::string> policies;
    for (const PolicyPreset& preset : presets) {
        EXPECT_TRUE(ids.insert(preset.id).second) << preset.id;
        EXPECT_TRUE(makePolicy(preset.config, {})) << preset.id;
        EXPECT_STRNE(preset.title, "");
        EXPECT_STRNE(preset.note, "");
        policies.insert(preset.config.name);
    }

    EXPECT_STREQ(presets.front().id, "deadline");
    EXPECT_EQ(policies.size(), policyNames().size()) << "each policy has a preset";
}

TEST(PolicyPresetsTest, DecayConstantsAreThoseTheSourceAdvises) {
    int count = 0;
    for (const PolicyPreset& preset : policyPresets()) {
        const PerClass<double>& decay = preset.config.seedDecay.decay;
        if (decay.batch == decay.interactive) {
            continue;
        }
        ++count;
        EXPECT_GE(decay.interactive, 0.85);
        EXPECT_LE(decay.interactive, 0.95);
        EXPECT_GE(decay.batch, 0.7);
        EXPECT_LE(decay.batch, 0.8);
    }
    EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace bifocal::schedule
