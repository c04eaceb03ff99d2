// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profiler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace bifocal::profile {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ProfilerTest : public ::testing::Test {
protected:
    void runRequest(std::uint64_t id, milliseconds time, Outcome outcome = Outcome::Done) {
        profiler_.beginRequest(RequestId{id}, "prompt " + std::to_string(id), Urgency::Interactive);
        clock_.advance(time);
        profiler_.endRequest(RequestId{id}, outcome);
    }
    void recordSpan(std::uint64_t request,
                    const char* stage,
                    milliseconds time,
                    std::uint32_t itemCount = 1,
                    SpanKind kind = SpanKind::Execute) {
        Span span;
        span.stage = stage;
        span.lane = "image";
        span.request = RequestId{request};
        span.kind = kind;
        span.itemCount = itemCount;
        span.begin = clock_.now();
        clock_.advance(time);
        span.end = clock_.now();
        profiler_.record(span);
    }

    ManualClock clock_;
    Profiler profiler_{clock_, {.spanCapacity = 1024, .requestCapacity = 4}};
};

TEST_F(ProfilerTest, ARequestHasItsSpansInOrderOfTheirEnd) {
    profiler_.beginRequest(RequestId{1}, "flower", Urgency::Interactive);
    Span longOne;
    longOne.request = RequestId{1};
    longOne.stage = "encode_image";
    longOne.begin = clock_.now();
    longOne.end = clock_.now() + milliseconds(9);
    profiler_.record(longOne);
    recordSpan(1, "encode_text", milliseconds(4));
    recordSpan(2, "of another", milliseconds(1));
    clock_.advance(milliseconds(5));
    profiler_.endRequest(RequestId{1}, Outcome::Done);

    const auto trace = profiler_.request(RequestId{1});

    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->label, "flower");
    EXPECT_EQ(trace->outcome, Outcome::Done);
    EXPECT_DOUBLE_EQ(trace->totalMs(), 10.0);
    ASSERT_EQ(trace->spans.size(), 3U);
    EXPECT_STREQ(trace->spans[0].stage, "encode_text");
    EXPECT_STREQ(trace->spans[1].stage, "encode_image");
    EXPECT_EQ(trace->spans[2].kind, SpanKind::Total);
}

TEST_F(ProfilerTest, ARunningRequestLastsUntilNow) {
    profiler_.beginRequest(RequestId{1}, "", Urgency::Batch);
    clock_.advance(milliseconds(3));

    const auto trace = profiler_.request(RequestId{1});

    ASSERT_TRUE(trace);
    EXPECT_FALSE(trace->outcome);
    EXPECT_DOUBLE_EQ(trace->totalMs(), 3.0);
    EXPECT_FALSE(profiler_.request(RequestId{2}));
}

TEST_F(ProfilerTest, TheSecondEndAndAnUnknownEndAreIgnored) {
    runRequest(1, milliseconds(5));
    clock_.advance(milliseconds(5));

    profiler_.endRequest(RequestId{1}, Outcome::Failed);
    profiler_.endRequest(RequestId{2}, Outcome::Done);

    EXPECT_EQ(profiler_.request(RequestId{1})->outcome, Outcome::Done);
    EXPECT_DOUBLE_EQ(profiler_.request(RequestId{1})->totalMs(), 5.0);
    EXPECT_EQ(profiler_.totals(Urgency::Interactive).count, 1U);
}

TEST_F(ProfilerTest, NewestRequestsComeFirstAndTheOldestEndedIsForgotten) {
    profiler_.beginRequest(RequestId{1}, "still running", Urgency::Batch);
    for (std::uint64_t id = 2; id <= 6; ++id) {
        clock_.advance(milliseconds(1));
        runRequest(id, milliseconds(1));
    }

    std::vector<std::uint64_t> ids;
    for (const RequestTrace& trace : profiler_.recentRequests(10)) {
        ids.push_back(trace.request.value);
    }

    EXPECT_EQ(ids, (std::vector<std::uint64_t>{6, 5, 4, 1}));
    EXPECT_EQ(profiler_.recentRequests(2).size(), 2U);
    EXPECT_FALSE(profiler_.request(RequestId{2}));
}

TEST_F(ProfilerTest, RunningRequestsAreForgottenWhenNothingHasEnded) {
    for (std::uint64_t id = 1; id <= 6; ++id) {
        profiler_.beginRequest(RequestId{id}, "", Urgency::Batch);
    }
    profiler_.endRequest(RequestId{1}, Outcome::Done);

    EXPECT_FALSE(profiler_.request(RequestId{2}));
    EXPECT_TRUE(profiler_.request(RequestId{3}));
    EXPECT_EQ(profiler_.recentRequests(10).size(), 4U);
}

TEST_F(ProfilerTest, TotalsCountWhatWasDoneAndNothingElse) {
    for (std::uint64_t id = 1; id <= 100; ++id) {
        runRequest(id, milliseconds(id));
    }
    runRequest(101, seconds(9), Outcome::Cancelled);
    runRequest(102, seconds(9), Outcome::Superseded);
    runRequest(103, seconds(9), Outcome::Failed);

    const Quantiles totals = profiler_.totals(Urgency::Interactive);

    EXPECT_EQ(totals.count, 100U);
    EXPECT_NEAR(totals.p50Ms, 50, 0.5);
    EXPECT_NEAR(totals.p95Ms, 95, 0.95);
    EXPECT_NEAR(totals.p99Ms, 99, 0.99);
    EXPECT_DOUBLE_EQ(totals.maxMs, 100);
    EXPECT_EQ(profiler_.totals(Urgency::Batch).count, 0U);
}

TEST_F(ProfilerTest, RecentTotalsAreExactAndForgetWhatIsOlderThanTheWindow) {
    runRequest(1, milliseconds(700));
    clock_.advance(seconds(20));
    for (std::uint64_t id = 2; id <= 11; ++id) {
        runRequest(id, milliseconds(id - 1));
    }

    const Quantiles recent = profiler_.recentTotals(Urgency::Interactive, kSampleWindow);

    EXPECT_EQ(recent.count, 10U);
    EXPECT_DOUBLE_EQ(recent.p50Ms, 5);
    EXPECT_DOUBLE_EQ(recent.p95Ms, 10);
    EXPECT_DOUBLE_EQ(recent.maxMs, 10);
    EXPECT_EQ(profiler_.recentTotals(Urgency::Batch, kSampleWindow).count, 0U);
}

TEST_F(ProfilerTest, StagesAreKeyedByTheContentOfTheirName) {
    const std::string sameName = "decode";
    recordSpan(1, "decode", milliseconds(2), 3);
    recordSpan(2, sameName.c_str(), milliseconds(4), 5);
    recordSpan(2, "decode", milliseconds(1), 1, SpanKind::Queue);

    const std::vector<StageStats> stages = profiler_.stages();

    ASSERT_EQ(stages.size(), 2U);
    EXPECT_EQ(stages[0].stage, "decode");
    EXPECT_EQ(stages[0].kind, SpanKind::Queue);
    EXPECT_EQ(stages[1].kind, SpanKind::Execute);
    EXPECT_EQ(stages[1].quantiles.count, 2U);
    EXPECT_EQ(stages[1].itemCount, 8U);
    EXPECT_DOUBLE_EQ(stages[1].quantiles.maxMs, 4);
}

TEST_F(ProfilerTest, MeanBatchIsOfOneStageWithinTheWindow) {
    recordSpan(1, "encode_image", milliseconds(2), 100);
    clock_.advance(seconds(30));
    recordSpan(1, "encode_image", milliseconds(2), 8);
    recordSpan(1, "encode_image", milliseconds(2), 8, SpanKind::Queue);
    recordSpan(1, "decode", milliseconds(2), 1);
    recordSpan(1, "encode_image", milliseconds(2), 4);

    EXPECT_DOUBLE_EQ(profiler_.meanBatch("encode_image", kSampleWindow), 6.0);
    EXPECT_DOUBLE_EQ(profiler_.meanBatch("search", kSampleWindow), 0.0);
}

TEST_F(ProfilerTest, KeepsTheNewestSamples) {
    for (int i = 0; i < 601; ++i) {
        clock_.advance(seconds(1));
        Sample sample;
        sample.time = clock_.now();
        profiler_.addSample(sample);
    }

    const std::vector<Sample> samples = profiler_.samples();

    ASSERT_EQ(samples.size(), 600U);
    EXPECT_EQ(samples.front().time, TimePoint(seconds(2)));
    EXPECT_EQ(samples.back().time, TimePoint(seconds(601)));
}

TEST(ProfilerThreadsTest, RecordsRequestsAndReadersMayMeet) {
    const SteadyClock clock;
    Profiler profiler(clock, {.spanCapacity = 512, .requestCapacity = 16});
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
        threads.emplace_back([&profiler, &clock, thread] {
            for (std::uint64_t i = 1; i <= 1000; ++i) {
                const RequestId id{thread * 1000 + i};
                profiler.beginRequest(id, "label", Urgency::Interactive);
                Span span;
                span.stage = i % 2 == 0 ? "even" : "odd";
                span.request = id;
                span.begin = clock.now();
                span.end = clock.now();
                profiler.record(span);
                profiler.endRequest(id, Outcome::Done);
            }
        });
    }
    for (int round = 0; round < 10; ++round) {
        EXPECT_LE(profiler.recentRequests(8).size(), 8U);
        EXPECT_FALSE(profiler.chromeTrace().empty());
        EXPECT_LE(profiler.stages().size(), 3U);
        EXPECT_GE(profiler.meanBatch("even", kSampleWindow), 0.0);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    EXPECT_EQ(profiler.totals(Urgency::Interactive).count, 3000U);
}

}  // namespace
}  // namespace bifocal::profile
