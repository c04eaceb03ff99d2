// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profiler.h"
#include "core/schedule/scheduler.h"
#include "tests/core/schedule/storm_checks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

namespace bifocal::schedule {
namespace {

constexpr std::uint64_t kBudget = 1000;

class SchedulerStressTest : public ::testing::TestWithParam<std::uint32_t> {};

/// S13, in short; the long one is in scheduler_storm_slow_test.cpp.
TEST_P(SchedulerStressTest, WhateverARequestIsDoingWhenItIsCancelledEachOfItsTasksEndsOnce) {
    const SteadyClock clock;
    profile::Profiler tracer(clock, {.spanCapacity = 1024, .requestCapacity = 16});
    StormOptions options;
    options.maxSlots = GetParam();

    RequestStorm storm(options, clock, tracer);
    storm.send(5'000);

    expectSound(storm.report(), options, 5'000);
}

INSTANTIATE_TEST_SUITE_P(Slots,
                         SchedulerStressTest,
                         ::testing::Values(0U, 2U),
                         [](const auto& param) {
                             return param.param == 0 ? "Unlimited" : "AtMostTwo";
                         });

/// Shutdown while clients still enqueue: nobody is forgotten.
TEST(SchedulerShutdownTest, EveryAcceptedTaskEndsWhenTheSchedulerIsDestroyedAtAnyMoment) {
    const SteadyClock clock;
    NullTracer tracer;
    for (unsigned round = 0; round < 100; ++round) {
        std::atomic<int> acceptedCount{0};
        std::atomic<int> endedCount{0};
        {
            const WorkerConfig any{Urgency::Interactive, Urgency::Batch, 0};
            auto scheduler = makeScheduler(SchedulerConfig{{{"lane", {any, any}}}, kBudget, 0},
                                           makeFifoPolicy(),
                                           clock,
                                           tracer);
            // Work that enqueues more work, until the scheduler refuses.
            struct Chain {
                Scheduler& scheduler;
                std::atomic<int>& acceptedCount;
                std::atomic<int>& endedCount;

                void add(int depth) {
                    acceptedCount.fetch_add(1);
                    TaskSpec spec;
                    spec.bytes = static_cast<std::uint64_t>(depth % 7) * 100;
                    if (!scheduler.enqueue(spec,
                                           makeWork(
                                               [this, depth](const WorkerContext&) {
                                                   endedCount.fetch_add(1);
                                                   add(depth + 1);
                                               },
                                               [this](Abandoned) { endedCount.fetch_add(1); }))) {
                        acceptedCount.fetch_sub(1);
                    }
                }
            };
            Chain chain{*scheduler, acceptedCount, endedCount};
            for (int i = 0; i < 20; ++i) {
                chain.add(i);
            }
            while (endedCount.load() < static_cast<int>(round)) {
                std::this_thread::yield();
            }
            scheduler.reset();
        }
        ASSERT_EQ(acceptedCount.load(), endedCount.load()) << "round " << round;
    }
}

}  // namespace
}  // namespace bifocal::schedule
