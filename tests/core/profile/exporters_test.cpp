// SPDX-License-Identifier: Apache-2.0
#include "core/profile/internal/exporters.h"

#include "core/profile/profiler.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal::profile {
namespace {

using nlohmann::json;

/// One request with a hostile label, a Queue and an Execute span on two lanes, one sample.
class ExportersTest : public ::testing::Test {
protected:
    ExportersTest() {
        profiler_.beginRequest(RequestId{7}, kLabel, Urgency::Interactive);
        record("encode_text", "text", 0, SpanKind::Queue);
        record("encode_text", "text", 0, SpanKind::Execute);
        record("search", "pool", 1, SpanKind::Execute);
        profiler_.endRequest(RequestId{7}, Outcome::Done);
        Sample sample;
        sample.time = clock_.now();
        sample.readyCount = {1, 2, 3};
        sample.memory.ledgerBytes = 12;
        sample.memory.vramUsedBytes = 34;
        profiler_.addSample(sample);
    }

    void record(const char* stage, const char* lane, std::uint32_t worker, SpanKind kind) {
        Span span;
        span.stage = stage;
        span.lane = lane;
        span.worker = worker;
        span.request = RequestId{7};
        span.kind = kind;
        span.itemCount = 2;
        span.begin = clock_.now();
        clock_.advance(std::chrono::nanoseconds(1'500'007));
        span.end = clock_.now();
        profiler_.record(span);
    }
    std::vector<json> eventsOf(const char* phase) const {
        std::vector<json> found;
        const json trace = json::parse(profiler_.chromeTrace());
        for (const json& event : trace.at("traceEvents")) {
            if (event.at("ph") == phase) {
                found.push_back(event);
            }
        }
        return found;
    }

    static constexpr const char* kLabel = "a \"quoted\", line\r\n\x01\\ 花 \xff";

    ManualClock clock_;
    Profiler profiler_{clock_};
};

TEST_F(ExportersTest, EveryEventHasWhatTheFormatAsksFor) {
    const json trace = json::parse(profiler_.chromeTrace());

    ASSERT_TRUE(trace.at("traceEvents").is_array());
    for (const json& event : trace.at("traceEvents")) {
        const std::string phase = event.at("ph");
        EXPECT_TRUE(event.at("name").is_string());
        EXPECT_TRUE(event.at("pid").is_number_integer());
        EXPECT_EQ(event.contains("ts"), phase != "M") << event;
        EXPECT_EQ(event.contains("dur"), phase == "X") << event;
        EXPECT_EQ(event.contains("id"), phase == "b" || phase == "e") << event;
    }
}

/// What the format says of each phase: ids of processes and threads are numbers, times are numbers
/// of microseconds that are not below zero, asynchronous events of one category and id come in
/// pairs, complete events of one thread do not overlap, counters have numbers alone.
TEST_F(ExportersTest, EventsKeepTheRulesOfTheirPhase) {
    const json trace = json::parse(profiler_.chromeTrace());

    EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
    std::map<std::string, int> open;
    std::map<int, double> busyUntil;
    for (const json& event : trace.at("traceEvents")) {
        const std::string phase = event.at("ph");
        EXPECT_NE(std::string("MXbeC").find(phase), std::string::npos) << event;
        if (phase != "M") {
            EXPECT_TRUE(event.at("ts").is_number());
            EXPECT_GE(event.at("ts").get<double>(), 0);
        }
        EXPECT_EQ(event.contains("tid"), phase != "C") << event;
        if (phase == "X") {
            double& until = busyUntil[event.at("tid").get<int>()];
            EXPECT_GE(event.at("ts").get<double>(), until) << event;
            EXPECT_GE(event.at("dur").get<double>(), 0);
            until = event.at("ts").get<double>() + event.at("dur").get<double>();
        } else if (phase == "b" || phase == "e") {
            EXPECT_TRUE(event.at("id").is_string());
            int& count =
                open[event.at("cat").get<std::string>() + event.at("id").get<std::string>()];
            count += phase == "b" ? 1 : -1;
            EXPECT_GE(count, 0) << event;
        } else if (phase == "C") {
            for (const json& value : event.at("args")) {
                EXPECT_TRUE(value.is_number()) << event;
            }
        }
    }
    for (const auto& [id, count] : open) {
        EXPECT_EQ(count, 0) << id;
    }
}

TEST_F(ExportersTest, ExecuteSpansLieOnTheNamedThreadOfTheirWorker) {
    const std::vector<json> complete = eventsOf("X");

    ASSERT_EQ(complete.size(), 2U);
    EXPECT_EQ(complete[0].at("name"), "encode_text");
    EXPECT_DOUBLE_EQ(complete[0].at("ts"), 1500.007);
    EXPECT_DOUBLE_EQ(complete[0].at("dur"), 1500.007);
    EXPECT_EQ(complete[0].at("args").at("request"), 7);
    EXPECT_EQ(complete[0].at("args").at("class"), "interactive");
    EXPECT_EQ(complete[0].at("args").at("items"), 2);
    for (const json& event : complete) {
        std::vector<std::string> names;
        for (const json& metadata : eventsOf("M")) {
            if (metadata.at("name") == "thread_name" && metadata.at("tid") == event.at("tid")) {
                names.push_back(metadata.at("args").at("name"));
            }
        }
        ASSERT_EQ(names.size(), 1U);
        EXPECT_EQ(names[0], event.at("name") == "search" ? "pool 1" : "text 0");
    }
}

TEST_F(ExportersTest, QueueAndTotalArePairsWithOneId) {
    const std::vector<json> begins = eventsOf("b");
    const std::vector<json> ends = eventsOf("e");

    ASSERT_EQ(begins.size(), 2U);
    ASSERT_EQ(ends.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(begins[i].at("id"), ends[i].at("id"));
        EXPECT_EQ(begins[i].at("cat"), ends[i].at("cat"));
        EXPECT_LT(begins[i].at("ts"), ends[i].at("ts"));
    }
    EXPECT_NE(begins[0].at("id"), begins[1].at("id"));
    EXPECT_EQ(begins[1].at("name"), "a \"quoted\", line\r\n\x01\\ 花 \xEF\xBF\xBD");
}

TEST_F(ExportersTest, CountersComeFromTheSamples) {
    const std::vector<json> counters = eventsOf("C");

    ASSERT_EQ(counters.size(), 4U);
    EXPECT_EQ(counters[0].at("name"), "ready");
    EXPECT_EQ(counters[0].at("args"), (json{{"interactive", 1}, {"prefetch", 2}, {"batch", 3}}));
    EXPECT_EQ(counters[2].at("args").at("ledger"), 12);
    EXPECT_EQ(counters[3].at("args").at("used"), 34);
}

TEST_F(ExportersTest, AnEmptyProfilerExportsAnEmptyTrace) {
    const Profiler empty(clock_);

    EXPECT_EQ(json::parse(empty.chromeTrace()).at("traceEvents").size(), 2U);
    EXPECT_EQ(empty.csv(),
              "request,label,class,stage,kind,lane,worker,items,begin_us,duration_us,bytes,"
              "policy_key,waited_for\r\n");
}

/// Reads RFC 4180 by its own few rules.
std::vector<std::vector<std::string>> parseCsv(const std::string& text) {
    std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
    bool isQuoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string& field = rows.back().back();
        if (isQuoted) {
            if (text[i] != '"') {
                field += text[i];
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                field += text[++i];
            } else {
                isQuoted = false;
            }
        } else if (text[i] == '"') {
            isQuoted = true;
        } else if (text[i] == ',') {
            rows.back().emplace_back();
        } else if (text.compare(i, 2, "\r\n") == 0) {
            ++i;
            rows.emplace_back(1);
        } else {
            field += text[i];
        }
    }
    EXPECT_FALSE(isQuoted);
    EXPECT_EQ(rows.back(), std::vector<std::string>(1));  // after the last line's end
    rows.pop_back();
    return rows;
}

TEST_F(ExportersTest, CsvReadsBackAsItWas) {
    const auto rows = parseCsv(profiler_.csv());

    ASSERT_EQ(rows.size(), 5U);
    for (const auto& row : rows) {
        EXPECT_EQ(row.size(), 13U);
    }
    EXPECT_EQ(rows[2],
              (std::vector<std::string>{"7",
                                        kLabel,
                                        "interactive",
                                        "encode_text",
                                        "execute",
                                        "text",
                                        "0",
                                        "2",
                                        "1500.007",
                                        "1500.007",
                                        "0",
                                        "0",
                                        "turn"}));
    EXPECT_EQ(rows[4][4], "total");
}

TEST(JsonStringTest, IllFormedBytesBecomeReplacementsAndTheRestStays) {
    const std::string bad = "\xEF\xBF\xBD";
    const std::vector<std::array<std::string, 2>> cases = {
        {"", ""},
        {"plain", "plain"},
        {"é 花 😀", "é 花 😀"},
        {"\xC0\xAF", bad + bad},                      // overlong slash
        {"\xE0\x80\xAF", bad + bad + bad},            // overlong in three bytes
        {"\xED\xA0\x80", bad + bad + bad},            // surrogate
        {"\xF4\x90\x80\x80", bad + bad + bad + bad},  // past U+10FFFF
        {"\xE8\x8A", bad + bad},                      // cut off
        {"a\x80z", "a" + bad + "z"},
        {std::string("nul\0!", 5), std::string("nul\0!", 5)},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(json::parse(toJsonString(text)).get<std::string>(), expected);
    }
}

}  // namespace
}  // namespace bifocal::profile
