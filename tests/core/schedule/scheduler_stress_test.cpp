// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profiler.h"
#include "core/schedule/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <vector>

namespace bifocal::schedule {
namespace {

constexpr std::size_t kClientCount = 4;
constexpr std::size_t kTasksPerClient = 5000;
constexpr std::size_t kTaskCount = kClientCount * kTasksPerClient;
constexpr std::uint64_t kBudget = 1000;

/// Counts how it ended, for every task of its own. It runs in segments, with those that were joined
/// to it.
class CountedWork final : public Work {
public:
    CountedWork(std::atomic<int>& run,
                std::atomic<int>& abandoned,
                std::latch& over,
                std::uint32_t segmentCount)
        : run_(run), abandoned_(abandoned), over_(over), segmentsLeft_(segmentCount) {}

    bool runSegment(std::span<const std::shared_ptr<Work>> members,
                    const WorkerContext& worker) override {
        return --segmentsLeft_ > 0 || Work::runSegment(members, worker);
    }

    void run(const WorkerContext& /*worker*/) override {
        run_.fetch_add(1);
        over_.count_down();
    }
    void abandon(Abandoned /*why*/) override {
        abandoned_.fetch_add(1);
        over_.count_down();
    }

private:
    std::atomic<int>& run_;
    std::atomic<int>& abandoned_;
    std::latch& over_;
    std::uint32_t segmentsLeft_;
};

struct Outcome {
    std::atomic<int> run{0};
    std::atomic<int> abandoned{0};
    std::atomic<bool> isAccepted{false};
};

class SchedulerStressTest : public ::testing::TestWithParam<std::uint32_t> {
protected:
    static SchedulerConfig config(std::uint32_t maxSlots) {
        const WorkerConfig any{Urgency::Interactive, Urgency::Batch, 0};
        const WorkerConfig interactive{Urgency::Interactive, Urgency::Interactive, 0};
        const WorkerConfig background{Urgency::Prefetch, Urgency::Batch, 19};
        BatchRule joining{{8, 8, 16}, {}, 2};
        joining.window[2] = std::chrono::microseconds(200);
        return {{{"text", {any}, 300, joining},
                 {"image", {interactive, background, background}, 300, joining}},
                kBudget,
                maxSlots};
    }
    /// One client: enqueues its tasks, cancels at random by id, by request and by stop token.
    void runClient(Scheduler& scheduler, std::size_t client) {
        std::mt19937 random(static_cast<unsigned>(client));
        std::vector<TaskId> ids;
        std::vector<std::stop_source> sources(16);
        for (std::size_t i = 0; i < kTasksPerClient; ++i) {
            const std::size_t index = client * kTasksPerClient + i;
            TaskSpec spec;
            spec.stage = "stress";
            spec.request = RequestId{1 + index / 8};
            spec.lane = LaneId{static_cast<std::uint32_t>(random() % 2)};
            spec.urgency = static_cast<Urgency>(random() % 3 + 1);
            spec.bytes = random() % 4 == 0 ? random() % (kBudget + 1) : random() % 100;
            spec.shapeBucket = random() % 2;
            spec.maxJoined = random() % 2 == 0 ? 8 : 1;
            if (random() % 16 == 0) {
                spec.expiry = SteadyClock().now() + std::chrono::microseconds(random() % 1000);
            } else if (random() % 16 == 0) {
                spec.deadline = SteadyClock().now() + std::chrono::microseconds(random() % 1000);
                spec.onLate = OnLate::Drop;
            }
            const std::size_t source = random() % sources.size();
            if (sources[source].stop_requested()) {
                sources[source] = std::stop_source();
            }
            spec.stop = sources[source].get_token();
            enqueueOne(scheduler, spec, index, ids);
            const std::uint32_t dice = random() % 16;
            if (dice == 0 && !ids.empty()) {
                scheduler.cancel(ids[random() % ids.size()]);
            } else if (dice == 1) {
                scheduler.cancelRequest(spec.request);
            } else if (dice == 2) {
                sources[random() % sources.size()].request_stop();
            } else if (dice == 3) {
                EXPECT_EQ(scheduler.stats().lanes.size(), 2U);
            }
        }
    }
    void enqueueOne(Scheduler& scheduler,
                    const TaskSpec& spec,
                    std::size_t index,
                    std::vector<TaskId>& ids) {
        Outcome& outcome = outcomes_[index];
        const auto id = scheduler.enqueue(
            spec,
            std::make_shared<CountedWork>(
                outcome.run, outcome.abandoned, over_, static_cast<std::uint32_t>(1 + index % 4)));
        if (id) {
            outcome.isAccepted = true;
            ids.push_back(*id);
        } else {
            EXPECT_TRUE(id.error().code == ErrorCode::Busy) << id.error().message;
            over_.count_down();
        }
    }

    std::vector<Outcome> outcomes_{kTaskCount};
    std::latch over_{kTaskCount};
};

TEST_P(SchedulerStressTest, ExactlyOneEndForEveryAcceptedTaskAndAnEmptyLedgerAfterAll) {
    const SteadyClock clock;
    profile::Profiler tracer(clock, {.spanCapacity = 1024, .requestCapacity = 16});
    auto scheduler = makeScheduler(config(GetParam()), makeDeadlinePolicy(), clock, tracer);
    std::vector<std::thread> clients;
    for (std::size_t client = 0; client < kClientCount; ++client) {
        clients.emplace_back([&, client] { runClient(*scheduler, client); });
    }
    for (std::thread& client : clients) {
        client.join();
    }
    over_.wait();
    // Needs the whole budget: that it runs shows that everything was given back.
    std::latch last(1);
    TaskSpec whole;
    whole.bytes = kBudget;
    whole.stage = "whole";
    ASSERT_TRUE(scheduler->enqueue(
        whole, makeWork([&last](const WorkerContext&) { last.count_down(); }, {})));
    last.wait();
    const SchedulerStats stats = scheduler->stats();
    scheduler.reset();

    std::uint64_t runCount = 0;
    std::uint64_t abandonedCount = 0;
    for (const Outcome& outcome : outcomes_) {
        EXPECT_EQ(outcome.run + outcome.abandoned, outcome.isAccepted ? 1 : 0);
        runCount += static_cast<std::uint64_t>(outcome.run);
        abandonedCount += static_cast<std::uint64_t>(outcome.abandoned);
    }
    EXPECT_LE(stats.memory.peakReservedBytes, kBudget);
    EXPECT_EQ(stats.lanes[0].abandonedCount + stats.lanes[1].abandonedCount, abandonedCount);
    for (const LaneStats& lane : stats.lanes) {
        EXPECT_EQ(lane.ready, (std::array<std::uint32_t, 3>{0, 0, 0})) << lane.name;
    }
    EXPECT_GT(runCount, 0U);
    EXPECT_GT(abandonedCount, 0U);
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
