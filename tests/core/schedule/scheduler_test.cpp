// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler.h"

#include "tests/core/schedule/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace bifocal::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Log = std::vector<std::string>;

constexpr WorkerConfig kInteractiveOnly{Urgency::Interactive, Urgency::Interactive, 0};
constexpr WorkerConfig kBatchOnly{Urgency::Batch, Urgency::Batch, 0};

TaskSpec specOf(Urgency urgency, std::uint64_t request = 1, std::uint32_t lane = 0) {
    TaskSpec spec;
    spec.stage = "stage";
    spec.lane = LaneId{lane};
    spec.urgency = urgency;
    spec.request = RequestId{request};
    return spec;
}

class SchedulerTest : public ::testing::Test {
protected:
    void start(std::vector<WorkerConfig> workers,
               std::unique_ptr<Policy> policy = makeDeadlinePolicy(),
               std::uint32_t readyCap = 4096) {
        start(SchedulerConfig{{{"lane", std::move(workers), readyCap}}, 1000, 0},
              std::move(policy));
    }
    void start(SchedulerConfig config, std::unique_ptr<Policy> policy = makeDeadlinePolicy()) {
        scheduler_ = makeScheduler(config, std::move(policy), clock_, tracer_);
    }
    /// Keeps a worker that serves `urgency` busy until gate_ opens.
    void closeGate(Urgency urgency = Urgency::Interactive, std::uint32_t lane = 0) {
        ASSERT_TRUE(scheduler_->enqueue(specOf(urgency, 999, lane), gate_.work()));
        gate_.waitUntilEntered();
    }
    TaskId add(const std::string& name, const TaskSpec& spec) {
        const auto id = scheduler_->enqueue(spec, makeLogged(log_, name));
        EXPECT_TRUE(id) << name;
        return id ? *id : TaskId{};
    }
    ErrorCode codeOf(const TaskSpec& spec) {
        const auto id = scheduler_->enqueue(spec, makeLogged(log_, "refused"));
        return id ? ErrorCode{} : id.error().code;
    }

    ManualClock clock_;
    SpanLog tracer_;
    EventLog log_;
    Gate gate_;
    std::unique_ptr<Scheduler> scheduler_;  // last: stops before what its work uses
};

TEST_F(SchedulerTest, ServesClassesInOrderAndArrivalsInOrderInsideAClass) {
    start({kAnyClass});
    closeGate();
    add("b1", specOf(Urgency::Batch));
    add("p1", specOf(Urgency::Prefetch));
    add("i1", specOf(Urgency::Interactive));
    add("b2", specOf(Urgency::Batch));
    add("i2", specOf(Urgency::Interactive));
    add("p2", specOf(Urgency::Prefetch));

    gate_.open();

    EXPECT_THAT(log_.waitFor(6), ElementsAre("i1", "i2", "p1", "p2", "b1", "b2"));
}

TEST_F(SchedulerTest, FollowsThePolicyInsideAClass) {
    start({kAnyClass}, makeSeedDecayPolicy(clock_.now()));
    closeGate();
    TaskSpec text = specOf(Urgency::Batch);
    text.features.hasText = true;
    TaskSpec image = specOf(Urgency::Batch);
    image.features.hasImage = true;
    add("old text", text);
    add("old image", image);
    clock_.advance(std::chrono::seconds(1));
    add("new text", text);
    add("new image", image);

    gate_.open();

    EXPECT_THAT(log_.waitFor(4), ElementsAre("new image", "old image", "new text", "old text"));
}

TEST_F(SchedulerTest, AnEarlierDeadlineComesFirst) {
    start({kAnyClass});
    closeGate();
    add("plain", specOf(Urgency::Interactive));
    TaskSpec soon = specOf(Urgency::Interactive);
    soon.deadline = clock_.now() + std::chrono::milliseconds(1);
    add("soon", soon);

    gate_.open();

    EXPECT_THAT(log_.waitFor(2), ElementsAre("soon", "plain"));
}

TEST_F(SchedulerTest, AWorkerServesItsClassesOnly) {
    start({kInteractiveOnly, kBatchOnly});
    closeGate(Urgency::Interactive);
    add("i1", specOf(Urgency::Interactive));
    add("b1", specOf(Urgency::Batch));
    EXPECT_THAT(log_.waitFor(1), ElementsAre("b1"));

    gate_.open();

    EXPECT_THAT(log_.waitFor(2), ElementsAre("b1", "i1"));
}

TEST_F(SchedulerTest, RefusesWhatItCannotServeAndCallsNothing) {
    start({kInteractiveOnly}, makeDeadlinePolicy(), 2);
    closeGate();
    TaskSpec stopped = specOf(Urgency::Interactive);
    std::stop_source source;
    source.request_stop();
    stopped.stop = source.get_token();
    TaskSpec huge = specOf(Urgency::Interactive);
    huge.bytes = 1001;

    EXPECT_EQ(codeOf(specOf(Urgency::Interactive, 1, 1)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(specOf(Urgency::Batch)), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(stopped), ErrorCode::Cancelled);
    EXPECT_EQ(codeOf(huge), ErrorCode::ResourceExhausted);
    add("1", specOf(Urgency::Interactive));
    add("2", specOf(Urgency::Interactive));
    const auto busy =
        scheduler_->enqueue(specOf(Urgency::Interactive), makeLogged(log_, "refused"));
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().code, ErrorCode::Busy);
    EXPECT_GE(busy.error().retryAfter.count(), 1);
    gate_.open();
    log_.waitFor(2);
    add("3", specOf(Urgency::Interactive));

    EXPECT_THAT(log_.waitFor(3), ElementsAre("1", "2", "3"));
}

TEST_F(SchedulerTest, CancelRemovesAQueuedTaskBeforeItReturns) {
    start({kAnyClass});
    closeGate();
    const TaskId first = add("first", specOf(Urgency::Interactive));
    add("second", specOf(Urgency::Interactive));

    EXPECT_TRUE(scheduler_->cancel(first));
    EXPECT_THAT(log_.now(), ElementsAre("first cancelled"));
    EXPECT_FALSE(scheduler_->cancel(first));
    gate_.open();

    EXPECT_THAT(log_.waitFor(2), ElementsAre("first cancelled", "second"));
}

TEST_F(SchedulerTest, CancelDoesNotTouchWhatRunsOrIsOverOrNeverWas) {
    start({kAnyClass});
    const auto running = scheduler_->enqueue(specOf(Urgency::Interactive), gate_.work());
    gate_.waitUntilEntered();

    EXPECT_FALSE(scheduler_->cancel(*running));
    EXPECT_FALSE(scheduler_->cancel(TaskId{}));
    EXPECT_FALSE(scheduler_->cancel(TaskId{UINT64_MAX}));
    gate_.open();
    add("next in its slot", specOf(Urgency::Interactive));

    EXPECT_FALSE(scheduler_->cancel(*running));
    EXPECT_THAT(log_.waitFor(1), ElementsAre("next in its slot"));
}

TEST_F(SchedulerTest, CancelRequestRemovesItsTasksFromEveryLaneAndClass) {
    start(SchedulerConfig{{{"one", {kAnyClass}}, {"two", {kAnyClass}}}, 1000, 0});
    Gate other;
    closeGate();
    ASSERT_TRUE(scheduler_->enqueue(specOf(Urgency::Batch, 999, 1), other.work()));
    other.waitUntilEntered();
    add("a", specOf(Urgency::Interactive, 7, 0));
    add("b", specOf(Urgency::Batch, 7, 0));
    add("c", specOf(Urgency::Prefetch, 7, 1));
    add("kept", specOf(Urgency::Batch, 8, 1));
    add("same bucket", specOf(Urgency::Batch, 7 + 256, 0));
    add("no request", specOf(Urgency::Batch, 0, 0));

    EXPECT_EQ(scheduler_->cancelRequest(RequestId{7}), 3U);
    EXPECT_THAT(log_.now(), UnorderedElementsAre("a cancelled", "b cancelled", "c cancelled"));
    EXPECT_EQ(scheduler_->cancelRequest(RequestId{7}), 0U);
    EXPECT_EQ(scheduler_->cancelRequest(RequestId{}), 0U);
    gate_.open();
    other.open();

    const Log events = log_.waitFor(6);
    EXPECT_THAT(Log(events.begin() + 3, events.end()),
                UnorderedElementsAre("kept", "same bucket", "no request"));
}

TEST_F(SchedulerTest, AStoppedTaskIsAbandonedWhenItsTurnComes) {
    start({kAnyClass});
    closeGate();
    std::stop_source source;
    TaskSpec spec = specOf(Urgency::Interactive);
    spec.stop = source.get_token();
    add("stopped", spec);
    add("other", specOf(Urgency::Interactive));

    source.request_stop();
    gate_.open();

    EXPECT_THAT(log_.waitFor(2), ElementsAre("stopped cancelled", "other"));
}

TEST_F(SchedulerTest, WorkMayEnqueueAndCancelFromItsCallbacks) {
    start({kAnyClass});
    closeGate();
    const TaskId parent = *scheduler_->enqueue(
        specOf(Urgency::Interactive),
        makeWork([](const WorkerContext&) {},
                 [&](Abandoned) { add("after abandon", specOf(Urgency::Batch)); }));
    ASSERT_TRUE(scheduler_->enqueue(specOf(Urgency::Interactive),
                                    makeWork(
                                        [&](const WorkerContext&) {
                                            scheduler_->cancel(parent);
                                            add("after run", specOf(Urgency::Interactive));
                                        },
                                        {})));
    ASSERT_TRUE(scheduler_->cancel(parent));

    gate_.open();

    EXPECT_THAT(log_.waitFor(2), ElementsAre("after run", "after abandon"));
}

TEST_F(SchedulerTest, TheDestructorAbandonsTheQueueAndWaitsForWhatRuns) {
    start({kAnyClass});
    closeGate();
    add("queued", specOf(Urgency::Batch));
    Scheduler* const dying = scheduler_.get();  // reset() forgets it before it destroys it
    ASSERT_TRUE(scheduler_->enqueue(
        specOf(Urgency::Batch),
        makeWork(
            [](const WorkerContext&) {},
            [&](Abandoned why) {
                EXPECT_EQ(why, Abandoned::Shutdown);
                const auto id = dying->enqueue(specOf(Urgency::Batch), makeLogged(log_, "refused"));
                EXPECT_FALSE(id);
                EXPECT_EQ(id.error().code, ErrorCode::Cancelled);
                log_.add("enqueue refused");
                gate_.open();  // what runs ends only now: the destructor must be waiting for it
            })));

    scheduler_.reset();

    EXPECT_THAT(log_.now(), ElementsAre("queued shutdown", "enqueue refused"));
}

TEST_F(SchedulerTest, WorkIsDestroyedAfterItRanAndBeforeTheNextRuns) {
    start({kAnyClass});
    closeGate();
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> watch = held;
    ASSERT_TRUE(
        scheduler_->enqueue(specOf(Urgency::Interactive),
                            makeWork([held = std::move(held)](const WorkerContext&) {}, {})));
    ASSERT_TRUE(scheduler_->enqueue(
        specOf(Urgency::Interactive),
        makeWork([&](const WorkerContext&) { log_.add(watch.expired() ? "gone" : "still there"); },
                 {})));

    gate_.open();

    EXPECT_THAT(log_.waitFor(1), ElementsAre("gone"));
}

TEST_F(SchedulerTest, EveryRunLeavesAQueueAndAnExecuteSpan) {
    start({kAnyClass});
    closeGate();
    TaskSpec spec = specOf(Urgency::Prefetch, 5);
    spec.stage = "decode";
    spec.itemCount = 8;
    clock_.advance(std::chrono::milliseconds(1));
    ASSERT_TRUE(scheduler_->enqueue(
        spec,
        makeWork([&](const WorkerContext&) { clock_.advance(std::chrono::milliseconds(3)); }, {})));
    clock_.advance(std::chrono::milliseconds(2));
    add("abandoned leaves none", specOf(Urgency::Batch, 6));
    scheduler_->cancelRequest(RequestId{6});
    gate_.open();
    add("end", specOf(Urgency::Batch, 7));
    log_.waitFor(2);
    scheduler_.reset();

    std::vector<Span> spans;
    for (const Span& span : tracer_.spans()) {
        EXPECT_NE(span.request, RequestId{6});
        if (span.request == RequestId{5}) {
            spans.push_back(span);
        }
    }
    ASSERT_EQ(spans.size(), 2U);
    for (const Span& span : spans) {
        EXPECT_STREQ(span.stage, "decode");
        EXPECT_STREQ(span.lane, "lane");
        EXPECT_EQ(span.urgency, Urgency::Prefetch);
        EXPECT_EQ(span.itemCount, 8U);
    }
    EXPECT_EQ(spans[0].kind, SpanKind::Queue);
    EXPECT_EQ(spans[0].end - spans[0].begin, std::chrono::milliseconds(2));
    EXPECT_EQ(spans[1].kind, SpanKind::Execute);
    EXPECT_EQ(spans[1].begin, spans[0].end);
    EXPECT_EQ(spans[1].end - spans[1].begin, std::chrono::milliseconds(3));
}

TEST_F(SchedulerTest, StatsCountPerLaneAndClass) {
    start(SchedulerConfig{{{"one", {kAnyClass}}, {"two", {kAnyClass}}}, 1000, 0}, makeFifoPolicy());
    closeGate(Urgency::Prefetch, 1);
    add("1", specOf(Urgency::Interactive, 1, 1));
    add("2", specOf(Urgency::Batch, 1, 1));
    add("3", specOf(Urgency::Batch, 2, 1));
    scheduler_->cancelRequest(RequestId{2});

    const SchedulerStats stats = scheduler_->stats();

    EXPECT_STREQ(stats.policy, "fifo");
    EXPECT_EQ(stats.memory.budgetBytes, 1000U);
    ASSERT_EQ(stats.lanes.size(), 2U);
    EXPECT_EQ(stats.lanes[0].name, "one");
    EXPECT_EQ(stats.lanes[1].ready, (std::array<std::uint32_t, 3>{1, 0, 1}));
    EXPECT_EQ(stats.lanes[1].running, (std::array<std::uint32_t, 3>{0, 1, 0}));
    EXPECT_EQ(stats.lanes[1].abandonedCount, 1U);
    EXPECT_EQ(stats.lanes[1].completedCount, 0U);
    gate_.open();
    log_.waitFor(3);
}

TEST_F(SchedulerTest, WorkKnowsItsLaneItsWorkerAndWhoElseIsBusy) {
    start(SchedulerConfig{{{"one", {kAnyClass}}, {"two", {kAnyClass}}}, 1000, 0});
    closeGate(Urgency::Interactive, 0);
    ASSERT_TRUE(scheduler_->enqueue(specOf(Urgency::Interactive, 1, 1),
                                    makeWork(
                                        [&](const WorkerContext& context) {
                                            EXPECT_EQ(context.lane, LaneId{1});
                                            EXPECT_EQ(context.worker, 0U);
                                            EXPECT_EQ(context.lanePeers, 2U);
                                            log_.add("checked");
                                        },
                                        {})));

    log_.waitFor(1);
    gate_.open();
}

TEST_F(SchedulerTest, ThreadsCarryTheLanesNameAndTheirNiceness) {
    start(SchedulerConfig{
        {{"a lane with a long name", {{Urgency::Interactive, Urgency::Batch, 3}}}}, 1000, 0});
    ASSERT_TRUE(scheduler_->enqueue(
        specOf(Urgency::Interactive),
        makeWork(
            [&](const WorkerContext&) {
                std::array<char, 16> name{};
                ::pthread_getname_np(::pthread_self(), name.data(), name.size());
                log_.add(name.data());
                log_.add(
                    std::to_string(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()))));
            },
            {})));

    // A machine that starts the tests with a nice value of its own keeps the larger one or fails
    // to lower it; raising it always works.
    const Log events = log_.waitFor(2);
    EXPECT_EQ(events[0], "a lane with a 0");
    EXPECT_EQ(events[1], "3");
}

}  // namespace
}  // namespace bifocal::schedule
