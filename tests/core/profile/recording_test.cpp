// SPDX-License-Identifier: Apache-2.0
#include "core/profile/recording.h"

#include "core/profile/profiler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace bifocal::profile {
namespace {

using std::chrono::milliseconds;

/// Two requests, one answered and one superseded, with every field of a span set, and a sample.
class RecordingTest : public ::testing::Test {
protected:
    RecordingTest() {
        profiler_.beginRequest(RequestId{7}, "picture + \"flower\",\n花", Urgency::Interactive);
        record(RequestId{7}, SpanKind::Queue);
        record(RequestId{7}, SpanKind::Execute);
        profiler_.beginRequest(RequestId{8}, "f", Urgency::Batch);
        profiler_.endRequest(RequestId{7}, Outcome::Done);
        profiler_.endRequest(RequestId{8}, Outcome::Superseded);
        Sample sample;
        sample.time = clock_.now();
        sample.readyCount = {1, 2, 3};
        sample.runningCount = {4, 5, 6};
        sample.memory.ledgerBytes = 12;
        sample.memory.reservedBytes = 5;
        sample.memory.ledgerBudgetBytes = 99;
        sample.memory.residentBytes = 77;
        sample.memory.vramUsedBytes = 34;
        sample.memory.vramTotalBytes = 64;
        sample.memory.vramOthersBytes = 3;
        profiler_.addSample(sample);
    }

    void record(RequestId request, SpanKind kind) {
        Span span;
        span.stage = "encode_image";
        span.lane = "image";
        span.worker = 3;
        span.request = request;
        span.kind = kind;
        span.itemCount = 8;
        span.bytes = 1'234'567;
        span.policyKey = 0x8000'0000'0000'0123U;
        span.waitedFor = WaitedFor::Room;
        span.begin = clock_.now();
        clock_.advance(std::chrono::nanoseconds(1'500'007));
        span.end = clock_.now();
        profiler_.record(span);
    }

    void expectAll(const Recording& read) const {
        ASSERT_EQ(read.requests.size(), 2U);
        const RequestTrace& older = read.requests[1];
        EXPECT_EQ(older.request, RequestId{7});
        EXPECT_EQ(older.label, "picture + \"flower\",\n花");
        EXPECT_EQ(older.outcome, Outcome::Done);
        EXPECT_EQ(older.urgency, Urgency::Interactive);
        EXPECT_DOUBLE_EQ(older.totalMs(), 3.000014);
        ASSERT_EQ(older.spans.size(), 3U);
        EXPECT_EQ(read.requests[0].outcome, Outcome::Superseded);
        const Span& wait = older.spans[0];
        EXPECT_EQ(wait.kind, SpanKind::Queue);
        EXPECT_STREQ(wait.stage, "encode_image");
        EXPECT_STREQ(wait.lane, "image");
        EXPECT_EQ(wait.worker, 3U);
        EXPECT_EQ(wait.itemCount, 8U);
        EXPECT_EQ(wait.bytes, 1'234'567U);
        EXPECT_EQ(wait.policyKey, 0x8000'0000'0000'0123U);
        EXPECT_EQ(wait.waitedFor, WaitedFor::Room);
        EXPECT_EQ(wait.end - wait.begin, Duration(1'500'007));
    }

    ManualClock clock_;
    Profiler profiler_{clock_};
};

TEST_F(RecordingTest, JsonBringsBackEverythingThatItWasMadeOf) {
    const auto read = readRecording(profiler_.chromeTrace());

    ASSERT_TRUE(read) << read.error().message;
    expectAll(*read);
    ASSERT_EQ(read->samples.size(), 1U);
    const Sample& sample = read->samples[0];
    EXPECT_EQ(sample.readyCount, (std::array<std::uint32_t, 3>{1, 2, 3}));
    EXPECT_EQ(sample.runningCount, (std::array<std::uint32_t, 3>{4, 5, 6}));
    EXPECT_EQ(sample.memory.ledgerBytes, 12U);
    EXPECT_EQ(sample.memory.reservedBytes, 5U);
    EXPECT_EQ(sample.memory.ledgerBudgetBytes, 99U);
    EXPECT_EQ(sample.memory.residentBytes, 77U);
    EXPECT_EQ(sample.memory.vramUsedBytes, 34U);
    EXPECT_EQ(sample.memory.vramTotalBytes, 64U);
    EXPECT_EQ(sample.memory.vramOthersBytes, 3U);
}

TEST_F(RecordingTest, CsvBringsBackEverySpanAndRequest) {
    const auto read = readRecording(profiler_.csv());

    ASSERT_TRUE(read) << read.error().message;
    expectAll(*read);
    EXPECT_TRUE(read->samples.empty());
}

TEST_F(RecordingTest, NamesOutliveTheText) {
    Recording copy;
    {
        const auto read = readRecording(profiler_.csv());
        ASSERT_TRUE(read);
        copy = *read;
    }

    EXPECT_STREQ(copy.spans.front().stage, "encode_image");
}

TEST_F(RecordingTest, ARequestWithoutAnEndIsStillRunning) {
    profiler_.beginRequest(RequestId{9}, "late", Urgency::Interactive);
    record(RequestId{9}, SpanKind::Execute);

    const auto read = readRecording(profiler_.chromeTrace());

    ASSERT_TRUE(read);
    EXPECT_EQ(read->requests[0].request, RequestId{9});
    EXPECT_FALSE(read->requests[0].outcome);
    EXPECT_NEAR(read->requests[0].totalMs(), 1.500007, 1e-9);
}

}  // namespace
}  // namespace bifocal::profile
