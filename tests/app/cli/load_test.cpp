// SPDX-License-Identifier: Apache-2.0
#include "app/cli/load/arrivals.h"
#include "app/cli/load/curve.h"
#include "app/cli/load/estimate.h"
#include "app/cli/load/open_loop.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace bifocal::cli {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// ---- estimates

std::vector<double> exponentialSamples(std::size_t count, double mean, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> values(count);
    for (double& value : values) {
        value = -mean * std::log1p(-static_cast<double>(random() >> 11U) * 0x1p-53);
    }
    return values;
}

template <typename T>
void expectRefused(const Result<T>& result, const std::string& option, const std::string& text) {
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(result.error().message, HasSubstr(option + ": '" + text));
}

TEST(EstimateTest, NeedsEnoughSamplesForEachQuantile) {
    EXPECT_EQ(fewestSamples(0.5), 5U);
    EXPECT_EQ(fewestSamples(0.95), 20U);
    EXPECT_EQ(fewestSamples(0.99), 100U);
    const std::vector<double> values(99, 1.0);

    EXPECT_TRUE(estimateQuantile(values, 0.95));
    EXPECT_FALSE(estimateQuantile(values, 0.99));
    EXPECT_FALSE(estimateQuantile(std::span(values).first(19), 0.95));
    EXPECT_FALSE(estimateQuantile(std::span(values).first(4), 0.5));
    EXPECT_FALSE(estimateMedianDifference(values, std::span(values).first(4)));
}

TEST(EstimateTest, IsTheNearestRankWithinItsInterval) {
    std::vector<double> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>((i * 37) % 100 + 1);  // 1 … 100, shuffled
    }

    for (const auto& [q, rank] : std::map<double, double>{{0.5, 50}, {0.95, 95}, {0.99, 99}}) {
        const auto estimate = estimateQuantile(values, q);

        ASSERT_TRUE(estimate);
        EXPECT_DOUBLE_EQ(estimate->value, rank);
        EXPECT_LE(estimate->low, rank);
        EXPECT_GE(estimate->high, rank);
    }
}

TEST(EstimateTest, GivesOneAnswerForOneSeed) {
    const std::vector<double> values = exponentialSamples(200, 10, 1);

    const auto first = estimateQuantile(values, 0.95);
    const auto second = estimateQuantile(values, 0.95);

    EXPECT_EQ(first->low, second->low);
    EXPECT_EQ(first->high, second->high);
}

TEST(EstimateTest, HoldsTheTrueMedianAboutAsOftenAsItSays) {
    const double truth = 10 * std::log(2.0);
    int heldCount = 0;
    Resampling resampling;
    resampling.count = 200;

    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto estimate = estimateQuantile(exponentialSamples(80, 10, seed), 0.5, resampling);
        heldCount += estimate->low <= truth && truth <= estimate->high ? 1 : 0;
    }

    EXPECT_GE(heldCount, 174);  // 190 expected; 174 is five standard deviations below
}

TEST(EstimateTest, WidensWhenNeighboursAreAlike) {
    std::vector<double> values = exponentialSamples(1000, 10, 3);
    const auto independent = estimateQuantile(values, 0.5);
    std::sort(values.begin(), values.end());
    const auto alike = estimateQuantile(values, 0.5);

    EXPECT_GT(alike->high - alike->low, 1.5 * (independent->high - independent->low));
}

TEST(EstimateTest, FindsADifferenceOfMedians) {
    const std::vector<double> before = exponentialSamples(300, 10, 1);
    std::vector<double> after = exponentialSamples(300, 10, 2);
    const auto none = estimateMedianDifference(before, after);
    std::transform(after.begin(), after.end(), after.begin(), [](double v) { return v + 5; });
    const auto five = estimateMedianDifference(before, after);

    EXPECT_LE(none->low, 0);
    EXPECT_GE(none->high, 0);
    EXPECT_GT(five->low, 0);
    EXPECT_NEAR(five->value, 5, 2);
}

// ---- arrivals

TEST(ArrivalsTest, ReadsAMix) {
    const auto mix = parseMix("fused:0.5,text:3");

    ASSERT_TRUE(mix);
    EXPECT_EQ(mix->weightOf(LoadKind::Text), 3);
    EXPECT_EQ(mix->weightOf(LoadKind::Image), 0);
    EXPECT_EQ(mix->weightOf(LoadKind::Fused), 0.5);
}

TEST(ArrivalsTest, RefusesAMalformedMix) {
    for (const char* text : {"",
                             ",",
                             "text",
                             "text:",
                             "text:x",
                             "text:-1",
                             "text:nan",
                             "text:inf",
                             "text:1e9",
                             "text:1x",
                             "video:1",
                             "text:1,",
                             "text:1,text:2",
                             "text:0,image:0",
                             "text:1;image:1"}) {
        expectRefused(parseMix(text), "--mix", text);
    }
}

TEST(ArrivalsTest, ReadsRates) {
    EXPECT_EQ(parseRates("1:50")->to, 50);
    EXPECT_EQ(parseRates("2.5")->from, 2.5);
    EXPECT_EQ(parseRates("2.5")->to, 2.5);
}

TEST(ArrivalsTest, RefusesMalformedRates) {
    for (const char* text : {"",
                             "0",
                             "0:5",
                             "-1",
                             "1:",
                             ":1",
                             "5:1",
                             "1:2:3",
                             "nan",
                             "1:nan",
                             "inf",
                             "1:20000",
                             "1/s"}) {
        expectRefused(parseRates(text), "--rate", text);
    }
}

TEST(ArrivalsTest, StepsInEqualRatios) {
    const std::vector<double> rates = ratesOf({1, 16}, 5);

    ASSERT_EQ(rates.size(), 5U);
    for (std::size_t i = 0; i < rates.size(); ++i) {
        EXPECT_NEAR(rates[i], std::pow(2.0, static_cast<double>(i)), 1e-9);
    }
    EXPECT_EQ(ratesOf({3, 3}, 5), std::vector<double>{3});
}

TEST(ArrivalsTest, KeepsTheRateAndTheMix) {
    const auto mix = parseMix("text:3,image:1");

    const std::vector<Arrival> arrivals = makeArrivals(100, 40, *mix, 7);

    ASSERT_EQ(arrivals.size(), 4000U);
    std::map<LoadKind, int> counts;
    Duration last{0};
    double squares = 0;
    for (const Arrival& arrival : arrivals) {
        ++counts[arrival.kind];
        EXPECT_GE(arrival.due, last);
        EXPECT_LT(arrival.due, std::chrono::seconds(40));
        const double gap = std::chrono::duration<double>(arrival.due - last).count();
        squares += gap * gap;
        last = arrival.due;
    }
    EXPECT_NEAR(counts[LoadKind::Text], 3000, 140);  // five standard deviations
    EXPECT_EQ(counts[LoadKind::Fused], 0);
    // Of exponential gaps, the mean square is twice the squared mean.
    EXPECT_NEAR(squares / 4000 / 1e-4, 2, 0.3);
}

TEST(ArrivalsTest, IsTheSameForOneSeed) {
    const auto mix = parseMix("text:1,image:1,fused:1");
    const auto dues = [&](std::uint64_t seed) {
        std::vector<Duration> all;
        for (const Arrival& arrival : makeArrivals(10, 3, *mix, seed)) {
            all.push_back(arrival.due);
        }
        return all;
    };

    EXPECT_EQ(dues(1), dues(1));
    EXPECT_NE(dues(1), dues(2));
    EXPECT_EQ(makeArrivals(0.001, 1, *mix, 1).size(), 1U);
}

// ---- the open loop, in virtual time

/// One server that takes `service` for each prompt, in order of arrival; time goes on when the loop
/// waits. Threads: compatible.
class VirtualServer final : public Pacer {
public:
    explicit VirtualServer(Duration service) : service_(service) {}

    TimePoint now() const override { return now_; }
    void waitUntil(TimePoint due) override {
        endUntil(due);
        now_ = std::max(now_, due + oversleep_);
    }
    void endAll() { endUntil(TimePoint::max()); }

    PromptStarter starter() {
        return [this](LoadKind /*kind*/, std::function<void(Result<void>)> onEnd) -> Result<void> {
            if (++startedCount_ == refusedNumber_) {
                return Error{ErrorCode::Busy, "the queue is full"};
            }
            const TimePoint end = std::max(now_, freeAt_) + service_;
            freeAt_ = end;
            queue_.push_back({end, std::move(onEnd)});
            return {};
        };
    }
    void refuse(std::size_t number) { refusedNumber_ = number; }
    void failWith(Error error) { outcome_ = std::move(error); }
    void oversleepBy(Duration time) { oversleep_ = time; }
    /// The server does nothing before this.
    void stallUntil(Duration time) { freeAt_ = TimePoint(time); }

private:
    struct Waiting {
        TimePoint end;
        std::function<void(Result<void>)> onEnd;
    };

    void endUntil(TimePoint time) {
        while (!queue_.empty() && queue_.front().end <= time) {
            now_ = queue_.front().end;
            const auto onEnd = std::move(queue_.front().onEnd);
            queue_.pop_front();
            onEnd(outcome_);
        }
    }

    Duration service_;
    Duration oversleep_{0};
    TimePoint now_{};
    TimePoint freeAt_{};
    std::deque<Waiting> queue_;
    std::size_t startedCount_ = 0;
    std::size_t refusedNumber_ = 0;
    Result<void> outcome_;
};

std::vector<Arrival> everyTenMilliseconds(std::size_t count) {
    std::vector<Arrival> arrivals;
    for (std::size_t i = 1; i <= count; ++i) {
        arrivals.push_back({milliseconds(10) * i, i % 2 == 0 ? LoadKind::Text : LoadKind::Image});
    }
    return arrivals;
}

Result<LoadRun> runOn(VirtualServer& server, std::span<const Arrival> arrivals) {
    OpenLoop loop(server, 100);
    loop.inject(arrivals, server.starter());
    server.endAll();
    return loop.finish();
}

TEST(OpenLoopTest, TimesEachPromptFromItsPlan) {
    VirtualServer server(milliseconds(4));

    const auto run = runOn(server, everyTenMilliseconds(50));

    ASSERT_TRUE(run);
    EXPECT_FALSE(run->refusal);
    EXPECT_EQ(run->sentCount, 50U);
    ASSERT_EQ(run->samples.size(), 50U);
    for (const LoadSample& sample : run->samples) {
        EXPECT_DOUBLE_EQ(sample.ms, 4);
    }
    EXPECT_EQ(run->samples[1].kind, LoadKind::Text);
    EXPECT_EQ(run->mostInFlight, 1U);
    EXPECT_DOUBLE_EQ(run->lateP99Ms, 0);
    EXPECT_NEAR(run->seconds, 0.504, 1e-9);
}

TEST(OpenLoopTest, ChargesAStallToEveryPromptThatWasDueInIt) {
    VirtualServer server(milliseconds(1));
    server.stallUntil(milliseconds(200));

    const auto run = runOn(server, everyTenMilliseconds(50));

    ASSERT_TRUE(run);
    EXPECT_FALSE(run->refusal);
    // Due at 10, 20, … while nothing moves until 200: 191 ms, 182, … and not one slow prompt.
    EXPECT_DOUBLE_EQ(run->samples[0].ms, 191);
    EXPECT_DOUBLE_EQ(run->samples[9].ms, 110);
    EXPECT_EQ(run->mostInFlight, 20U);
}

TEST(OpenLoopTest, RefusesARateThatTheServerCannotKeep) {
    VirtualServer server(milliseconds(30));

    const auto run = runOn(server, everyTenMilliseconds(1000));

    ASSERT_TRUE(run);
    ASSERT_TRUE(run->refusal);
    EXPECT_THAT(*run->refusal, HasSubstr("overloaded: 100 prompts were in flight"));
    EXPECT_LT(run->sentCount, 200U);
}

TEST(OpenLoopTest, RefusesARateThatTheInjectorCannotKeep) {
    VirtualServer server(milliseconds(1));
    server.oversleepBy(milliseconds(25));

    const auto run = runOn(server, everyTenMilliseconds(50));

    ASSERT_TRUE(run);
    ASSERT_TRUE(run->refusal);
    EXPECT_THAT(*run->refusal, HasSubstr("the injector was 25.0 ms late"));
}

TEST(OpenLoopTest, RefusesARateWhosePromptsAreRefused) {
    VirtualServer server(milliseconds(1));
    server.refuse(7);

    const auto run = runOn(server, everyTenMilliseconds(50));

    ASSERT_TRUE(run);
    ASSERT_TRUE(run->refusal);
    EXPECT_THAT(*run->refusal, HasSubstr("the queue is full"));
    EXPECT_EQ(run->sentCount, 7U);
}

TEST(OpenLoopTest, PassesTheFirstErrorOn) {
    VirtualServer server(milliseconds(1));
    server.failWith({ErrorCode::Corruption, "a torn picture"});

    const auto run = runOn(server, everyTenMilliseconds(50));

    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().message, "a torn picture");
}

TEST(OpenLoopTest, WaitsForTheMachinesTime) {
    SteadyPacer pacer;
    const TimePoint due = pacer.now() + milliseconds(2);

    pacer.waitUntil(due);
    pacer.waitUntil(due - milliseconds(1));

    EXPECT_GE(pacer.now(), due);
}

// ---- the curve

LoadRun runWith(std::size_t count, double ms) {
    LoadRun run;
    run.seconds = 1;
    run.sentCount = count;
    run.samples.assign(count, {LoadKind::Text, ms});
    return run;
}

/// M/M/1 with capacity 100: mean latency 1 / (100 − rate).
LoadCurve queueCurve(std::span<const double> rates) {
    LoadCurve curve;
    for (const double rate : rates) {
        curve.points.push_back(pointOf(rate, runWith(30, 1000 / (100 - rate))));
    }
    return curve;
}

TEST(LoadCurveTest, GivesFiguresOnlyWithEnoughPrompts) {
    const LoadPoint few = pointOf(4, runWith(4, 1));
    const LoadPoint some = pointOf(20, runWith(20, 1));
    LoadRun mixed = runWith(100, 2);
    mixed.samples[3].kind = LoadKind::Image;
    const LoadPoint many = pointOf(100, mixed);

    EXPECT_FALSE(few.all.p50);
    EXPECT_TRUE(some.all.p95);
    EXPECT_FALSE(some.all.p99);
    EXPECT_TRUE(many.all.p99);
    EXPECT_EQ(many.kinds.at(LoadKind::Image).count, 1U);
    EXPECT_FALSE(many.kinds.at(LoadKind::Image).p50);
    EXPECT_DOUBLE_EQ(many.completedPerSecond, 100);
    EXPECT_DOUBLE_EQ(many.meanMs, 2);
}

TEST(LoadCurveTest, FindsTheKneeOfAQueueAtHalfItsCapacity) {
    const std::vector<double> rates{10, 20, 30, 40, 50, 60, 70, 80, 90};
    std::string why = "before";

    const auto knee = kneeOf(queueCurve(rates), why);

    ASSERT_TRUE(knee);
    EXPECT_EQ(rates[*knee], 50);
    EXPECT_EQ(why, "");
}

TEST(LoadCurveTest, SaysWhyThereIsNoKnee) {
    std::string why;

    EXPECT_FALSE(kneeOf(queueCurve(std::vector<double>{10, 20}), why));
    EXPECT_THAT(why, HasSubstr("fewer than three"));
    EXPECT_FALSE(kneeOf(queueCurve(std::vector<double>{10, 20, 30}), why));
    EXPECT_THAT(why, HasSubstr("not below the highest rate"));
}

TEST(LoadCurveTest, WritesTheContract) {
    LoadCurve curve = queueCurve(std::vector<double>{25, 50, 75});
    curve.refused.push_back({99, "overloaded: many"});

    const auto document = nlohmann::json::parse(toJson(curve));
    const std::string table = toTable(curve);

    ASSERT_EQ(document["points"].size(), 3U);
    const auto& point = document["points"][1];
    EXPECT_EQ(point["rate"], 50.0);
    EXPECT_EQ(point["count"], 30);
    EXPECT_DOUBLE_EQ(point["p50_ms"]["value"], 20);
    EXPECT_LE(point["p95_ms"]["low"], point["p95_ms"]["high"]);
    EXPECT_TRUE(point["p99_ms"].is_null());
    EXPECT_EQ(point["kinds"]["text"]["count"], 30);
    EXPECT_EQ(document["refused"][0]["reason"], "overloaded: many");
    EXPECT_EQ(document["knee"]["rate"], 50.0);
    EXPECT_EQ(document["knee_reason"], "");
    EXPECT_THAT(table, HasSubstr("knee at 50.00/s"));
    EXPECT_THAT(table, HasSubstr("not kept: 99.00/s: overloaded: many"));
    EXPECT_TRUE(nlohmann::json::parse(toJson(LoadCurve{}))["knee"].is_null());
}

}  // namespace
}  // namespace bifocal::cli
