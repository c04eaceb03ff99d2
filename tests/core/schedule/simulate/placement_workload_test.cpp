// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/placement_workload.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace bifocal::schedule {
namespace {

PlacementConfig configOf(const std::vector<std::string>& devices, double promptsPerSecond) {
    PlacementConfig config;
    for (const std::string& name : devices) {
        const Result<DeviceProfile> profile = profileNamed(name);
        EXPECT_TRUE(profile) << name;
        config.devices.push_back(*profile);
    }
    config.promptsPerSecond = promptsPerSecond;
    return config;
}

PlacementResult runWith(PlacementConfig config,
                        PlacementStrategy strategy,
                        std::size_t onlyDevice = 0) {
    config.strategy = strategy;
    config.onlyDevice = onlyDevice;
    const Result<PlacementResult> result = simulatePlacement(config);
    EXPECT_TRUE(result);
    return result ? *result : PlacementResult{};
}

TEST(PlacementWorkloadTest, PredictedFinishBeatsOneDeviceAndFixedPlaces) {
    for (const double rate : {5.0, 20.0, 30.0}) {
        const PlacementConfig config = configOf({"CPU", "T4", "Ascend310"}, rate);

        const PlacementResult ours = runWith(config, PlacementStrategy::EarliestFinish);

        EXPECT_LT(ours.prompts.p95Ms, runWith(config, PlacementStrategy::Fixed).prompts.p95Ms);
        for (std::size_t device = 0; device < 3; ++device) {
            const PlacementResult one = runWith(config, PlacementStrategy::OneDevice, device);
            EXPECT_LT(ours.prompts.p50Ms, one.prompts.p50Ms) << rate << ", " << device;
            EXPECT_LT(ours.prompts.p95Ms, one.prompts.p95Ms) << rate << ", " << device;
            EXPECT_GE(ours.promptsPerSecond, one.promptsPerSecond * 0.99) << rate << ", " << device;
        }
    }
}

TEST(PlacementWorkloadTest, DevicesTogetherServeWhatNoneOfThemCould) {
    const PlacementConfig config = configOf({"CPU", "T4", "Ascend310"}, 45);

    const PlacementResult ours = runWith(config, PlacementStrategy::EarliestFinish);
    const PlacementResult onGpu = runWith(config, PlacementStrategy::OneDevice, 1);

    EXPECT_GT(ours.promptsPerSecond, 43);
    EXPECT_LT(onGpu.promptsPerSecond, 36);
    EXPECT_LT(ours.prompts.p99Ms, onGpu.prompts.p50Ms);
}

TEST(PlacementWorkloadTest, EachStageIsTriedOnceOnEachDevice) {
    const PlacementResult ours =
        runWith(configOf({"CPU", "T4", "Ascend310"}, 5), PlacementStrategy::EarliestFinish);

    EXPECT_EQ(ours.trials, 6U);
    EXPECT_EQ(ours.devices[0].pictures, 1U) << "a picture on the CPU is known to take seconds then";
    EXPECT_GT(ours.devices[0].words, ours.offered / 2);
}

TEST(PlacementWorkloadTest, OnOneDeviceThereIsNothingToChoose) {
    const PlacementConfig config = configOf({"T4"}, 10);
    const PlacementResult ours = runWith(config, PlacementStrategy::EarliestFinish);
    const PlacementResult one = runWith(config, PlacementStrategy::OneDevice);

    EXPECT_EQ(ours.prompts.p50Ms, one.prompts.p50Ms);
    EXPECT_EQ(ours.prompts.maxMs, one.prompts.maxMs);
    EXPECT_EQ(ours.devices[0].utilization, one.devices[0].utilization);
}

TEST(PlacementWorkloadTest, TheSameSeedGivesTheSameAnswerEvenOnRoughDevices) {
    PlacementConfig config = configOf({"CPU", "T4"}, 15);
    config.disturbance = Disturbance::rough(1);
    const PlacementResult first = runWith(config, PlacementStrategy::EarliestFinish);
    const PlacementResult second = runWith(config, PlacementStrategy::EarliestFinish);

    EXPECT_EQ(first.prompts.p99Ms, second.prompts.p99Ms);
    EXPECT_EQ(first.prompts.maxMs, second.prompts.maxMs);
    EXPECT_LT(first.prompts.p95Ms, runWith(config, PlacementStrategy::OneDevice, 1).prompts.p95Ms);
}

TEST(PlacementWorkloadTest, RefusesWhatCannotBe) {
    EXPECT_EQ(simulatePlacement({}).error().code, ErrorCode::InvalidArgument);
    PlacementConfig config = configOf({"T4"}, 10);
    config.strategy = PlacementStrategy::OneDevice;
    config.onlyDevice = 1;
    EXPECT_EQ(simulatePlacement(config).error().code, ErrorCode::InvalidArgument);
    config = configOf({"T4"}, 0);
    EXPECT_EQ(simulatePlacement(config).error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace bifocal::schedule
