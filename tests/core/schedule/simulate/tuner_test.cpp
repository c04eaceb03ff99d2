// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/tuner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace bifocal::schedule {
namespace {

using std::chrono::seconds;

TunerOptions quickOptions() {
    TunerOptions options;
    options.config.device = *profileNamed("R-T4");
    options.config.workload = *workloadNamed("W-A");
    options.config.workload.length = seconds(60);
    options.generations = 2;
    options.candidates = 8;
    options.trainingRuns = 2;
    options.heldOutRuns = 8;
    return options;
}

TEST(TunerTest, MendsABadSettingAndShowsItOnArrivalsItNeverSaw) {
    TunerOptions options = quickOptions();
    options.config.segments = 1;
    options.config.batching.maxSize[2] = 1;

    const Result<TunerResult> result = tune(options);

    ASSERT_TRUE(result);
    EXPECT_LT(result->trainingAfter, result->trainingBefore);
    EXPECT_LT(result->heldOutAfter, result->heldOutBefore);
    EXPECT_LT(result->differenceHigh, 0);
    EXPECT_TRUE(result->wins);
    EXPECT_EQ(result->parameters.front().name, "phi");
}

TEST(TunerTest, DoesNotOfferWhatIsNotBetter) {
    TunerOptions options = quickOptions();
    options.generations = 1;
    options.candidates = 4;
    options.config.workload.source = BatchSource::None;  // nothing to gain: prompts alone
    options.config.workload.promptsPerSecond = 0.01;
    options.config.workload.length = seconds(2000);

    const Result<TunerResult> result = tune(options);

    ASSERT_TRUE(result);
    EXPECT_FALSE(result->wins);
    EXPECT_GE(result->differenceHigh, 0);
}

TEST(TunerTest, TheSameSeedFindsTheSame) {
    TunerOptions options = quickOptions();
    options.generations = 1;
    options.candidates = 4;
    const Result<TunerResult> first = tune(options);
    const Result<TunerResult> second = tune(options);

    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->trainingAfter, second->trainingAfter);
    EXPECT_EQ(first->differenceLow, second->differenceLow);
}

TEST(TunerTest, ARecordingIsJudgedOnItsSecondHalf) {
    TunerOptions options = quickOptions();
    options.generations = 1;
    options.candidates = 4;
    for (int i = 0; i < 60; ++i) {
        // The second half has prompts of its own: none of the first must count there.
        options.config.workload.recorded.push_back({seconds(i), true, i % 2 == 0});
    }

    const Result<TunerResult> result = tune(options);

    ASSERT_TRUE(result);
    EXPECT_GT(result->heldOutBefore, 0);
}

TEST(TunerTest, StopsWhenAskedAndRefusesWhatCannotBe) {
    TunerOptions options = quickOptions();
    options.isStopped = [] { return true; };
    EXPECT_EQ(tune(options).error().code, ErrorCode::Cancelled);
    options = quickOptions();
    options.heldOutRuns = 0;
    EXPECT_EQ(tune(options).error().code, ErrorCode::InvalidArgument);
    options = quickOptions();
    options.config.policy.name = "best";
    EXPECT_EQ(tune(options).error().code, ErrorCode::InvalidArgument);
}

TEST(BuiltInProfilesTest, AllCanBeReadAndSayWhereTheirFiguresAreFrom) {
    ASSERT_EQ(builtInProfiles().size(), 8U);
    for (const DeviceProfile& profile : builtInProfiles()) {
        EXPECT_GT(profile.service(8), profile.service(1)) << profile.name;
        EXPECT_GT(profile.watts, 0) << profile.name;
        for (const ProfileFigure& figure : profile.figures) {
            EXPECT_FALSE(figure.origin.empty()) << profile.name << ' ' << figure.name;
        }
    }
    EXPECT_EQ(profileNamed("T5").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace bifocal::schedule
