// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler.h"
#include "tests/core/schedule/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <semaphore>
#include <span>
#include <stop_token>

namespace bifocal::schedule {
namespace {

/// Has always more to do; writes "segment" for each one.
class EndlessWork final : public Work {
public:
    explicit EndlessWork(EventLog& log) : log_(log) {}
    bool runSegment(std::span<const std::shared_ptr<Work>> /*members*/,
                    const WorkerContext& /*worker*/) override {
        log_.add("segment");
        goOn.acquire();
        return true;
    }
    void run(const WorkerContext& /*worker*/) override { log_.add("run"); }
    void abandon(Abandoned /*why*/) override { log_.add("abandoned"); }

    std::counting_semaphore<> goOn{0};

private:
    EventLog& log_;
};

TEST(SchedulerCancelTest, WhatIsStoppedWhileItIsSuspendedGetsNoFurtherSegment) {
    const SteadyClock clock;
    NullTracer tracer;
    EventLog log;
    const auto work = std::make_shared<EndlessWork>(log);
    std::stop_source stop;
    const auto scheduler = makeScheduler(
        SchedulerConfig{{{"lane", {kAnyClass}}}, 1000, 0}, makeDeadlinePolicy(), clock, tracer);
    TaskSpec batch;
    batch.stage = "batch";
    batch.urgency = Urgency::Batch;
    batch.stop = stop.get_token();
    ASSERT_TRUE(scheduler->enqueue(batch, work));
    log.waitFor(1);
    Gate urgent;
    TaskSpec spec;
    spec.stage = "urgent";
    ASSERT_TRUE(scheduler->enqueue(spec, urgent.work()));
    work->goOn.release();
    urgent.waitUntilEntered();  // the batch work has stepped aside

    stop.request_stop();
    work->goOn.release(100);
    urgent.open();

    EXPECT_THAT(log.waitFor(2), ::testing::ElementsAre("segment", "abandoned"));
}

}  // namespace
}  // namespace bifocal::schedule
