// SPDX-License-Identifier: Apache-2.0
#include "core/profile/live_lines.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace bifocal::profile {
namespace {

using std::chrono::milliseconds;

TimePoint at(int ms) {
    return TimePoint(milliseconds(ms));
}

Span runOf(int endMs, int ms, const char* stage = "encode", std::uint32_t worker = 0) {
    Span span;
    span.stage = stage;
    span.lane = "image";
    span.worker = worker;
    span.itemCount = 4;
    span.begin = at(endMs - ms);
    span.end = at(endMs);
    return span;
}

TEST(LiveLinesTest, QuantilesAreOfTheWindowAndLeaveWithIt) {
    LiveLines live(at(0));
    std::vector<Span> spans;
    for (int i = 1; i <= 100; ++i) {
        spans.push_back(runOf(400, i));
    }

    const auto first = live.add(spans, at(500));
    const auto later = live.add({}, at(10'000));
    const auto after = live.add({}, at(10'500));

    ASSERT_EQ(first.size(), 1U);
    ASSERT_EQ(first[0].lines.size(), 1U);
    const Quantiles& window = first[0].lines[0].window;
    EXPECT_EQ(window.count, 100U);
    EXPECT_NEAR(window.p50Ms, 50, 0.5);
    EXPECT_NEAR(window.p95Ms, 95, 0.5);
    EXPECT_NEAR(window.p99Ms, 99, 0.5);
    EXPECT_NEAR(window.maxMs, 100, 0.5);
    EXPECT_DOUBLE_EQ(first[0].lines[0].perSecond, 200);
    EXPECT_DOUBLE_EQ(first[0].lines[0].meanItems, 4);
    ASSERT_EQ(later.size(), 19U);
    EXPECT_EQ(later.back().lines.size(), 1U) << "ten seconds are the window";
    ASSERT_EQ(after.size(), 1U);
    EXPECT_TRUE(after[0].lines.empty());
}

TEST(LiveLinesTest, LinesAreByStageClassAndKind) {
    LiveLines live(at(0));
    Span batch = runOf(100, 10);
    batch.urgency = Urgency::Batch;
    Span queue = runOf(100, 10);
    queue.kind = SpanKind::Queue;
    static const char kSameName[] = "encode";
    const std::vector<Span> spans{runOf(100, 10), batch, queue, runOf(200, 10, kSameName)};

    const auto ticks = live.add(spans, at(500));

    EXPECT_EQ(live.lines().size(), 3U);
    ASSERT_EQ(ticks[0].lines.size(), 3U);
    EXPECT_EQ(ticks[0].lines[0].window.count, 2U);
    EXPECT_EQ(live.lines()[1].urgency, Urgency::Batch);
    EXPECT_EQ(live.lines()[2].kind, SpanKind::Queue);
}

TEST(LiveLinesTest, ALaneIsBusyForTheTimeOfItsWorkers) {
    LiveLines live(at(0));
    const std::vector<Span> spans{runOf(400, 400),
                                  runOf(400, 400),  // joined: the same run once more
                                  runOf(1900, 1000, "encode", 1)};

    const auto ticks = live.add(spans, at(2000));

    ASSERT_EQ(ticks.size(), 4U);
    EXPECT_EQ(live.lanes(), std::vector<std::string>{"image"});
    EXPECT_NEAR(ticks[0].lanes[0].busyShare, 0.8, 1e-6);
    EXPECT_EQ(ticks[3].lanes[0].workerCount, 2U);
    EXPECT_NEAR(ticks[3].lanes[0].busyShare, 1.4 / 4, 1e-6);
}

TEST(LiveLinesTest, ManySpansAtOnceGiveTheSameTicksAsOneByOne) {
    std::vector<Span> spans;
    for (int i = 1; i <= 300; ++i) {
        spans.push_back(runOf(i * 37, 1 + i % 17));
    }
    LiveLines together(at(0));
    LiveLines single(at(0));

    const auto all = together.add(spans, at(12'000));
    std::vector<LiveTick> steps;
    for (const Span& span : spans) {
        for (const LiveTick& tick : single.add({&span, 1}, span.end)) {
            steps.push_back(tick);
        }
    }
    for (const LiveTick& tick : single.add({}, at(12'000))) {
        steps.push_back(tick);
    }

    ASSERT_EQ(all.size(), steps.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(all[i].lines.size(), steps[i].lines.size()) << i;
        if (!all[i].lines.empty()) {
            EXPECT_EQ(all[i].lines[0].window.count, steps[i].lines[0].window.count) << i;
            EXPECT_EQ(all[i].lines[0].window.p95Ms, steps[i].lines[0].window.p95Ms) << i;
        }
    }
}

}  // namespace
}  // namespace bifocal::profile
