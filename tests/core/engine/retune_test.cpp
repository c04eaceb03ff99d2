// SPDX-License-Identifier: Apache-2.0
#include "tests/core/engine/engine_fixture.h"

namespace bifocal::test {
namespace {

using RetuneTest = EngineTest;

TEST_F(RetuneTest, TheEngineServesByWhatItWasGivenAndRemembersIt) {
    schedule::Tuning tuning;
    tuning.policy.name = "round_robin";
    tuning.guaranteedShare = 0.2;
    tuning.batching = schedule::BatchRule::eightOrFiftyMilliseconds();

    ASSERT_TRUE(engine_->retune(tuning));

    EXPECT_STREQ(engine_->schedulerStats().policy, "round_robin");
    EXPECT_EQ(engine_->tuning().policy.name, "round_robin");
    EXPECT_EQ(engine_->tuning().guaranteedShare, 0.2);
    EXPECT_EQ(engine_->tuning().batching.window[0], std::chrono::milliseconds(50));
}

TEST_F(RetuneTest, WrongTuningIsRefusedAndNotRemembered) {
    schedule::Tuning tuning;
    tuning.policy.name = "lottery";

    const auto refused = engine_->retune(tuning);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(engine_->tuning().policy.name, "deadline");
}

}  // namespace
}  // namespace bifocal::test
