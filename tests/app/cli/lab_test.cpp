// SPDX-License-Identifier: Apache-2.0
#include "app/cli/lab/claims.h"
#include "app/cli/lab/lab_options.h"
#include "app/cli/lab/lab_runs.h"
#include "app/cli/lab/placement_runs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

using ::testing::HasSubstr;

Result<schedule::DeviceProfile> fakeMeter() {
    schedule::DeviceProfile device;
    device.name = kMeasuredDevice;
    device.betaMs = 7;
    return device;
}

Result<LabOptions> parse(const std::vector<std::string>& words) {
    BIFOCAL_TRY(const Arguments arguments, Arguments::parse(words, withLabOptions({})));
    return labOptionsFrom(arguments, fakeMeter);
}

TEST(LabOptionsTest, MeasuresADeviceWhenAsked) {
    const auto options = parse({"--device", "measured"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->config.device.betaMs, 7);
}

TEST(LabOptionsTest, TakesTheDesignsWorkloadAndDeviceByDefault) {
    const auto options = parse({});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->config.workload.name, "W-A");
    EXPECT_EQ(options->config.device.name, "R-T4");
    EXPECT_EQ(options->policies, std::vector<std::string>{"deadline"});
}

TEST(LabOptionsTest, ReadsEveryOption) {
    const auto options = parse({"--workload",
                                "W-E",
                                "--policy",
                                "fifo,seed_decay",
                                "--device",
                                "T4",
                                "--seeds",
                                "3-7",
                                "--phi",
                                "0.1",
                                "--segments",
                                "6",
                                "--batcher",
                                "sm-half",
                                "--rate",
                                "9",
                                "--seconds",
                                "30",
                                "--rough",
                                "--set",
                                "seed_decay.decay.batch=0.75"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->policies, (std::vector<std::string>{"fifo", "seed_decay"}));
    EXPECT_EQ(options->firstSeed, 3U);
    EXPECT_EQ(options->lastSeed, 7U);
    EXPECT_EQ(options->config.guaranteedShare, 0.1);
    EXPECT_EQ(options->config.segments, 6U);
    EXPECT_EQ(options->config.batching.maxSize[0], 20U);
    EXPECT_EQ(options->config.workload.promptsPerSecond, 9);
    EXPECT_EQ(options->config.workload.length, std::chrono::seconds(30));
    EXPECT_GT(options->config.disturbance.sigma, 0);
    EXPECT_EQ(options->config.policy.seedDecay.decay.batch, 0.75);
}

TEST(LabOptionsTest, NamesWhatItDoesNotKnow) {
    const auto messageOf = [](const std::vector<std::string>& words) {
        const auto options = parse(words);
        return options ? std::string("accepted") : options.error().message;
    };
    EXPECT_THAT(messageOf({"--workload", "W-Z"}), HasSubstr("W-A, W-B"));
    EXPECT_THAT(messageOf({"--device", "T5"}), HasSubstr("R-T4"));
    EXPECT_THAT(messageOf({"--policy", "best"}), HasSubstr("best"));
    EXPECT_THAT(messageOf({"--policy", ""}), ::testing::Not("accepted"));
    EXPECT_THAT(messageOf({"--phi", "0.6"}), HasSubstr("--phi"));
    EXPECT_THAT(messageOf({"--rate", "0"}), HasSubstr("--rate"));
    EXPECT_THAT(messageOf({"--batcher", "big"}), HasSubstr("adaptive"));
    EXPECT_THAT(messageOf({"--device", "AlveoU50", "--batcher", "sm-half"}), HasSubstr("AlveoU50"));
    EXPECT_THAT(messageOf({"--set", "seed_decay.decay.batch"}), HasSubstr("name=number"));
    EXPECT_THAT(messageOf({"--set", "x=1"}), HasSubstr("x"));
    EXPECT_THAT(messageOf({"--workload", "absent.json"}), HasSubstr("absent.json"));
    for (const char* seeds : {"", "a", "5-1", "1-", "-3", "1-2-3", "1-99999999"}) {
        EXPECT_FALSE(parseSeeds(seeds)) << seeds;
    }
}

TEST(LabOptionsTest, ATraceBecomesItsInteractiveRequests) {
    const std::string trace = R"({"traceEvents":[]})";
    EXPECT_EQ(workloadFromTrace("t", trace).error().code, ErrorCode::NotFound);
    EXPECT_EQ(workloadFromTrace("t", "{").error().code, ErrorCode::Corruption);
}

TEST(LabRunsTest, PoliciesAreMeasuredOnTheSamePrompts) {
    auto options = parse({"--policy", "deadline,fifo", "--seconds", "60", "--seeds", "1-2"});
    ASSERT_TRUE(options);
    const auto unloaded = runUnloaded(*options);
    const auto rows = runPolicies(*options);
    ASSERT_TRUE(unloaded && rows);

    ASSERT_EQ(rows->size(), 2U);
    EXPECT_EQ(rows->at(0).over.offeredPrompts, rows->at(1).over.offeredPrompts);
    EXPECT_LT(rows->at(0).over.prompts.p99Ms, rows->at(1).over.prompts.p99Ms);
    const auto document = nlohmann::json::parse(toJson(*options, *rows, *unloaded));
    EXPECT_EQ(document["policies"][1]["policy"], "fifo");
    EXPECT_EQ(document["device_figures"][0]["kind"], "published");
    EXPECT_THAT(toTable(*options, *rows, *unloaded), HasSubstr("(prompts alone)"));
}

TEST(LabRunsTest, OursNeverOverflowsWhereSlotsDo) {
    const auto options = parse({"--workload", "W-F", "--seeds", "1-5"});
    ASSERT_TRUE(options);
    ASSERT_TRUE(options->isMemoryWorkload);
    const auto rows = runStrategies(*options);
    ASSERT_TRUE(rows);

    const auto overflowsOf = [&rows](const std::string& strategy) {
        return std::find_if(rows->begin(),
                            rows->end(),
                            [&](const StrategyRow& row) { return row.strategy == strategy; })
            ->result.overflowCount;
    };
    EXPECT_GT(overflowsOf("slots"), 0U);
    EXPECT_EQ(overflowsOf("arena"), 0U);
    EXPECT_TRUE(nlohmann::json::accept(toJson(*rows)));
}

Result<PlacementOptions> parsePlacement(const std::vector<std::string>& words) {
    BIFOCAL_TRY(const Arguments arguments,
                Arguments::parse(words,
                                 {{"--devices"},
                                  {"--rate"},
                                  {"--seconds"},
                                  {"--seeds"},
                                  {"--rough", OptionSpec::Value::None}}));
    return placementOptionsFrom(arguments, fakeMeter);
}

TEST(PlacementRunsTest, EveryWayToPlaceHasARowAndOursIsTheFirst) {
    const auto options =
        parsePlacement({"--devices", "CPU,T4", "--seconds", "30", "--seeds", "1-2"});
    ASSERT_TRUE(options);
    const auto rows = runPlacements(*options);
    ASSERT_TRUE(rows);

    std::vector<std::string> names;
    for (const PlacementRow& row : *rows) {
        names.push_back(row.strategy);
        EXPECT_EQ(row.over.offered, rows->front().over.offered) << row.strategy;
    }
    EXPECT_THAT(names,
                ::testing::ElementsAre("earliest finish", "fixed", "all on CPU", "all on T4"));
    const auto document = nlohmann::json::parse(toJson(*options, *rows));
    EXPECT_EQ(document["strategies"][3]["devices"][1]["device"], "T4");
    EXPECT_EQ(document["devices"].size(), 2U);
    EXPECT_THAT(toTable(*options, *rows), HasSubstr("all on T4"));
}

TEST(PlacementRunsTest, NamesTheOptionThatIsWrong) {
    EXPECT_THAT(parsePlacement({"--devices", "CPU,,T4"}).error().message, HasSubstr("--devices"));
    EXPECT_THAT(parsePlacement({"--devices", "T5"}).error().message, HasSubstr("R-T4"));
    EXPECT_THAT(parsePlacement({"--rate", "0"}).error().message, HasSubstr("--rate"));
    EXPECT_EQ(parsePlacement({})->config.devices.size(), 3U);
}

TEST(ClaimsTest, EveryRowOfTheSourcesThatItNamesIsThere) {
    const auto claims = checkClaims();
    ASSERT_TRUE(claims);
    for (const char* row : {"A6", "A12", "B8", "B13", "B15"}) {
        EXPECT_TRUE(std::any_of(claims->begin(), claims->end(), [row](const Claim& claim) {
            return claim.row == row;
        })) << row;
    }
    EXPECT_TRUE(nlohmann::json::accept(toJson(*claims)));
}

}  // namespace
}  // namespace bifocal::cli
