// SPDX-License-Identifier: Apache-2.0
#include "core/engine/policy_lab.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bifocal {
namespace {

TEST(PolicyLabTest, ComparesPresetsOnOneWorkload) {
    const auto outcomes = runLab({"R-T4", "W-A", {"deadline", "fifo"}}, {});

    ASSERT_TRUE(outcomes) << outcomes.error().message;
    ASSERT_EQ(outcomes->size(), 2U);
    const schedule::SimulationResult& ours = outcomes->at(0).result;
    const schedule::SimulationResult& fifo = outcomes->at(1).result;
    EXPECT_LT(ours.prompts.p99Ms, fifo.prompts.p99Ms);
    EXPECT_EQ(ours.promptMs.size(), ours.prompts.count);
    EXPECT_TRUE(std::is_sorted(ours.promptMs.begin(), ours.promptMs.end()));
}

TEST(PolicyLabTest, NamesWhatThereIsNot) {
    for (const LabSetup& setup : {LabSetup{"T1000", "W-A", {"fifo"}},
                                  LabSetup{"T4", "W-Z", {"fifo"}},
                                  LabSetup{"T4", "W-A", {"lottery"}}}) {
        const auto outcomes = runLab(setup, {});

        ASSERT_FALSE(outcomes);
        EXPECT_EQ(outcomes.error().code, ErrorCode::NotFound);
    }
}

TEST(PolicyLabTest, StopsWhenAsked) {
    std::stop_source stop;
    stop.request_stop();

    const auto outcomes = runLab({"R-T4", "W-A", {"fifo"}}, stop.get_token());

    ASSERT_FALSE(outcomes);
    EXPECT_EQ(outcomes.error().code, ErrorCode::Cancelled);
}

TEST(PolicyLabTest, ReferenceFiguresAreThoseThatTheModelIsFittedTo) {
    const auto figures = referenceFigures();

    ASSERT_TRUE(figures);
    EXPECT_NEAR(figures->perSecondOfEight, 82, 1);
    EXPECT_NEAR(figures->perSecondOfSixteen, 121, 1);
    EXPECT_GT(figures->busyShare, 0.7);
    EXPECT_LT(figures->textMs, figures->fusedMs);
}

}  // namespace
}  // namespace bifocal
