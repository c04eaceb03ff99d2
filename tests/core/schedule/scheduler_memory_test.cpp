// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler.h"
#include "tests/core/schedule/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace bifocal::schedule {
namespace {

using ::testing::ElementsAre;

/// Two lanes of two workers over a budget of 100 bytes.
class SchedulerMemoryTest : public ::testing::Test {
protected:
    void start(std::uint32_t maxSlots = 0) {
        scheduler_ = makeScheduler(
            SchedulerConfig{
                {{"one", {kAnyClass, kAnyClass}}, {"two", {kAnyClass, kAnyClass}}}, 100, maxSlots},
            makeDeadlinePolicy(),
            clock_,
            tracer_);
    }
    static TaskSpec specOf(Urgency urgency, std::uint64_t bytes, std::uint32_t lane = 0) {
        TaskSpec spec;
        spec.stage = "stage";
        spec.lane = LaneId{lane};
        spec.request = RequestId{1};
        spec.urgency = urgency;
        spec.bytes = bytes;
        return spec;
    }
    TaskId add(const std::string& name, const TaskSpec& spec) {
        const auto id = scheduler_->enqueue(spec, makeLogged(log_, name));
        EXPECT_TRUE(id);
        return *id;
    }
    void hold(Gate& gate, const TaskSpec& spec) {
        ASSERT_TRUE(scheduler_->enqueue(spec, gate.work()));
        gate.waitUntilEntered();
    }
    /// Returns when a worker has looked at everything that was enqueued in a lane: work of the
    /// least urgent class that needs nothing is served last.
    void waitUntilLookedAt(std::uint32_t lane = 0) {
        Gate marker;
        ASSERT_TRUE(scheduler_->enqueue(specOf(Urgency::Batch, 0, lane), marker.work()));
        marker.waitUntilEntered();
        marker.open();
    }

    ManualClock clock_;
    NullTracer tracer_;
    EventLog log_;
    std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(SchedulerMemoryTest, WhatDoesNotFitWaitsWithoutBlockingMoreUrgentWork) {
    start();
    Gate gate;
    hold(gate, specOf(Urgency::Batch, 60));
    add("big", specOf(Urgency::Prefetch, 50));
    waitUntilLookedAt();
    add("urgent", specOf(Urgency::Interactive, 40));

    EXPECT_THAT(log_.waitFor(1), ElementsAre("urgent"));
    gate.open();

    EXPECT_THAT(log_.waitFor(2), ElementsAre("urgent", "big"));
}

TEST_F(SchedulerMemoryTest, ABigTaskIsNotStarvedBySmallOnesOfItsClassOnAnyLane) {
    start();
    Gate gate;
    hold(gate, specOf(Urgency::Prefetch, 60));
    add("big", specOf(Urgency::Prefetch, 90));
    waitUntilLookedAt(0);
    add("small same lane", specOf(Urgency::Prefetch, 20, 0));
    add("small other lane", specOf(Urgency::Prefetch, 20, 1));
    waitUntilLookedAt(1);
    EXPECT_TRUE(log_.now().empty()) << "small ones fit, but the big one was first";

    gate.open();

    EXPECT_EQ(log_.waitFor(3).front(), "big");
}

TEST_F(SchedulerMemoryTest, CancellingTheClaimLetsTheOthersPass) {
    start();
    Gate gate;
    hold(gate, specOf(Urgency::Prefetch, 60));
    const TaskId big = add("big", specOf(Urgency::Prefetch, 90));
    waitUntilLookedAt(0);
    add("small same lane", specOf(Urgency::Prefetch, 20, 0));
    add("small other lane", specOf(Urgency::Prefetch, 20, 1));
    waitUntilLookedAt(1);

    EXPECT_TRUE(scheduler_->cancel(big));

    EXPECT_THAT(
        log_.waitFor(3),
        ::testing::UnorderedElementsAre("big cancelled", "small same lane", "small other lane"));
    gate.open();
}

TEST_F(SchedulerMemoryTest, BytesReleasedByAnotherLaneWakeTheWaiter) {
    start();
    Gate gate;
    hold(gate, specOf(Urgency::Batch, 100, 1));
    add("waiter", specOf(Urgency::Interactive, 100, 0));

    gate.open();

    EXPECT_THAT(log_.waitFor(1), ElementsAre("waiter"));
}

TEST_F(SchedulerMemoryTest, BytesReleasedThroughTheLedgerWakeTheWaiter) {
    start();
    ASSERT_TRUE(scheduler_->ledger().tryReserve(50));
    add("waiter", specOf(Urgency::Interactive, 70));
    waitUntilLookedAt();
    EXPECT_TRUE(log_.now().empty());

    scheduler_->ledger().release(50);

    EXPECT_THAT(log_.waitFor(1), ElementsAre("waiter"));
}

TEST_F(SchedulerMemoryTest, WeightsThatGoWakeTheWaiter) {
    start();
    const auto waiter = specOf(Urgency::Interactive, 70);
    add("before", waiter);
    log_.waitFor(1);
    Gate gate;
    hold(gate, specOf(Urgency::Batch, 60));
    add("waiter", waiter);
    scheduler_->ledger().addPersistent(50);
    EXPECT_FALSE(scheduler_->enqueue(waiter, makeLogged(log_, "too much")));
    gate.open();
    waitUntilLookedAt();
    EXPECT_THAT(log_.now(), ElementsAre("before"));

    scheduler_->ledger().removePersistent(50);

    EXPECT_THAT(log_.waitFor(2), ElementsAre("before", "waiter"));
}

TEST_F(SchedulerMemoryTest, ReservationsNeverExceedTheBudgetAndEndAtZero) {
    start();
    for (int i = 0; i < 500; ++i) {
        const auto urgency = static_cast<Urgency>(i % 3 + 1);
        ASSERT_TRUE(scheduler_->enqueue(
            specOf(urgency, static_cast<std::uint64_t>(i * 37 % 101), i % 2),
            makeWork(
                [this](const WorkerContext&) {
                    const MemoryLedger::Snapshot memory = scheduler_->ledger().snapshot();
                    log_.add(memory.reservedBytes <= memory.budgetBytes ? "within" : "over");
                },
                {})));
    }

    for (const std::string& event : log_.waitFor(500)) {
        EXPECT_EQ(event, "within");
    }
    // This one fits an empty ledger alone: that it runs shows that everything was given back.
    add("all of it", specOf(Urgency::Batch, 100));
    log_.waitFor(501);
    EXPECT_EQ(scheduler_->ledger().snapshot().peakReservedBytes, 100U);
}

TEST_F(SchedulerMemoryTest, NoMoreThanMaxSlotsRunAtOnce) {
    start(2);
    Gate first;
    Gate second;
    hold(first, specOf(Urgency::Batch, 0, 0));
    hold(second, specOf(Urgency::Batch, 0, 1));
    add("b", specOf(Urgency::Batch, 0, 0));
    add("i", specOf(Urgency::Interactive, 0, 1));
    // Both lanes have a sleeping worker, and neither task may use it.
    EXPECT_TRUE(log_.now().empty());

    second.open();

    EXPECT_THAT(log_.waitFor(2), ElementsAre("i", "b"));
    first.open();
}

TEST_F(SchedulerMemoryTest, ShutdownAbandonsAWaiterToo) {
    start();
    Gate gate;
    hold(gate, specOf(Urgency::Batch, 60));
    add("waiter", specOf(Urgency::Interactive, 70));
    waitUntilLookedAt();
    ASSERT_TRUE(scheduler_->enqueue(
        specOf(Urgency::Batch, 60),
        makeWork([](const WorkerContext&) {}, [&gate](Abandoned) { gate.open(); })));

    scheduler_.reset();

    EXPECT_THAT(log_.now(), ElementsAre("waiter shutdown"));
}

/// The same lanes over a budget that other programs change.
class LiveBudgetTest : public SchedulerMemoryTest {
protected:
    void startBeside(std::uint64_t spare) {
        spare_ = spare;
        SchedulerConfig config{{{"one", {kAnyClass, kAnyClass}}}, 100, 0};
        config.readBudget = [this](const MemoryLedger::Snapshot&) { return spare_.load(); };
        scheduler_ = makeScheduler(config, makeDeadlinePolicy(), steady_, tracer_);
    }

    void TearDown() override { scheduler_.reset(); }  // before what it reads

    SteadyClock steady_;
    std::atomic<std::uint64_t> spare_{0};
};

TEST_F(LiveBudgetTest, WorkThatOthersLeaveNoRoomForBeginsWhenTheyHaveGivenItBack) {
    startBeside(50);
    add("small", specOf(Urgency::Prefetch, 40));
    EXPECT_THAT(log_.waitFor(1), ElementsAre("small"));
    add("big", specOf(Urgency::Prefetch, 90));
    waitUntilLookedAt();
    EXPECT_THAT(log_.now(), ElementsAre("small"));

    spare_ = 100;  // nobody tells the scheduler

    EXPECT_THAT(log_.waitFor(2), ElementsAre("small", "big"));
}

TEST_F(LiveBudgetTest, MoreThanTheFirstBudgetIsRefusedAtOnce) {
    startBeside(1000);
    const auto refused = scheduler_->enqueue(specOf(Urgency::Batch, 101), makeLogged(log_, "huge"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::ResourceExhausted);
}

TEST_F(LiveBudgetTest, ModelsThatNobodyUsesGoWhenTheBudgetShrinks) {
    startBeside(100);
    ModelSource source;
    source.key = "model";
    source.bytes = 60;
    source.load = [] { return Result<CachedModel>(std::make_shared<const int>(1)); };
    ASSERT_TRUE(scheduler_->models().acquire(source));
    EXPECT_TRUE(scheduler_->models().isResident("model"));

    spare_ = 50;
    add("work", specOf(Urgency::Interactive, 50));

    EXPECT_THAT(log_.waitFor(1), ElementsAre("work"));
    EXPECT_FALSE(scheduler_->models().isResident("model"));
    EXPECT_EQ(scheduler_->ledger().snapshot().persistentBytes, 0U);
}

TEST_F(LiveBudgetTest, ModelsAreGoneBeforeTheLedgerIs) {
    startBeside(100);
    auto alive = std::make_shared<const int>(1);
    ModelSource source;
    source.key = "model";
    source.bytes = 60;
    source.load = [&] { return Result<CachedModel>(alive); };
    ASSERT_TRUE(scheduler_->models().acquire(source));

    scheduler_.reset();

    EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(SchedulerMemoryTest, WorkWaitsForModelsThatAreInUseAndForNoOthers) {
    start();
    ModelSource source;
    source.key = "model";
    source.bytes = 60;
    source.load = [] { return Result<CachedModel>(std::make_shared<const int>(1)); };
    {
        const Result<ModelCache::Pin> pin = scheduler_->models().acquire(source);
        ASSERT_TRUE(pin);
        add("beside it", specOf(Urgency::Prefetch, 40));
        EXPECT_THAT(log_.waitFor(1), ElementsAre("beside it"));
        add("instead", specOf(Urgency::Prefetch, 50));
        waitUntilLookedAt();
        EXPECT_EQ(log_.now().size(), 1U);
    }
    EXPECT_THAT(log_.waitFor(2), ElementsAre("beside it", "instead"));
    EXPECT_FALSE(scheduler_->models().isResident("model"));
}

}  // namespace
}  // namespace bifocal::schedule
