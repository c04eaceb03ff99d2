// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/allocation_counter.h"
#include "app/cli/bench/contention_bench.h"
#include "app/cli/bench/dispatch_bench.h"
#include "app/cli/bench/dispatch_peers.h"
#include "app/cli/bench/idle_bench.h"
#include "app/cli/bench/scheduler_bench.h"
#include "app/cli/bench/storm_bench.h"
#include "app/cli/bench/streaming_bench.h"

#include <gmock/gmock.h>

#include <memory>
#include <set>

namespace bifocal::cli {
namespace {

using ::testing::HasSubstr;

const BenchRow* rowOf(const BenchReport& report, const std::string& id) {
    for (const BenchRow& row : report.rows) {
        if (row.id == id) {
            return &row;
        }
    }
    return nullptr;
}

std::set<std::string> idsOf(const BenchReport& report) {
    std::set<std::string> ids;
    for (const BenchRow& row : report.rows) {
        EXPECT_TRUE(ids.insert(row.id).second) << row.id << " is there twice";
    }
    for (const LeftOut& entry : report.leftOut) {
        EXPECT_TRUE(ids.insert(entry.id).second) << entry.id << " is there twice";
        EXPECT_NE(entry.reason, "");
    }
    return ids;
}

TEST(DispatchBenchTest, HasARowForEachFigure) {
    DispatchWorkload work;
    work.taskCount = 2'000;
    work.rounds = 2;
    work.queueLength = 1'000;
    work.queueOperationCount = 10'000;
    work.recordCount = 10'000;
    BenchReport report;

    measureDispatch(work, report);
    measureReadyQueue(work, report);
    measureTracing(work, report);

    EXPECT_EQ(idsOf(report),
              (std::set<std::string>{"s1",
                                     "s1_one_worker",
                                     "s1_two_workers",
                                     "s1_over_mutex_queue",
                                     "s1_over_tbb",
                                     "s1_allocations",
                                     "s2_pop_push",
                                     "s2_erase_push",
                                     "s19",
                                     "s19_throughput_loss",
                                     "s19_percentile_error"}));
    for (const char* id : {"s1", "s2_pop_push", "s2_erase_push", "s19"}) {
        EXPECT_GT(rowOf(report, id)->value, 0) << id;
        EXPECT_TRUE(rowOf(report, id)->target) << id;
    }
    EXPECT_LE(rowOf(report, "s19_percentile_error")->value, 0.01);
    if (const BenchRow* allocations = rowOf(report, "s1_allocations")) {
        EXPECT_EQ(allocations->value, 0);
    }
}

TEST(IdleBenchTest, HasARowForEachFigure) {
    BenchReport report;

    measureWake(20, report);
    measureIdle(0.05, report);

    EXPECT_EQ(idsOf(report),
              (std::set<std::string>{"s3_p50", "s3_p99", "s4_wakeups", "s4_cpu_share"}));
    EXPECT_GT(rowOf(report, "s3_p50")->value, 0);
}

TEST(StormBenchTest, HasARowForEachFigureAndNothingIsLost) {
    BenchReport report;

    measureCancel(60, report);
    measureLeak(200, 200, report);
    measureBatcher(1, 2, report);

    EXPECT_EQ(idsOf(report),
              (std::set<std::string>{"s13",
                                     "s13_wasted",
                                     "s13_queued_p99",
                                     "s13_running_p99",
                                     "s15",
                                     "s15_real",
                                     "s17",
                                     "s17_ledger"}));
    for (const char* id : {"s13", "s13_wasted", "s15", "s17_ledger"}) {
        EXPECT_EQ(rowOf(report, id)->value, 0) << id;
    }
}

TEST(StreamingBenchTest, HasARowForEachFigureAndNothingIsLost) {
    BenchReport report;

    ASSERT_TRUE(measureStreaming({2, 4}, report));

    EXPECT_EQ(idsOf(report), (std::set<std::string>{"s16", "s16_slow_handler", "s16_lost"}));
    EXPECT_GE(rowOf(report, "s16")->value, 28);
    EXPECT_EQ(rowOf(report, "s16_lost")->value, 0);
}

TEST(SchedulerBenchTest, NamesItsParts) {
    std::set<std::string> steps;
    for (const SchedulerMeasure& part : schedulerMeasures()) {
        EXPECT_TRUE(steps.insert(part.step).second);
        EXPECT_NE(part.measure, nullptr);
    }
    EXPECT_FALSE(steps.empty());
}

TEST(AllocationCounterTest, CountsOnlyWhileItLives) {
    std::unique_ptr<int> kept;
    {
        const AllocationCounter counter;
        ASSERT_TRUE(counter.count()) << "the programs are not built with sanitizers";
        EXPECT_EQ(*counter.count(), 0U);
        kept = std::make_unique<int>(1);
        EXPECT_EQ(*counter.count(), 1U);
    }
    kept = std::make_unique<int>(2);
    EXPECT_EQ(*AllocationCounter().count(), 0U);
}

TEST(MutexQueuePoolTest, RunsInOrderAndToTheEnd) {
    std::vector<int> order;
    {
        std::mutex held;
        held.lock();
        const std::function<void()> gate = [&] { const std::lock_guard lock(held); };
        const std::function<void()> late = [&] { order.push_back(2); };
        const std::function<void()> early = [&] { order.push_back(1); };
        MutexQueuePool pool(1);
        pool.enqueue(0, gate);
        pool.enqueue(9, late);
        pool.enqueue(5, early);
        held.unlock();
    }

    EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

LoadRun runOf(double textMs, double imageMs, std::size_t count) {
    LoadRun run;
    run.samples.assign(count, {LoadKind::Text, textMs});
    run.samples.resize(2 * count, {LoadKind::Image, imageMs});
    return run;
}

TEST(ContentionBenchTest, DividesBothByAlone) {
    BenchReport report;

    addContentionRows({runOf(10, 40, 30), runOf(12, 80, 60), 80, 76}, report);

    EXPECT_DOUBLE_EQ(rowOf(report, "text_p95_ratio")->value, 1.2);
    EXPECT_TRUE(rowOf(report, "text_p95_ratio")->holds());
    EXPECT_DOUBLE_EQ(rowOf(report, "image_p95_ratio")->value, 2);
    EXPECT_FALSE(rowOf(report, "image_p95_ratio")->holds());
    EXPECT_DOUBLE_EQ(rowOf(report, "batch_share")->value, 0.95);
    EXPECT_TRUE(rowOf(report, "batch_share")->holds());
    EXPECT_TRUE(report.leftOut.empty());
}

TEST(ContentionBenchTest, LeavesOutWhatCannotBeSaid) {
    BenchReport few;
    addContentionRows({runOf(10, 40, 19), runOf(12, 80, 60), 80, 76}, few);
    LoadRun late = runOf(12, 80, 60);
    late.refusal = "the injector was late";
    BenchReport refused;
    addContentionRows({runOf(10, 40, 30), late, 0, 0}, refused);

    EXPECT_EQ(rowOf(few, "text_p95_ratio"), nullptr);
    ASSERT_EQ(few.leftOut.size(), 2U);
    EXPECT_THAT(few.leftOut[0].reason, HasSubstr("19 prompts are too few"));
    ASSERT_EQ(refused.leftOut.size(), 3U);
    EXPECT_EQ(refused.leftOut[1].reason, "the injector was late");
    EXPECT_EQ(refused.leftOut[2].id, "batch_share");
    EXPECT_TRUE(refused.rows.empty());
}

}  // namespace
}  // namespace bifocal::cli
