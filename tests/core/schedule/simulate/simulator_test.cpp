// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/simulator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

namespace bifocal::schedule {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// The reference device of the design: 62.9 + 4.33·b ms, fitted to the second source document's own
/// throughput at b = 8 and 16.
DeviceProfile referenceDevice() {
    DeviceProfile device;
    device.name = "R-T4";
    device.alphaMs = 62.9;
    device.betaMs = 4.33;
    return device;
}

SimulationConfig configOf(const std::string& workload) {
    SimulationConfig config;
    config.device = referenceDevice();
    config.workload = *workloadNamed(workload);
    return config;
}

SimulationResult run(const SimulationConfig& config) {
    Result<SimulationResult> result = simulate(config);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? *std::move(result) : SimulationResult{};
}

SimulationResult runUnloaded(SimulationConfig config) {
    config.workload.source = BatchSource::None;
    return run(config);
}

TEST(SimulatorTest, S5AndS6PromptsDoNotFeelASaturatedDeviceAndBatchKeepsItsThroughput) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SimulationConfig config = configOf("W-A");
        config.workload.length = seconds(600);
        config.seed = seed;

        const SimulationResult loaded = run(config);
        const SimulationResult unloaded = runUnloaded(config);

        EXPECT_LE(loaded.prompts.p99Ms, 1.10 * unloaded.prompts.p99Ms);
        EXPECT_LE(loaded.prompts.p50Ms, 1.15 * unloaded.prompts.p50Ms);
        EXPECT_LE(loaded.prompts.maxMs, 1.25 * unloaded.prompts.maxMs);
        EXPECT_EQ(loaded.prompts.count, unloaded.prompts.count);
        const double alone = 16 / (62.9 + 4.33 * 16) * 1000;
        EXPECT_GE(loaded.batchPerSecond, 0.90 * alone);
        EXPECT_EQ(loaded.inversions, 0U);
    }
}

TEST(SimulatorTest, S6BatchAlonePaysForItsSegmentsAndNothingElse) {
    SimulationConfig config = configOf("W-A");
    config.workload.promptsPerSecond = 1e-9;
    config.workload.length = seconds(600);
    const double alone = 16 / (62.9 + 4.33 * 16) * 1000;

    EXPECT_GE(run(config).batchPerSecond, 0.965 * alone);
    config.segments = 1;
    EXPECT_GE(run(config).batchPerSecond, 0.995 * alone);
}

TEST(SimulatorTest, WithoutSegmentsAPromptWaitsForAWholeBatch) {
    SimulationConfig config = configOf("W-A");
    config.workload.length = seconds(600);
    config.segments = 1;

    EXPECT_GE(run(config).prompts.p99Ms, 1.3 * runUnloaded(config).prompts.p99Ms);
}

TEST(SimulatorTest, S7ADumpOfTenThousandPicturesDoesNotDelayPrompts) {
    const SimulationConfig config = configOf("W-B");

    const SimulationResult loaded = run(config);

    EXPECT_LE(loaded.prompts.p99Ms, 1.15 * runUnloaded(config).prompts.p99Ms);
    EXPECT_EQ(loaded.batchItems.count, 10'000U);
}

TEST(SimulatorTest, S8FreshPicturesNeverPassAReadyPrompt) {
    for (const double itemsPerSecond : {100.0, 130.0}) {
        SimulationConfig config = configOf("W-C");
        config.workload.batchItemsPerSecond = itemsPerSecond;

        const SimulationResult loaded = run(config);

        EXPECT_LE(loaded.prompts.p99Ms, 1.10 * runUnloaded(config).prompts.p99Ms);
        EXPECT_EQ(loaded.inversions, 0U);
    }
}

TEST(SimulatorTest, TheFirstDocumentsFormulaNeverServesATextPromptUnderThatLoad) {
    SimulationConfig config = configOf("W-C");
    config.workload.batchItemsPerSecond = 130;
    config.policy.name = "seed_decay";

    const SimulationResult result = run(config);

    EXPECT_EQ(result.unansweredPrompts, result.offeredPrompts);
    EXPECT_GT(result.inversions, 0U);
}

TEST(SimulatorTest, S9BatchGetsItsShareAndWaitsNoLongerThanTheBound) {
    for (const double share : {0.02, 0.05, 0.10, 0.20}) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            SimulationConfig config = configOf("W-D");
            config.workload.batchAlone = minutes(2);
            config.guaranteedShare = share;
            config.seed = seed;

            const SimulationResult result = run(config);

            EXPECT_EQ(result.boundViolations, 0U) << share;
            EXPECT_GT(result.boundChecks, 100U);
            EXPECT_NEAR(result.batchShare, share, 0.005);
            EXPECT_GT(result.guardTurns, 10U);
        }
    }
}

TEST(SimulatorTest, WithoutAShareBatchStarvesUnderOverload) {
    SimulationConfig config = configOf("W-D");
    config.workload.batchAlone = Duration(0);
    config.guaranteedShare = 0;

    EXPECT_LT(run(config).batchShare, 0.005);
}

TEST(SimulatorTest, S10OverloadServesWhatCanBeInTime) {
    SimulationConfig config = configOf("W-E");
    config.workload.promptsPerSecond = 70;
    const SimulationResult light = run(config);
    EXPECT_GE(light.promptsPerSecond, 0.97 * static_cast<double>(light.offeredPrompts) / 60);
    const double capacity = 8 / (62.9 + 4.33 * 8) * 1000 * (1 - config.guaranteedShare);
    for (const double rate : {90.0, 120.0, 200.0}) {
        config.workload.promptsPerSecond = rate;

        const SimulationResult result = run(config);

        EXPECT_GE(result.promptsPerSecond, 0.95 * capacity) << rate;
        EXPECT_LE(result.prompts.p99Ms, 300);
        EXPECT_EQ(result.unansweredPrompts, 0U);
    }
}

TEST(SimulatorTest, PromptsStayQuickOnARoughDeviceAndWithWrongPredictions) {
    for (const double scale : {0.7, 1.0, 1.3}) {
        for (const char* workload : {"W-A", "W-B", "W-C"}) {
            SimulationConfig config = configOf(workload);
            config.workload.length = std::min<Duration>(config.workload.length, seconds(600));
            config.disturbance = Disturbance::rough(scale);

            EXPECT_LE(run(config).prompts.p99Ms, 1.25 * runUnloaded(config).prompts.p99Ms)
                << workload << ' ' << scale;
        }
        SimulationConfig overload = configOf("W-D");
        overload.workload.batchAlone = minutes(1);
        overload.disturbance = Disturbance::rough(scale);
        EXPECT_EQ(run(overload).boundViolations, 0U);
    }
}

TEST(SimulatorTest, S18TheSameSeedGivesTheSameTraceByteForByte) {
    for (const Workload& workload : workloads()) {
        SimulationConfig config = configOf(workload.name);
        config.workload.batchAlone = std::min<Duration>(workload.batchAlone, seconds(20));
        config.workload.length = seconds(40);
        config.disturbance = Disturbance::rough(1);
        config.keepsTrace = true;

        const std::string trace = run(config).trace;

        EXPECT_EQ(trace, run(config).trace);
        config.seed = 2;
        EXPECT_NE(trace, run(config).trace);
        EXPECT_GT(trace.size(), 1000U);
    }
}

TEST(SimulatorTest, EveryPolicyServesEveryPromptOfALightLoad) {
    for (const char* policy : {"deadline",
                               "seed_decay",
                               "round_robin",
                               "fifo",
                               "static_partition",
                               "strict_priority",
                               "sjf",
                               "adaptive_lifo"}) {
        SimulationConfig config = configOf("W-A");
        config.workload.source = BatchSource::None;
        config.workload.length = seconds(200);
        config.policy.name = policy;

        const SimulationResult result = run(config);

        EXPECT_GE(result.prompts.count + 2, result.offeredPrompts) << policy;
        EXPECT_EQ(result.droppedPrompts, 0U) << policy;
    }
}

TEST(SimulatorTest, RefusesWhatCannotBe) {
    const auto codeOf = [](const SimulationConfig& config) {
        const auto result = simulate(config);
        return result ? ErrorCode{} : result.error().code;
    };
    SimulationConfig config = configOf("W-A");
    for (const double share : {-0.1, 0.51, std::nan("")}) {
        config.guaranteedShare = share;
        EXPECT_EQ(codeOf(config), ErrorCode::InvalidArgument);
    }
    config = configOf("W-A");
    config.policy.name = "best";
    EXPECT_EQ(codeOf(config), ErrorCode::InvalidArgument);
    for (const double rate : {0.0, -1.0, std::nan(""), 1e9}) {
        config = configOf("W-A");
        config.workload.promptsPerSecond = rate;
        EXPECT_EQ(codeOf(config), ErrorCode::InvalidArgument) << rate;
    }
    config = configOf("W-A");
    config.segments = 0;
    EXPECT_EQ(codeOf(config), ErrorCode::InvalidArgument);
    EXPECT_EQ(workloadNamed("W-Z").error().code, ErrorCode::NotFound);
}

TEST(DeviceProfileTest, ReadsFiguresWithTheirOrigin) {
    const auto profile = parseDeviceProfile(R"({"name": "T", "figures": {
        "alpha_ms": {"value": 10, "unit": "ms", "origin": "made up", "kind": "assumed"},
        "beta_ms": {"value": 2.5, "unit": "ms", "origin": "a paper", "kind": "published"}}})");

    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->service(3), Duration(milliseconds(20))) << "padded to four";
    ASSERT_EQ(profile->figures.size(), 2U);
    EXPECT_TRUE(profile->figures[0].isAssumed);
    EXPECT_FALSE(profile->figures[1].isAssumed);
}

TEST(DeviceProfileTest, RefusesWhatIsBroken) {
    const auto codeOf = [](const std::string& json) {
        const auto profile = parseDeviceProfile(json);
        return profile ? ErrorCode{} : profile.error().code;
    };
    const std::string alpha = R"("alpha_ms": {"value": 1, "origin": "x"})";
    EXPECT_EQ(codeOf("nonsense"), ErrorCode::Corruption);
    EXPECT_EQ(codeOf("[]"), ErrorCode::Corruption);
    EXPECT_EQ(codeOf("{}"), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(R"({"name": "T", "figures": {)" + alpha + "}}"), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(R"({"name": "T", "figures": {)" + alpha +
                     R"(, "beta_ms": {"value": 0, "origin": "x"}}})"),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(R"({"name": "T", "figures": {)" + alpha + R"(, "beta_ms": {"value": 1}}})"),
              ErrorCode::InvalidArgument)
        << "no origin";
}

}  // namespace
}  // namespace bifocal::schedule
