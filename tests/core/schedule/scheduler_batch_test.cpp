// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler.h"
#include "tests/core/schedule/recording.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <latch>
#include <memory>

namespace bifocal::schedule {
namespace {

TEST(SchedulerBatchTest, S15EachCallerOfAJoinedRunGetsItsOwnAnswerAndSoDoTheLeftOver) {
    constexpr std::size_t kCallerCount = 10;  // eight that fill a run, and two that wait
    const SteadyClock clock;
    NullTracer tracer;
    std::array<std::size_t, kCallerCount> answers{};
    std::latch over(kCallerCount);
    const auto scheduler = makeScheduler(
        SchedulerConfig{
            {{"lane", {kAnyClass}, 100, BatchRule::eightOrFiftyMilliseconds()}}, 1000, 0},
        makeFifoPolicy(),
        clock,
        tracer);
    TaskSpec spec;
    spec.stage = "double";
    spec.maxJoined = kMaxRunSize;
    for (std::size_t caller = 0; caller < kCallerCount; ++caller) {
        ASSERT_TRUE(scheduler->enqueue(spec,
                                       makeWork(
                                           [&, caller](const WorkerContext&) {
                                               answers[caller] += 2 * caller + 1;
                                               over.count_down();
                                           },
                                           {})));
    }
    over.wait();

    for (std::size_t caller = 0; caller < kCallerCount; ++caller) {
        EXPECT_EQ(answers[caller], 2 * caller + 1);
    }
}

}  // namespace
}  // namespace bifocal::schedule
