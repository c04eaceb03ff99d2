// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/lane_core.h"

#include "core/schedule/memory_ledger.h"
#include "core/schedule/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal::schedule {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

TimePoint at(int ms) {
    return TimePoint(milliseconds(ms));
}

TaskSpec specOf(Urgency urgency, std::uint64_t request) {
    TaskSpec spec;
    spec.stage = "encode";
    spec.urgency = urgency;
    spec.request = RequestId{request};
    spec.maxJoined = kMaxRunSize;
    return spec;
}

/// A lane on virtual time, with one worker that serves every class.
class LaneCoreTest : public ::testing::Test {
protected:
    void start(const BatchRule& rule = {{8, 8, 8}, {}, 0}, double share = 0) {
        core_ = std::make_unique<LaneCore>(
            LaneCoreConfig{"lane", 0, 100, 1, share, rule}, makeDeadlinePolicy(), admission_);
    }
    std::uint32_t add(const TaskSpec& spec, TimePoint now) {
        std::shared_ptr<Work> none;
        const auto enqueued = core_->enqueue(spec, none, now);
        EXPECT_TRUE(enqueued);
        return enqueued ? enqueued->slot : 0;
    }
    void addSome(int count, Urgency urgency, TimePoint now) {
        for (int i = 0; i < count; ++i) {
            add(specOf(urgency, ++lastRequest_), now);
        }
    }
    Decision next(TimePoint now) { return core_->next({}, now); }
    /// The requests of the run that begins now; none when the lane waits.
    std::vector<std::uint64_t> beginAt(TimePoint now) {
        const Decision decision = next(now);
        run_ = decision.run;
        until_ = decision.until;
        std::vector<std::uint64_t> requests;
        if (run_ != nullptr) {
            for (const QueuedTask* task : run_->tasks()) {
                requests.push_back(task->spec.request.value);
            }
        }
        return requests;
    }
    std::size_t sizeAt(TimePoint now) { return beginAt(now).size(); }
    void finishAt(TimePoint now) {
        admission_.release(run_->bytes, run_->predictedEnd);
        core_->finish(*run_, now);
    }

    MemoryLedger ledger_{100};
    Admission admission_{ledger_, 1, 0};
    std::unique_ptr<LaneCore> core_;
    schedule::Run* run_ = nullptr;
    TimePoint until_;
    std::uint64_t lastRequest_ = 0;
};

TEST_F(LaneCoreTest, S15EightOrFiftyMillisecondsAndNoStaleTimer) {
    start(BatchRule::eightOrFiftyMilliseconds());
    addSome(7, Urgency::Interactive, at(0));
    EXPECT_EQ(sizeAt(at(0)), 0U);
    EXPECT_EQ(until_, at(50));
    addSome(1, Urgency::Interactive, at(1));
    EXPECT_EQ(sizeAt(at(1)), 8U) << "full: at once";
    finishAt(at(2));

    addSome(2, Urgency::Interactive, at(45));
    EXPECT_EQ(sizeAt(at(50)), 0U) << "the first run's timer is gone with it";
    EXPECT_EQ(until_, at(95));
    EXPECT_EQ(sizeAt(at(95)), 2U);
}

TEST_F(LaneCoreTest, WhatIsLeftOfAWindowStartsItsOwn) {
    start(BatchRule::eightOrFiftyMilliseconds());
    addSome(8, Urgency::Batch, at(0));
    addSome(3, Urgency::Batch, at(10));
    EXPECT_EQ(sizeAt(at(10)), 8U);
    finishAt(at(20));

    EXPECT_EQ(sizeAt(at(20)), 0U);
    EXPECT_EQ(until_, at(60));
}

TEST_F(LaneCoreTest, OnlyTasksOfOneStageAndShapeAreJoined) {
    start();
    TaskSpec other = specOf(Urgency::Interactive, 2);
    other.shapeBucket = 1;
    TaskSpec alone = specOf(Urgency::Interactive, 4);
    alone.maxJoined = 1;
    add(specOf(Urgency::Interactive, 1), at(0));
    add(other, at(1));
    add(specOf(Urgency::Interactive, 3), at(2));
    add(alone, at(3));

    EXPECT_THAT(beginAt(at(5)), ElementsAre(1U, 3U));
    finishAt(at(6));
    EXPECT_THAT(beginAt(at(6)), ElementsAre(2U));
    finishAt(at(7));
    EXPECT_THAT(beginAt(at(7)), ElementsAre(4U));
}

TEST_F(LaneCoreTest, ARunStaysSmallEnoughForTheDeadlinesInIt) {
    start();
    for (const std::uint32_t size : kRunSizes) {
        core_->learn("encode", 0, size, milliseconds(10 * size));
    }
    for (std::uint64_t i = 1; i <= 8; ++i) {
        TaskSpec spec = specOf(Urgency::Interactive, i);
        spec.deadline = at(45);
        add(spec, at(0));
    }

    EXPECT_EQ(sizeAt(at(0)), 4U) << "eight would take 80 ms";
}

TEST_F(LaneCoreTest, WhatCannotBeInTimeIsDroppedOnlyWhenItAskedForIt) {
    start();
    for (const std::uint32_t size : kRunSizes) {
        core_->learn("encode", 0, size, milliseconds(10));
    }
    TaskSpec dropped = specOf(Urgency::Interactive, 1);
    dropped.deadline = at(9);
    dropped.onLate = OnLate::Drop;
    TaskSpec kept = dropped;
    kept.request = RequestId{2};
    kept.onLate = OnLate::Continue;
    add(dropped, at(0));
    add(kept, at(0));

    const Decision first = next(at(1));
    ASSERT_EQ(first.kind, Decision::Kind::Abandon);
    ASSERT_TRUE(first.hasDead);
    const auto dead = core_->takeDead();
    ASSERT_TRUE(dead);
    EXPECT_EQ(dead->task.spec.request.value, 1U);
    EXPECT_EQ(dead->why, Abandoned::Expired);
    EXPECT_THAT(beginAt(at(1)), ElementsAre(2U));
}

TEST_F(LaneCoreTest, ADeadMemberLeavesBeforeTheRunBegins) {
    start();
    std::stop_source stop;
    TaskSpec stopped = specOf(Urgency::Interactive, 2);
    stopped.stop = stop.get_token();
    add(specOf(Urgency::Interactive, 1), at(0));
    add(stopped, at(1));
    add(specOf(Urgency::Interactive, 3), at(2));
    stop.request_stop();

    EXPECT_THAT(beginAt(at(3)), ElementsAre(1U, 3U));
    const auto dead = core_->takeDead();
    ASSERT_TRUE(dead);
    EXPECT_EQ(dead->task.spec.request.value, 2U);
    EXPECT_EQ(dead->why, Abandoned::Cancelled);
    EXPECT_FALSE(core_->takeDead());
}

TEST_F(LaneCoreTest, AnExpiryEndsATaskThatIsStillQueued) {
    start(BatchRule::eightOrFiftyMilliseconds());
    TaskSpec spec = specOf(Urgency::Batch, 1);
    spec.expiry = at(30);
    add(spec, at(0));
    EXPECT_EQ(sizeAt(at(0)), 0U);
    EXPECT_EQ(until_, at(30));

    const Decision decision = next(at(30));

    ASSERT_EQ(decision.kind, Decision::Kind::Abandon);
    const auto dead = core_->takeDead();
    ASSERT_TRUE(dead);
    EXPECT_EQ(dead->why, Abandoned::Expired);
    EXPECT_EQ(next(at(31)).until, TimePoint::max());
}

TEST_F(LaneCoreTest, AtABoundaryBatchStepsAsideAndGoesOnBeforeNewBatch) {
    start();
    addSome(2, Urgency::Batch, at(0));
    ASSERT_EQ(sizeAt(at(0)), 2U);
    schedule::Run* batch = run_;
    EXPECT_EQ(core_->boundary(*batch, {}, at(10)).run, batch) << "nothing else to do";
    addSome(1, Urgency::Batch, at(11));
    addSome(1, Urgency::Interactive, at(12));

    const Decision aside = core_->boundary(*batch, {}, at(20));

    ASSERT_NE(aside.run, batch);
    EXPECT_EQ(aside.run->urgency, Urgency::Interactive);
    EXPECT_EQ(core_->suspensionCount(), 1U);
    core_->finish(*aside.run, at(30));
    EXPECT_EQ(next(at(30)).run, batch);
    EXPECT_EQ(core_->boundary(*batch, {}, at(40)).run, batch);
}

TEST_F(LaneCoreTest, ABoundaryWithoutRoomForTheUrgentTaskGoesOn) {
    start();
    TaskSpec large = specOf(Urgency::Batch, 1);
    large.bytes = 80;
    add(large, at(0));
    ASSERT_EQ(sizeAt(at(0)), 1U);
    TaskSpec urgent = specOf(Urgency::Interactive, 2);
    urgent.bytes = 30;
    add(urgent, at(5));

    EXPECT_EQ(core_->boundary(*run_, {}, at(10)).run, run_);
    finishAt(at(20));
    EXPECT_THAT(beginAt(at(20)), ElementsAre(2U));
}

TEST_F(LaneCoreTest, BytesOfAllMembersAreReservedAndLimitTheRun) {
    start();
    for (std::uint64_t i = 1; i <= 4; ++i) {
        TaskSpec spec = specOf(Urgency::Batch, i);
        spec.bytes = 30;
        add(spec, at(0));
    }

    EXPECT_EQ(sizeAt(at(0)), 3U);
    EXPECT_EQ(ledger_.snapshot().reservedBytes, 90U);
    finishAt(at(1));
    EXPECT_EQ(ledger_.snapshot().reservedBytes, 0U);
}

TEST_F(LaneCoreTest, RidersFillAnInteractiveRunThatTheyHardlyLengthen) {
    start({{8, 8, 8}, {}, 4});
    for (const std::uint32_t size : kRunSizes) {
        core_->learn("encode", 0, size, milliseconds(100) + milliseconds(1) * size);
    }
    addSome(1, Urgency::Interactive, at(0));
    addSome(6, Urgency::Batch, at(0));

    EXPECT_EQ(sizeAt(at(0)), 4U)
        << "four take 104 ms, eight would take more than a twentieth longer";
    EXPECT_EQ(run_->urgency, Urgency::Interactive);
    EXPECT_EQ(core_->riderCount(), 3U);
}

TEST_F(LaneCoreTest, AFullClassAnswersBusyAndLeavesTheWorkWithTheCaller) {
    start();
    addSome(100, Urgency::Batch, at(0));
    std::shared_ptr<Work> work = makeWork([](const WorkerContext&) {}, {});
    const auto refused = core_->enqueue(specOf(Urgency::Batch, 1), work, at(0));

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Busy);
    EXPECT_GT(refused.error().retryAfter.count(), 0);
    EXPECT_NE(work, nullptr);
    addSome(1, Urgency::Interactive, at(0));
}

TEST_F(LaneCoreTest, ReconfiguredItServesWhatIsQueuedByTheNewRules) {
    start();
    addSome(3, Urgency::Batch, at(0));
    addSome(2, Urgency::Interactive, at(1));
    addSome(1, Urgency::Batch, at(2));

    core_->reconfigure(makeFifoPolicy(), 0.1, {{1, 1, 2}, {}, 0});

    EXPECT_THAT(beginAt(at(3)), ElementsAre(1U, 2U));
    finishAt(at(4));
    EXPECT_THAT(beginAt(at(4)), ElementsAre(3U, 6U)) << "a run is filled from its own class";
    finishAt(at(5));
    EXPECT_THAT(beginAt(at(5)), ElementsAre(4U));
    finishAt(at(6));
    EXPECT_THAT(beginAt(at(6)), ElementsAre(5U));
    EXPECT_EQ(core_->readyCount(2), 0U);
}

TEST_F(LaneCoreTest, ReconfiguringKeepsClaimsAndSuspendedRuns) {
    start({{1, 1, 1}, {}, 0});
    addSome(1, Urgency::Batch, at(0));
    ASSERT_THAT(beginAt(at(0)), ElementsAre(1U));
    schedule::Run& batch = *run_;
    addSome(1, Urgency::Interactive, at(1));
    ASSERT_NE(core_->boundary(batch, {}, at(1)).run, &batch);
    ASSERT_TRUE(ledger_.tryReserve(80));
    TaskSpec large = specOf(Urgency::Prefetch, 7);
    large.bytes = 50;
    add(large, at(2));
    ASSERT_TRUE(core_->claimIfItMustWait(1, at(2)));

    core_->reconfigure(makeDeadlinePolicy(), 0, {{1, 1, 1}, {}, 0});

    EXPECT_TRUE(core_->hasClaim(1));
    EXPECT_EQ(next(at(3)).run, &batch) << "the claim does not fit, the suspended run goes on";
    ledger_.release(80);
    EXPECT_THAT(beginAt(at(4)), ElementsAre(7U));
    EXPECT_TRUE(run_->waitedForRoom);
}

}  // namespace
}  // namespace bifocal::schedule
