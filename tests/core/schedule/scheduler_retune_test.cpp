// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler.h"
#include "tests/core/schedule/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace bifocal::schedule {
namespace {

using ::testing::ElementsAre;

TaskSpec taskOf(Urgency urgency, std::uint64_t bytes = 0) {
    TaskSpec spec;
    spec.stage = "stage";
    spec.urgency = urgency;
    spec.request = RequestId{1};
    spec.bytes = bytes;
    return spec;
}

Tuning tuningTo(const char* policy) {
    Tuning tuning;
    tuning.policy.name = policy;
    return tuning;
}

class SchedulerRetuneTest : public ::testing::Test {
protected:
    void start(std::vector<WorkerConfig> workers, std::uint64_t budgetBytes = 1000) {
        scheduler_ = makeScheduler(SchedulerConfig{{{"lane", std::move(workers)}}, budgetBytes, 0},
                                   makeDeadlinePolicy(),
                                   clock_,
                                   tracer_);
    }
    void add(const std::string& name, const TaskSpec& spec) {
        EXPECT_TRUE(scheduler_->enqueue(spec, makeLogged(log_, name))) << name;
    }

    ManualClock clock_;
    SpanLog tracer_;
    EventLog log_;
    Gate gate_;
    std::unique_ptr<Scheduler> scheduler_;  // last: stops before what its work uses
};

TEST_F(SchedulerRetuneTest, WhatIsQueuedIsServedInTheNewOrder) {
    start({kAnyClass});
    ASSERT_TRUE(scheduler_->enqueue(taskOf(Urgency::Interactive), gate_.work()));
    gate_.waitUntilEntered();
    add("b1", taskOf(Urgency::Batch));
    add("p1", taskOf(Urgency::Prefetch));
    add("i1", taskOf(Urgency::Interactive));
    add("b2", taskOf(Urgency::Batch));

    ASSERT_TRUE(scheduler_->retune(tuningTo("fifo")));
    add("i2", taskOf(Urgency::Interactive));
    gate_.open();

    EXPECT_THAT(log_.waitFor(5), ElementsAre("b1", "p1", "i1", "b2", "i2"));
    EXPECT_STREQ(scheduler_->stats().policy, "fifo");
}

TEST_F(SchedulerRetuneTest, BackToTheDefaultRestoresItsOrder) {
    start({kAnyClass});
    ASSERT_TRUE(scheduler_->enqueue(taskOf(Urgency::Interactive), gate_.work()));
    gate_.waitUntilEntered();
    add("b1", taskOf(Urgency::Batch));
    add("i1", taskOf(Urgency::Interactive));
    add("i2", taskOf(Urgency::Interactive));

    ASSERT_TRUE(scheduler_->retune(tuningTo("fifo")));
    ASSERT_TRUE(scheduler_->retune(tuningTo("deadline")));
    gate_.open();

    EXPECT_THAT(log_.waitFor(3), ElementsAre("i1", "i2", "b1"));
}

TEST_F(SchedulerRetuneTest, WrongTuningChangesNothingAndSaysWhatIsWrong) {
    start({kAnyClass});
    Tuning share = tuningTo("fifo");
    share.guaranteedShare = 0.6;

    const auto unknown = scheduler_->retune(tuningTo("lottery"));
    const auto tooMuch = scheduler_->retune(share);

    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(unknown.error().message.find("lottery"), std::string::npos);
    ASSERT_FALSE(tooMuch);
    EXPECT_NE(tooMuch.error().message.find("phi"), std::string::npos);
    EXPECT_STREQ(scheduler_->stats().policy, "deadline");
}

TEST_F(SchedulerRetuneTest, AClaimOnMemoryStaysAndIsServed) {
    start({kAnyClass, kAnyClass}, 100);
    ASSERT_TRUE(scheduler_->enqueue(taskOf(Urgency::Interactive, 80), gate_.work()));
    gate_.waitUntilEntered();
    add("claimed", taskOf(Urgency::Interactive, 50));
    add("behind", taskOf(Urgency::Interactive, 50));

    ASSERT_TRUE(scheduler_->retune(tuningTo("sjf")));
    gate_.open();

    EXPECT_EQ(log_.waitFor(2).size(), 2U);
    scheduler_.reset();
    EXPECT_EQ(log_.now().size(), 2U);
}

TEST_F(SchedulerRetuneTest, SpansSayWhatWasWaitedForAndReserved) {
    start({kAnyClass, kAnyClass}, 100);
    ASSERT_TRUE(scheduler_->enqueue(taskOf(Urgency::Prefetch, 80), gate_.work()));
    gate_.waitUntilEntered();
    add("large", taskOf(Urgency::Interactive, 50));
    add("small", taskOf(Urgency::Batch));
    log_.waitFor(1);  // the worker that ran it has found before that the other does not fit
    gate_.open();
    log_.waitFor(2);
    scheduler_.reset();

    for (const Span& span : tracer_.spans()) {
        const bool isLarge = span.urgency == Urgency::Interactive;
        EXPECT_EQ(span.waitedFor, isLarge ? WaitedFor::Room : WaitedFor::Turn);
        EXPECT_EQ(span.bytes, isLarge ? 50U : span.urgency == Urgency::Prefetch ? 80U : 0U);
        EXPECT_NE(span.policyKey, 0U);
    }
    EXPECT_EQ(tracer_.spans().size(), 6U);
}

/// Producers on two threads while the policy changes all the time: each task runs exactly once.
TEST_F(SchedulerRetuneTest, NothingIsLostOrRunTwiceWhileThePolicyChanges) {
    constexpr std::size_t kTasks = 4000;
    start({kAnyClass, kAnyClass});
    std::array<std::atomic<int>, kTasks> runs{};
    std::atomic<std::size_t> done{0};
    const auto produce = [&](std::size_t from) {
        for (std::size_t i = from; i < kTasks; i += 2) {
            auto work = makeWork(
                [&runs, &done, i](const WorkerContext&) {
                    ++runs[i];
                    ++done;
                    done.notify_all();
                },
                [](Abandoned) {});
            const auto urgency = static_cast<Urgency>(1 + i % 3);
            while (!scheduler_->enqueue(taskOf(urgency), work)) {
                std::this_thread::yield();
            }
        }
    };
    std::thread first(produce, 0);
    std::thread second(produce, 1);
    const std::vector<std::string_view> names = policyNames();
    for (std::size_t i = 0; i < 200; ++i) {
        Tuning tuning;
        tuning.policy.name = names[i % names.size()];
        tuning.guaranteedShare = 0.01 * static_cast<double>(i % 50);
        if (tuning.policy.name != "static_partition") {  // a frozen clock never opens its windows
            EXPECT_TRUE(scheduler_->retune(tuning));
        }
    }
    EXPECT_TRUE(scheduler_->retune({}));
    first.join();
    second.join();
    for (std::size_t now = done; now < kTasks; now = done) {
        done.wait(now);
    }
    scheduler_.reset();

    for (std::size_t i = 0; i < kTasks; ++i) {
        EXPECT_EQ(runs[i], 1) << i;
    }
}

}  // namespace
}  // namespace bifocal::schedule
