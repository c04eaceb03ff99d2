// SPDX-License-Identifier: Apache-2.0
#include "core/profile/explanation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace bifocal::profile {
namespace {

TimePoint at(double ms) {
    return TimePoint(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms)));
}

Span spanOf(const char* stage,
            const char* lane,
            SpanKind kind,
            double beginMs,
            double endMs,
            std::uint64_t request = 1,
            Urgency urgency = Urgency::Interactive) {
    Span span;
    span.stage = stage;
    span.lane = lane;
    span.kind = kind;
    span.begin = at(beginMs);
    span.end = at(endMs);
    span.request = RequestId{request};
    span.urgency = urgency;
    return span;
}

constexpr SpanKind kQueue = SpanKind::Queue;
constexpr SpanKind kRun = SpanKind::Execute;

RequestTrace traceOf(std::vector<Span> spans,
                     double endMs,
                     Urgency urgency = Urgency::Interactive) {
    RequestTrace trace;
    trace.request = RequestId{1};
    trace.urgency = urgency;
    trace.outcome = Outcome::Done;
    trace.begin = at(0);
    trace.end = at(endMs);
    trace.spans = std::move(spans);
    return trace;
}

/// A prompt of words: it waits `wait` ms, encodes for `encode` ms, searches for 1 ms.
RequestTrace wordsOf(double wait, double encode) {
    const double encoded = wait + encode;
    return traceOf({spanOf("encode_text", "text", kQueue, 0, wait),
                    spanOf("encode_text", "text", kRun, wait, encoded + 0.01),
                    spanOf("search", "pool", kQueue, encoded, encoded + 0.1),
                    spanOf("search", "pool", kRun, encoded + 0.1, encoded + 1.1)},
                   encoded + 1.1);
}

StageStats usual(const char* stage, SpanKind kind, double p50Ms, std::uint64_t count = 100) {
    StageStats stats;
    stats.stage = stage;
    stats.kind = kind;
    stats.quantiles = {count, p50Ms, p50Ms, p50Ms, p50Ms};
    return stats;
}

Surroundings aroundOf(std::vector<Span> spans, std::vector<double> peers = {}) {
    return {std::move(spans),
            {usual("encode_text", kQueue, 0.05), usual("encode_text", kRun, 12)},
            std::move(peers)};
}

const std::vector<double> kPeers{12, 13, 13, 14, 15};

struct Case {
    const char* name;
    RequestTrace trace;
    Surroundings around;
    Cause cause;
    double causeMs;
    std::string stage;
    std::string otherStage;
};

RequestTrace endedAs(RequestTrace trace, std::optional<Outcome> outcome) {
    trace.outcome = outcome;
    return trace;
}

RequestTrace withRoom(RequestTrace trace) {
    for (Span& span : trace.spans) {
        span.waitedFor = WaitedFor::Room;
        span.bytes = 700;
    }
    return trace;
}

std::vector<Case> cases() {
    const auto batch = spanOf("encode_image", "text", kRun, -5, 30, 2, Urgency::Batch);
    const auto prefetch = spanOf("load_image", "text", kRun, -5, 30, 3, Urgency::Prefetch);
    const auto prompt = spanOf("encode_text", "text", kRun, -5, 30, 4);
    const auto elsewhere = spanOf("encode_image", "image", kRun, -5, 90, 2, Urgency::Batch);
    const auto loading = spanOf("load_pack", "pool", kRun, -5, 900, 0);
    std::vector<Case> all;
    all.push_back({"as its peers",
                   wordsOf(0.1, 12),
                   aroundOf({}, kPeers),
                   Cause::NothingUnusual,
                   12.01,
                   "encode_text",
                   ""});
    all.push_back({"most of it is one stage",
                   wordsOf(0.1, 12),
                   aroundOf({}),
                   Cause::Mostly,
                   12.01,
                   "encode_text",
                   ""});
    all.push_back({"behind a segment of indexing",
                   wordsOf(24, 12),
                   aroundOf({batch}, kPeers),
                   Cause::BehindBatch,
                   24,
                   "encode_text",
                   "encode_image"});
    all.push_back({"behind thumbnails",
                   wordsOf(24, 12),
                   aroundOf({prefetch}, kPeers),
                   Cause::BehindPrefetch,
                   24,
                   "encode_text",
                   "load_image"});
    all.push_back({"behind another prompt",
                   wordsOf(24, 12),
                   aroundOf({prompt}, kPeers),
                   Cause::BehindPrompt,
                   24,
                   "encode_text",
                   "encode_text"});
    all.push_back({"the lane was idle",
                   wordsOf(24, 12),
                   aroundOf({elsewhere}, kPeers),
                   Cause::WaitedForWorker,
                   24,
                   "encode_text",
                   ""});
    all.push_back({"no peers, but mostly waiting",
                   wordsOf(24, 12),
                   aroundOf({batch}),
                   Cause::BehindBatch,
                   24,
                   "encode_text",
                   "encode_image"});
    all.push_back({"memory",
                   withRoom(wordsOf(310, 12)),
                   aroundOf({batch}, kPeers),
                   Cause::WaitedForRoom,
                   310,
                   "encode_text",
                   ""});
    all.push_back({"a slow stage",
                   wordsOf(0.1, 61),
                   aroundOf({}, kPeers),
                   Cause::SlowStage,
                   61.01,
                   "encode_text",
                   ""});
    all.push_back({"slow beside indexing",
                   wordsOf(0.1, 61),
                   aroundOf({elsewhere}, kPeers),
                   Cause::SlowedByBatch,
                   61.01,
                   "encode_text",
                   "encode_image"});
    all.push_back({"cold models",
                   traceOf({spanOf("encode_text", "text", kQueue, 900, 900.1),
                            spanOf("encode_text", "text", kRun, 900.1, 912)},
                           912),
                   aroundOf({loading}, kPeers),
                   Cause::ColdModels,
                   900,
                   "",
                   "load_pack"});
    all.push_back({"decoding dominates",
                   traceOf({spanOf("decode", "pool", kQueue, 0, 0.1),
                            spanOf("decode", "pool", kRun, 0.1, 353),
                            spanOf("encode_text", "text", kRun, 0.1, 13),
                            spanOf("encode_image", "image", kQueue, 352.9, 353),
                            spanOf("encode_image", "image", kRun, 353, 377),
                            spanOf("search", "pool", kRun, 377, 378)},
                           379),
                   aroundOf({}),
                   Cause::Mostly,
                   352.8,
                   "decode",
                   ""});
    all.push_back({"a late delivery",
                   traceOf({spanOf("encode_text", "text", kRun, 0, 12)}, 50),
                   aroundOf({}, kPeers),
                   Cause::Delivery,
                   38,
                   "",
                   ""});
    all.push_back({"nothing stands out",
                   traceOf({spanOf("encode_text", "text", kRun, 0, 4),
                            spanOf("fuse", "pool", kRun, 4, 8),
                            spanOf("search", "pool", kRun, 8, 12)},
                           12),
                   aroundOf({}),
                   Cause::Spread,
                   4,
                   "encode_text",
                   ""});
    all.push_back({"still running",
                   endedAs(wordsOf(0, 12), std::nullopt),
                   aroundOf({}),
                   Cause::StillRunning,
                   1,
                   "search",
                   ""});
    all.push_back({"superseded",
                   endedAs(wordsOf(0, 12), Outcome::Superseded),
                   aroundOf({}),
                   Cause::Superseded,
                   1,
                   "search",
                   ""});
    all.push_back({"cancelled",
                   endedAs(wordsOf(0, 12), Outcome::Cancelled),
                   aroundOf({}),
                   Cause::Cancelled,
                   1,
                   "search",
                   ""});
    all.push_back({"failed",
                   endedAs(wordsOf(0, 12), Outcome::Failed),
                   aroundOf({}),
                   Cause::Failed,
                   1,
                   "search",
                   ""});
    all.push_back({"background work",
                   traceOf({spanOf("prepare", "pool", kRun, 0, 300),
                            spanOf("encode_image", "image", kRun, 300, 900),
                            spanOf("encode_image", "image", kRun, 900, 1500)},
                           1500,
                           Urgency::Batch),
                   aroundOf({}),
                   Cause::Background,
                   1200,
                   "encode_image",
                   ""});
    all.push_back({"background work that stood aside",
                   traceOf({spanOf("encode_image", "image", kQueue, 0, 1200),
                            spanOf("encode_image", "image", kRun, 1200, 1500)},
                           1500,
                           Urgency::Batch),
                   aroundOf({}),
                   Cause::BackgroundWaited,
                   1200,
                   "encode_image",
                   ""});
    return all;
}

TEST(ExplanationTest, EveryTraceHasTheRightCauseStageAndTime) {
    for (const Case& one : cases()) {
        const Explanation found = explain(one.trace, one.around);

        EXPECT_EQ(found.cause, one.cause) << one.name;
        EXPECT_NEAR(found.causeMs, one.causeMs, 0.2) << one.name;
        EXPECT_EQ(found.stage, one.stage) << one.name;
        EXPECT_EQ(found.otherStage, one.otherStage) << one.name;
        EXPECT_NEAR(found.totalMs, one.trace.totalMs(), 1e-9) << one.name;
    }
}

TEST(ExplanationTest, WhatDidNotFitIsNamedWithItsBytes) {
    EXPECT_EQ(explain(withRoom(wordsOf(310, 12)), aroundOf({}, kPeers)).bytes, 700U);
}

TEST(ExplanationTest, TheShorterBranchIsNotBlamed) {
    // The words waited long, but the picture took longer still.
    const RequestTrace trace = traceOf({spanOf("encode_text", "text", kQueue, 0, 40),
                                        spanOf("encode_text", "text", kRun, 40, 50),
                                        spanOf("decode", "pool", kRun, 0, 60),
                                        spanOf("encode_image", "image", kRun, 60, 85),
                                        spanOf("search", "pool", kRun, 85, 86)},
                                       86);

    const Explanation found = explain(trace, aroundOf({}));

    EXPECT_EQ(found.cause, Cause::Mostly);
    EXPECT_EQ(found.stage, "decode");
}

TEST(ExplanationTest, ARequestWithoutSpansIsExplained) {
    const Explanation found = explain(traceOf({}, 20), {});

    EXPECT_EQ(found.cause, Cause::Delivery);
    EXPECT_DOUBLE_EQ(found.causeMs, 20);
    EXPECT_EQ(explain(traceOf({}, 0, Urgency::Batch), {}).cause, Cause::Background);
}

TEST(ExplanationTest, PeersAreAnsweredRequestsOfTheSameStagesAndClass) {
    RequestTrace mine = wordsOf(0, 12);
    RequestTrace same = wordsOf(0, 20);
    same.request = RequestId{2};
    RequestTrace partial = same;
    partial.request = RequestId{3};
    partial.spans.push_back(spanOf("search_partial", "pool", kRun, 1, 2));
    RequestTrace other = traceOf({spanOf("decode", "pool", kRun, 0, 5)}, 5);
    other.request = RequestId{4};
    RequestTrace failed = endedAs(same, Outcome::Failed);
    failed.request = RequestId{5};

    EXPECT_EQ(peersOf(mine, {mine, same, partial, other, failed}).size(), 2U);
}

}  // namespace
}  // namespace bifocal::profile
