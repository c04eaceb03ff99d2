// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <latch>
#include <memory>
#include <new>
#include <vector>

namespace {

std::atomic<std::uint64_t> allocationCount{0};

}  // namespace

// Every allocation of this program is counted. Not inlined: the compiler would see free() paired
// with a new that it does not know to be malloc().
[[gnu::noinline]] void* operator new(std::size_t size) {
    allocationCount.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size != 0 ? size : 1)) {
        return memory;
    }
    throw std::bad_alloc();
}

[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
    allocationCount.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(size != 0 ? size : 1);
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

namespace bifocal::schedule {
namespace {

/// Counts a latch down when it is run.
class LatchWork final : public Work {
public:
    explicit LatchWork(std::latch& latch) : latch_(latch) {}
    void run(const WorkerContext& /*worker*/) override { latch_.count_down(); }
    void abandon(Abandoned /*why*/) override { latch_.count_down(); }

private:
    std::latch& latch_;
};

/// Waits for a latch, then counts another down, before which neither may end.
class GateWork final : public Work {
public:
    GateWork(std::latch& start, std::latch& over) : start_(start), over_(over) {}
    void run(const WorkerContext& /*worker*/) override {
        start_.wait();
        over_.count_down();
    }
    void abandon(Abandoned /*why*/) override { over_.count_down(); }

private:
    std::latch& start_;
    std::latch& over_;
};

/// One worker is held while 500 tasks queue up, then all run; the number of allocations meanwhile.
std::uint64_t countAllocationsOfARound(Scheduler& scheduler) {
    constexpr int kTaskCount = 500;
    std::latch start(1);
    std::latch over(kTaskCount + 1);  // and the gate
    std::vector<std::shared_ptr<Work>> works;
    for (int i = 0; i < kTaskCount; ++i) {
        works.push_back(std::make_shared<LatchWork>(over));
    }
    const std::shared_ptr<Work> gate = std::make_shared<GateWork>(start, over);
    TaskSpec spec;
    spec.stage = "task";

    const std::uint64_t before = allocationCount.load();
    EXPECT_TRUE(scheduler.enqueue(spec, gate));
    for (int i = 0; i < kTaskCount; ++i) {
        spec.urgency = static_cast<Urgency>(i % 3 + 1);
        spec.bytes = static_cast<std::uint64_t>(i % 5);
        EXPECT_TRUE(scheduler.enqueue(spec, works[static_cast<std::size_t>(i)]));
    }
    start.count_down();
    over.wait();
    return allocationCount.load() - before;
}

TEST(SchedulerAllocationTest, AllocatesNothingPerTaskAfterWarmUp) {
    const SteadyClock clock;
    NullTracer tracer;
    const auto scheduler = makeScheduler(SchedulerConfig{{{"lane", {WorkerConfig{}}}}, 1000, 0},
                                         makeDeadlinePolicy(),
                                         clock,
                                         tracer);

    EXPECT_GT(countAllocationsOfARound(*scheduler), 0U) << "the counter must count";
    EXPECT_EQ(countAllocationsOfARound(*scheduler), 0U);
    EXPECT_EQ(countAllocationsOfARound(*scheduler), 0U);
}

}  // namespace
}  // namespace bifocal::schedule
