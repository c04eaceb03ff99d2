// SPDX-License-Identifier: Apache-2.0
#include "app/cli/trace_diff.h"

#include "core/profile/profiler.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

namespace bifocal::cli {
namespace {

using ::testing::HasSubstr;

/// Spans of made-up runs: what a profiler would have written.
class TraceMaker {
public:
    explicit TraceMaker(std::uint64_t seed) : random_(seed) {}

    /// `count` spans of about `ms`, with 10 % of noise.
    TraceMaker& add(
        const char* stage, Urgency urgency, SpanKind kind, double ms, std::size_t count = 60) {
        for (std::size_t i = 0; i < count; ++i) {
            const double noise = 0.9 + 0.2 * static_cast<double>(random_() >> 11U) * 0x1p-53;
            Span span;
            span.stage = stage;
            span.lane = "pool";
            span.kind = kind;
            span.urgency = urgency;
            span.begin = TimePoint(std::chrono::milliseconds(100) * i);
            span.end = span.begin + Duration(std::llround(ms * noise * 1e6));
            span.request.value = 1;
            profiler_.record(span);
        }
        return *this;
    }
    /// A request with a label that needs quoting, and its Total.
    TraceMaker& addRequest(const std::string& label) {
        profiler_.beginRequest(RequestId{1}, label, Urgency::Interactive);
        clock_.advance(std::chrono::milliseconds(30));
        profiler_.endRequest(RequestId{1}, profile::Outcome::Done);
        return *this;
    }

    std::string csv() const { return profiler_.csv(); }
    std::string json() const { return profiler_.chromeTrace(); }

private:
    std::mt19937_64 random_;
    ManualClock clock_;
    profile::Profiler profiler_{clock_};
};

void fill(TraceMaker& maker, double searchMs) {
    maker.add("encode_text", Urgency::Interactive, SpanKind::Execute, 13)
        .add("encode_text", Urgency::Interactive, SpanKind::Queue, 0.02)
        .add("search", Urgency::Interactive, SpanKind::Execute, searchMs)
        .add("encode_image", Urgency::Batch, SpanKind::Execute, 90)
        .add("decode", Urgency::Prefetch, SpanKind::Execute, 4, 5)
        .addRequest("\u201ca, \"b\"\r\nc\u201d");
}

std::vector<TracedSpan> spansOf(const std::string& text) {
    auto spans = readTrace(text);
    EXPECT_TRUE(spans) << spans.error().message;
    return spans ? *std::move(spans) : std::vector<TracedSpan>{};
}

const StageChange& changeOf(const TraceDiff& diff, const std::string& stage, SpanKind kind) {
    for (const StageChange& change : diff.changes) {
        if (change.key.stage == stage && change.key.kind == kind) {
            return change;
        }
    }
    static const StageChange kNone;
    ADD_FAILURE() << stage << " is missing";
    return kNone;
}

/// What is said of traces whose search takes so many milliseconds before and after.
Result<TraceDiff> diffOf(double beforeMs, double afterMs, double share, std::uint64_t seed = 1) {
    TraceMaker before(seed);
    TraceMaker after(seed + 100);
    fill(before, beforeMs);
    fill(after, afterMs);
    return diffTraces(spansOf(before.csv()), spansOf(after.json()), share);
}

TEST(TraceReaderTest, ReadsBothFormsAlike) {
    TraceMaker maker(1);
    fill(maker, 1);

    const std::vector<TracedSpan> fromCsv = spansOf(maker.csv());
    const std::vector<TracedSpan> fromJson = spansOf(maker.json());

    ASSERT_EQ(fromCsv.size(), 246U);
    ASSERT_EQ(fromJson.size(), fromCsv.size());
    for (std::size_t i = 0; i < fromCsv.size(); ++i) {
        EXPECT_EQ(fromCsv[i].key, fromJson[i].key) << i;
        EXPECT_NEAR(fromCsv[i].beginMs, fromJson[i].beginMs, 1e-6);
        EXPECT_NEAR(fromCsv[i].durationMs, fromJson[i].durationMs, 1e-6);
    }
    EXPECT_EQ(fromCsv.back().key.stage, "request");
    EXPECT_EQ(fromCsv.back().key.kind, SpanKind::Total);
    EXPECT_DOUBLE_EQ(fromCsv.back().durationMs, 30);
}

TEST(TraceReaderTest, NamesThePlaceOfAFault) {
    const std::string head =
        "request,label,class,stage,kind,lane,worker,items,begin_us,duration_us\r\n";
    const std::string good = "1,a,interactive,search,execute,pool,0,1,0.000,5.000\r\n";
    const std::vector<std::pair<std::string, std::string>> kBad{
        {"", "line 1: the trace is empty"},
        {" \r\n", "line 1: the trace is empty"},
        {"a,b\r\n", "line 1: neither"},
        {head + good + "1,a,interactive\r\n", "line 3: 3 fields"},
        {head + good + "1,a,urgent,search,execute,pool,0,1,0.000,5.000\r\n",
         "line 3: no such class"},
        {head + good + "1,a,batch,search,sleep,pool,0,1,0.000,5.000\r\n", "line 3: no such class"},
        {head + "1,a,batch,search,queue,pool,0,1,zero,5.000\r\n", "line 2: begin or duration"},
        {head + "1,a,batch,search,queue,pool,0,1,0.000,-5.000\r\n", "line 2: begin or duration"},
        {head + "1,a,batch,search,queue,pool,0,1,0.000,nan\r\n", "line 2: begin or duration"},
        {head + good.substr(0, good.size() - 3), "line 2: it is cut short"},
        {head + "1,\"a\nb,batch,search", "line 3: a quote is not closed"},
        {head + "1,\"a\"b,batch,search\r\n", "line 2: text behind a closing quote"},
        {"{", "byte 2: not JSON"},
        {"[]", "byte 1: no object"},
        {"{\"traceEvents\":3}", "byte 1: no object"},
        {"{\"traceEvents\":[{\"ph\":\"X\"", "byte 26: not JSON"},
        {"{\"traceEvents\":[1]}", "event 1: not an object"},
        {"{\"traceEvents\":[{\"ph\":\"M\"},{}]}", "event 2: without a phase"},
        {R"({"traceEvents":[{"ph":"X","cat":"execute","name":"s"}]})", "event 1: \"ts\""},
        {R"({"traceEvents":[{"ph":"X","cat":"execute","name":"s","ts":1}]})", "event 1: \"args\""},
        {R"({"traceEvents":[{"ph":"X","cat":"execute","ts":1,"args":{"class":"batch"}}]})",
         "event 1: without a name"},
        {R"({"traceEvents":[{"ph":"X","cat":"execute","name":"s","ts":1,"dur":-1,)"
         R"("args":{"class":"batch"}}]})",
         "event 1: \"dur\""},
        {R"({"traceEvents":[{"ph":"b","cat":"queue","name":"s","ts":1,"id":"7",)"
         R"("args":{"class":"batch"}}]})",
         "event 1: it has a beginning and no end"},
        {R"({"traceEvents":[{"ph":"e","cat":"queue","name":"s","ts":1,"id":"7",)"
         R"("args":{"class":"batch"}}]})",
         "event 1: it has an end and no beginning"},
        {R"({"traceEvents":[{"ph":"X","cat":"execute","name":"s","ts":1e999}]})", "number"}};
    for (const auto& [text, message] : kBad) {
        const auto spans = readTrace(text);

        ASSERT_FALSE(spans) << text;
        EXPECT_EQ(spans.error().code, ErrorCode::Corruption) << text;
        EXPECT_THAT(spans.error().message, HasSubstr(message)) << text;
    }
}

TEST(TraceReaderTest, RefusesATraceThatIsCutShortAnywhere) {
    TraceMaker maker(1);
    maker.add("search", Urgency::Interactive, SpanKind::Execute, 1, 2)
        .add("search", Urgency::Interactive, SpanKind::Queue, 1, 2);
    std::string json = maker.json();
    json.erase(json.find_last_of('}'));

    for (std::size_t length = 0; length < json.size(); ++length) {
        EXPECT_FALSE(readTrace(std::string_view(json).substr(0, length))) << length;
    }
}

TEST(TraceReaderTest, PassesByWhatOtherProgramsWrote) {
    const std::vector<TracedSpan> spans = spansOf(
        R"({"traceEvents":[{"ph":"X","cat":"gpu","name":"kernel","ts":1,"dur":2},{"ph":"C"},)"
        R"({"ph":"X","cat":"execute","name":"s","ts":1,"dur":2000,"args":{"class":"batch"}}]})");

    ASSERT_EQ(spans.size(), 1U);
    EXPECT_DOUBLE_EQ(spans[0].durationMs, 2);
}

TEST(TraceDiffTest, NamesTheStageThatGotSlower) {
    const auto diff = diffOf(1.0, 1.3, 0.05);

    ASSERT_TRUE(diff);
    EXPECT_EQ(changeOf(*diff, "search", SpanKind::Execute).verdict, TraceVerdict::Slower);
    EXPECT_EQ(changeOf(*diff, "encode_text", SpanKind::Execute).verdict, TraceVerdict::Same);
    EXPECT_EQ(changeOf(*diff, "encode_image", SpanKind::Execute).verdict, TraceVerdict::Same);
    EXPECT_EQ(changeOf(*diff, "decode", SpanKind::Execute).verdict, TraceVerdict::TooFew);
    const auto document = nlohmann::json::parse(toJson(*diff, 0.05));
    ASSERT_EQ(document["slower"].size(), 1U);
    EXPECT_EQ(document["slower"][0]["stage"], "search");
    EXPECT_EQ(document["slower"][0]["class"], "interactive");
    EXPECT_EQ(document["slower"][0]["time"], "execute");
    EXPECT_THAT(toTable(*diff), HasSubstr("SLOWER: search, interactive, execute"));
}

TEST(TraceDiffTest, FindsTheOtherWayRoundFaster) {
    const auto diff = diffOf(1.3, 1.0, 0.05);

    ASSERT_TRUE(diff);
    EXPECT_EQ(changeOf(*diff, "search", SpanKind::Execute).verdict, TraceVerdict::Faster);
    EXPECT_THAT(toTable(*diff), ::testing::Not(HasSubstr("SLOWER")));
}

TEST(TraceDiffTest, AllowsAsMuchAsItIsTold) {
    const auto diff = diffOf(1.0, 1.3, 0.5);

    ASSERT_TRUE(diff);
    EXPECT_EQ(changeOf(*diff, "search", SpanKind::Execute).verdict, TraceVerdict::Same);
}

TEST(TraceDiffTest, RaisesNoAlarmForChance) {
    int alarmCount = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const auto diff = diffOf(1.0, 1.0, 0.0, seed);

        ASSERT_TRUE(diff);
        for (const StageChange& change : diff->changes) {
            alarmCount += change.verdict == TraceVerdict::Slower ? 1 : 0;
        }
    }
    EXPECT_LE(alarmCount, 2);  // of 40 comparisons at 0.6 % for the slower side
}

TEST(TraceDiffTest, OverlooksWhatIsTooShortToMatter) {
    TraceMaker before(1);
    TraceMaker after(2);
    before.add("search", Urgency::Interactive, SpanKind::Queue, 0.010);
    after.add("search", Urgency::Interactive, SpanKind::Queue, 0.040);

    const auto diff = diffTraces(spansOf(before.csv()), spansOf(after.csv()), 0.05);

    ASSERT_TRUE(diff);
    EXPECT_EQ(diff->changes.at(0).verdict, TraceVerdict::Same);
}

TEST(TraceDiffTest, ListsWhatOneOfThemLacks) {
    TraceMaker before(1);
    TraceMaker after(2);
    before.add("search", Urgency::Interactive, SpanKind::Execute, 1)
        .add("old", Urgency::Batch, SpanKind::Execute, 1);
    after.add("search", Urgency::Interactive, SpanKind::Execute, 1)
        .add("new", Urgency::Batch, SpanKind::Execute, 1);

    const auto diff = diffTraces(spansOf(before.csv()), spansOf(after.csv()), 0.05);

    ASSERT_TRUE(diff);
    ASSERT_EQ(diff->onlyBefore.size(), 1U);
    EXPECT_EQ(diff->onlyBefore[0].stage, "old");
    ASSERT_EQ(diff->onlyAfter.size(), 1U);
    EXPECT_EQ(diff->onlyAfter[0].stage, "new");
}

TEST(TraceDiffTest, RefusesToJudgeNothing) {
    TraceMaker before(1);
    TraceMaker after(2);
    before.add("search", Urgency::Interactive, SpanKind::Execute, 1, 9);
    after.add("search", Urgency::Interactive, SpanKind::Execute, 1, 60);

    const auto diff = diffTraces(spansOf(before.csv()), spansOf(after.csv()), 0.05);

    ASSERT_FALSE(diff);
    EXPECT_EQ(diff.error().code, ErrorCode::NotFound);
}

TEST(TraceDiffTest, ReadsAShare) {
    EXPECT_DOUBLE_EQ(*parseShare("5%"), 0.05);
    EXPECT_DOUBLE_EQ(*parseShare("0.5%"), 0.005);
    EXPECT_DOUBLE_EQ(*parseShare("0%"), 0);
    for (const char* text : {"", "%", "5", "0.05", "-1%", "5 %", "5%%", "nan%", "inf%", "1001%"}) {
        const auto share = parseShare(text);

        ASSERT_FALSE(share) << text;
        EXPECT_EQ(share.error().code, ErrorCode::InvalidArgument);
    }
}

}  // namespace
}  // namespace bifocal::cli
