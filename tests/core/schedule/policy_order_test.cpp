// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/policies/adaptive_lifo_policy.h"
#include "core/schedule/policy.h"
#include "tests/core/schedule/policy_queues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace bifocal::schedule {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr unsigned kTraceCount = 40;

std::unique_ptr<Policy> make(const PolicyConfig& config, TimePoint epoch = {}) {
    auto policy = makePolicy(config, epoch);
    EXPECT_TRUE(policy) << policy.error().message;
    return *std::move(policy);
}

std::unique_ptr<Policy> make(const std::string& name) {
    PolicyConfig config;
    config.name = name;
    return make(config);
}

/// Whole traces at steps of a tie, milliseconds, minutes; a fresh policy and model for each.
void expectOrder(const PolicyConfig& config,
                 const std::function<std::unique_ptr<NaiveOrder>()>& makeNaive) {
    const std::array<Duration, 4> steps = {
        nanoseconds(3), milliseconds(20), milliseconds(400), std::chrono::minutes(10)};
    for (unsigned seed = 0; seed < kTraceCount; ++seed) {
        std::mt19937_64 random(seed);
        const TimePoint epoch(hours(below(random, 1000)) - hours(500));
        const std::unique_ptr<Policy> original = make(config, epoch);
        const std::unique_ptr<Policy> policy = original->clone();
        const std::unique_ptr<NaiveOrder> naive = makeNaive();
        const TraceShape shape{150, steps[seed % steps.size()], epoch - seconds(1)};
        EXPECT_EQ(firstDifference(*policy, *naive, shape, random), std::nullopt)
            << config.name << ", seed " << seed << ": number of the event";
    }
}

void expectOrder(const std::string& name,
                 const std::function<std::unique_ptr<NaiveOrder>()>& makeNaive) {
    PolicyConfig config;
    config.name = name;
    expectOrder(config, makeNaive);
}

/// The first of the smallest by a number.
class SmallestFirst final : public NaiveOrder {
public:
    using Rank = std::function<std::tuple<int, std::int64_t>(const Arrival&)>;
    explicit SmallestFirst(Rank rank) : rank_(std::move(rank)) {}

    std::optional<std::size_t> choose(std::span<const std::size_t> waiting,
                                      const PolicyQueues& queues,
                                      TimePoint /*now*/) override {
        return *std::min_element(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
            return rank_(queues.at(a)) < rank_(queues.at(b));
        });
    }

private:
    Rank rank_;
};

int classOf(const Arrival& arrival) {
    return static_cast<int>(arrival.task.urgency);
}

Duration slackOf(Urgency urgency) {
    return urgency == Urgency::Interactive ? Duration(milliseconds(100))
           : urgency == Urgency::Prefetch  ? Duration(seconds(1))
                                           : Duration(seconds(30));
}

std::int64_t dueNanoseconds(const Arrival& arrival) {
    const TimePoint due = arrival.time + slackOf(arrival.task.urgency);
    return std::min(due, arrival.task.deadline.value_or(due)).time_since_epoch().count();
}

TEST(PolicyOrderTest, FifoIsTheOrderOfArrivalOverAllClasses) {
    expectOrder("fifo", [] {
        return std::make_unique<SmallestFirst>(
            [](const Arrival&) { return std::tuple(0, std::int64_t{0}); });
    });
}

TEST(PolicyOrderTest, StrictPriorityIsClassThenArrival) {
    expectOrder("strict_priority", [] {
        return std::make_unique<SmallestFirst>(
            [](const Arrival& arrival) { return std::tuple(classOf(arrival), std::int64_t{0}); });
    });
}

TEST(PolicyOrderTest, SjfIsClassThenPredictedCost) {
    expectOrder("sjf", [] {
        return std::make_unique<SmallestFirst>([](const Arrival& arrival) {
            return std::tuple(classOf(arrival), arrival.task.predictedCost.count());
        });
    });
}

TEST(PolicyOrderTest, DeadlineIsClassThenVirtualDeadline) {
    expectOrder("deadline", [] {
        return std::make_unique<SmallestFirst>([](const Arrival& arrival) {
            return std::tuple(classOf(arrival), dueNanoseconds(arrival));
        });
    });
}

/// Turns, by walking round all flows from the one after that served last.
class Turns final : public NaiveOrder {
public:
    std::optional<std::size_t> choose(std::span<const std::size_t> waiting,
                                      const PolicyQueues& queues,
                                      TimePoint /*now*/) override {
        for (int step = 1; step <= kFlowCount; ++step) {
            for (const std::size_t name : waiting) {
                if (flowOf(queues.at(name).task) == (last_ + step) % kFlowCount) {
                    return name;
                }
            }
        }
        return std::nullopt;
    }
    void onDispatch(const Arrival& arrival, TimePoint /*now*/) override {
        last_ = flowOf(arrival.task);
    }

private:
    static constexpr int kFlowCount = 15;

    static int flowOf(const TaskSpec& task) {
        const int first = (static_cast<int>(task.urgency) - 1) * 5;
        if (task.features.hasVideo) {
            return first;
        }
        if (task.features.hasImage) {
            return first + 1;
        }
        if (task.features.hasSpeech) {
            return first + 2;
        }
        return task.features.hasText ? first + 3 : first + 4;
    }

    int last_ = kFlowCount - 1;
};

TEST(PolicyOrderTest, RoundRobinGivesEachFlowWithWorkOneTurn) {
    expectOrder("round_robin", [] { return std::make_unique<Turns>(); });
}

/// Keeps the events of each interval and counts them at its end.
class CountedIntervals final : public NaiveOrder {
public:
    void onArrival(std::size_t name, const Arrival& arrival) override {
        State& state = states_[arrival.task.urgency];
        advance(state, arrival.time);
        state.events.push_back('a');
        if (state.isOverloaded) {
            inFront_.insert(name);
        }
    }
    std::optional<std::size_t> choose(std::span<const std::size_t> waiting,
                                      const PolicyQueues& queues,
                                      TimePoint /*now*/) override {
        const auto rank = [&](std::size_t name) {
            const Arrival& arrival = queues.at(name);
            return inFront_.contains(name)
                       ? std::tuple(classOf(arrival), 0, -static_cast<std::int64_t>(name))
                       : std::tuple(classOf(arrival), 1, dueNanoseconds(arrival));
        };
        return *std::min_element(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
            return rank(a) < rank(b);
        });
    }
    void onDispatch(const Arrival& arrival, TimePoint now) override {
        State& state = states_[arrival.task.urgency];
        advance(state, now);
        const bool isLate = now - arrival.time > slackOf(arrival.task.urgency);
        state.events.push_back(isLate ? 'l' : 'd');
        if (state.isOverloaded) {
            return;
        }
        if (!isLate) {
            state.lateTimes.clear();
            return;
        }
        state.lateTimes.push_back(now);
        if (now - state.lateTimes.front() >= seconds(1)) {
            state = {true, now, {}, {}};
            ++overloadCount;
        }
    }

    static inline int overloadCount = 0;

private:
    struct State {
        bool isOverloaded = false;
        TimePoint begin;
        std::string events;  // since then: a arrival, d dispatch in time, l late one
        std::vector<TimePoint> lateTimes;
    };

    static void advance(State& state, TimePoint now) {
        if (state.isOverloaded && now - state.begin >= seconds(1)) {
            const auto count = [&](char kind) {
                return std::count(state.events.begin(), state.events.end(), kind);
            };
            state = {count('l') > 0 || count('a') > count('d'), now, {}, {}};
        }
    }

    std::map<Urgency, State> states_;
    std::set<std::size_t> inFront_;
};

TEST(PolicyOrderTest, AdaptiveLifoPutsTheNewestInFrontWhileItsClassIsOverloaded) {
    CountedIntervals::overloadCount = 0;

    expectOrder("adaptive_lifo", [] { return std::make_unique<CountedIntervals>(); });

    EXPECT_GT(CountedIntervals::overloadCount, 20) << "the traces must try it";
}

/// Whether a class may begin at a moment, by the definition alone.
bool isOpen(const StaticPartitionConfig& config, TimePoint epoch, Urgency urgency, TimePoint now) {
    const double frames =
        std::chrono::duration<double>(now - epoch) / std::chrono::duration<double>(config.frame);
    const double phase = frames - std::floor(frames);
    double opens = 0;
    for (const Urgency other : kAllUrgencies) {
        if (other == urgency) {
            break;
        }
        opens += config.share.of(other);
    }
    return phase >= opens && phase < opens + config.share.of(urgency);
}

/// First come within the class whose window is open.
class OpenWindows final : public NaiveOrder {
public:
    OpenWindows(const StaticPartitionConfig& config, TimePoint epoch)
        : config_(config), epoch_(epoch) {}

    std::optional<std::size_t> choose(std::span<const std::size_t> waiting,
                                      const PolicyQueues& queues,
                                      TimePoint now) override {
        for (const std::size_t name : waiting) {
            if (isOpen(config_, epoch_, queues.at(name).task.urgency, now)) {
                return name;
            }
        }
        return std::nullopt;
    }

private:
    StaticPartitionConfig config_;
    TimePoint epoch_;
};

TEST(PolicyOrderTest, StaticPartitionServesTheClassWhoseWindowIsOpen) {
    PolicyConfig config;
    config.name = "static_partition";
    config.staticPartition = {milliseconds(200), {0.3, 0.2, 0.4}};
    for (unsigned seed = 0; seed < kTraceCount; ++seed) {
        std::mt19937_64 random(seed);
        const TimePoint epoch(hours(below(random, 1000)));
        const auto policy = make(config, epoch);
        OpenWindows naive(config.staticPartition, epoch);

        EXPECT_EQ(firstDifference(*policy, naive, {100, milliseconds(90), epoch}, random),
                  std::nullopt)
            << "seed " << seed;
    }
}

TEST(StaticPartitionPolicyTest, AClassMayBeginInItsWindowAndNoEarlier) {
    PolicyConfig config;
    config.name = "static_partition";
    config.staticPartition = {milliseconds(200), {0.5, 0.1, 0.3}};
    const TimePoint epoch(seconds(100));
    const auto policy = make(config, epoch);
    const auto mayBeginAfter = [&](Urgency urgency, Duration time) {
        return policy->mayBeginAt(urgency, epoch + time) - epoch;
    };

    EXPECT_EQ(mayBeginAfter(Urgency::Interactive, milliseconds(0)), milliseconds(0));
    EXPECT_EQ(mayBeginAfter(Urgency::Interactive, milliseconds(100) - nanoseconds(1)),
              milliseconds(100) - nanoseconds(1));
    EXPECT_EQ(mayBeginAfter(Urgency::Interactive, milliseconds(100)), milliseconds(200));
    EXPECT_EQ(mayBeginAfter(Urgency::Prefetch, milliseconds(0)), milliseconds(100));
    EXPECT_EQ(mayBeginAfter(Urgency::Batch, milliseconds(30)), milliseconds(120));
    EXPECT_EQ(mayBeginAfter(Urgency::Batch, milliseconds(179)), milliseconds(179));
    EXPECT_EQ(mayBeginAfter(Urgency::Batch, milliseconds(180)), milliseconds(320))
        << "the last tenth belongs to nobody";
    EXPECT_EQ(mayBeginAfter(Urgency::Batch, -milliseconds(1)), milliseconds(120));
    EXPECT_EQ(mayBeginAfter(Urgency::Prefetch, -milliseconds(95)), -milliseconds(95))
        << "frames go on before the epoch";
}

TEST(StaticPartitionPolicyTest, SharesThatRoundToOneFillTheFrameWithoutAGap) {
    PolicyConfig config;
    config.name = "static_partition";
    config.staticPartition = {nanoseconds(1000003), {0.1, 0.2, 0.7}};
    const auto policy = make(config);

    for (std::int64_t time = 0; time < 1000003; time += 17) {
        int openCount = 0;
        for (const Urgency urgency : kAllUrgencies) {
            const TimePoint now{Duration(time)};
            openCount += policy->mayBeginAt(urgency, now) == now ? 1 : 0;
        }
        ASSERT_EQ(openCount, 1) << time;
    }
}

TEST(AdaptiveLifoPolicyTest, OverloadBeginsAfterAnIntervalOfLongWaitsAndEndsAfterOneWithout) {
    AdaptiveLifoPolicy policy({}, {}, {});
    const TaskSpec task;  // interactive: target 100 ms
    TimePoint now(seconds(10));
    const auto dispatch = [&](Duration waited) { policy.onDispatch(task, waited, now); };

    dispatch(milliseconds(101));
    now += milliseconds(999);
    dispatch(milliseconds(101));
    EXPECT_FALSE(policy.isOverloaded(Urgency::Interactive));
    now += milliseconds(1);
    dispatch(milliseconds(101));
    EXPECT_TRUE(policy.isOverloaded(Urgency::Interactive));
    EXPECT_FALSE(policy.isOverloaded(Urgency::Batch)) << "each class by itself";

    now += milliseconds(1000);  // nothing came and nothing was late: over
    policy.key(task, now);
    EXPECT_FALSE(policy.isOverloaded(Urgency::Interactive));
}

TEST(AdaptiveLifoPolicyTest, OneWaitWithinTheTargetBeginsTheIntervalAnew) {
    AdaptiveLifoPolicy policy({}, {}, {});
    TimePoint now(seconds(10));
    for (int i = 0; i < 100; ++i) {
        policy.onDispatch({}, i % 9 == 8 ? milliseconds(100) : milliseconds(101), now);
        now += milliseconds(120);
    }

    EXPECT_FALSE(policy.isOverloaded(Urgency::Interactive));
}

TEST(AdaptiveLifoPolicyTest, OverloadGoesOnWhileMoreComesThanIsServedHoweverShortTheWaits) {
    AdaptiveLifoPolicy policy({}, {}, {});
    TimePoint now(seconds(10));
    for (int i = 0; i <= 10; ++i) {
        policy.onDispatch({}, milliseconds(101), now);
        now += milliseconds(100);
    }
    ASSERT_TRUE(policy.isOverloaded(Urgency::Interactive));

    for (int i = 0; i < 1000; ++i) {
        policy.key({}, now);
        now += milliseconds(30);
        if (i % 2 == 0) {
            policy.onDispatch({}, milliseconds(30), now);
        }
    }

    EXPECT_TRUE(policy.isOverloaded(Urgency::Interactive));
}

TEST(AdaptiveLifoPolicyTest, ExtremeDeadlinesKeepTheOrder) {
    AdaptiveLifoPolicy policy({}, {}, TimePoint(seconds(5)));
    TaskSpec never;
    never.deadline = TimePoint::max();
    TaskSpec longAgo;
    longAgo.deadline = TimePoint::min();
    const TaskSpec plain;
    const TimePoint now(seconds(10));

    EXPECT_EQ(policy.key(never, now), policy.key(plain, now));
    EXPECT_LT(policy.key(longAgo, now), policy.key(plain, now));
}

/// Tasks of 67 ms served one at a time while twice as many come as fit: how many began in 300 ms.
int servedInTime(const std::string& name) {
    const auto policy = make(name);
    PolicyQueues queues(*policy);
    TimePoint now;
    TimePoint nextArrival;
    int count = 0;
    while (now < TimePoint(seconds(60))) {
        for (; nextArrival <= now; nextArrival += milliseconds(33)) {
            queues.add({}, nextArrival);
        }
        const std::size_t task = *queues.first(now);
        count += now - queues.at(task).time <= milliseconds(300) ? 1 : 0;
        queues.dispatch(task, now);
        now += milliseconds(67);
    }
    return count;
}

TEST(AdaptiveLifoPolicyTest, KeepsMostInTimeUnderOverloadWhereDeadlinesLoseAll) {
    const int all = 60000 / 67;

    EXPECT_GT(servedInTime("adaptive_lifo"), all * 9 / 10);
    EXPECT_LT(servedInTime("deadline"), all / 20);
    EXPECT_LT(servedInTime("fifo"), all / 20);
}

}  // namespace
}  // namespace bifocal::schedule
