// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/admission.h"
#include "tests/core/schedule/claimants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace bifocal::schedule {
namespace {

TimePoint at(std::int64_t nanoseconds) {
    return TimePoint(Duration(nanoseconds));
}

Prediction predict(std::int64_t now, std::int64_t time) {
    return {at(now), Duration(time)};
}

/// Budget 100; lane 0 runs 60 until t = 50 and lane 1 claims 90 for batch work.
class BackfillTest : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(admission_.tryAdmit(kBatch0, 60, predict(0, 50)), Admitted::Yes);
        ASSERT_EQ(admission_.tryAdmit(kBatch1, 90, predict(0, 20)), Admitted::No);
    }

    MemoryLedger ledger_{100};
    Admission admission_{ledger_, 4, 0};
};

TEST_F(BackfillTest, TheFirstClaimIsToldItsStart) {
    const auto kept = admission_.reservation(at(10));

    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->who.lane, 1U);
    EXPECT_EQ(kept->start, at(50));
    EXPECT_EQ(kept->spareBytes, 10U);
}

TEST_F(BackfillTest, WhatEndsBeforeTheClaimsStartPasses) {
    EXPECT_EQ(admission_.tryAdmit(kBatch2, 40, predict(10, 40)), Admitted::YesOthersWait);
    EXPECT_EQ(admission_.reservation(at(10))->start, at(50));
}

TEST_F(BackfillTest, WhatFitsBesideTheClaimPassesHoweverLongItTakes) {
    EXPECT_EQ(admission_.tryAdmit(kBatch2, 10, predict(10, 4000)), Admitted::YesOthersWait);
    EXPECT_EQ(admission_.tryAdmit(kBatch3, 1, predict(10, 4000)), Admitted::No)
        << "the room beside the claim is used up";
    EXPECT_EQ(admission_.reservation(at(10))->start, at(50));
}

TEST_F(BackfillTest, WhatWouldDelayTheClaimWaits) {
    EXPECT_EQ(admission_.tryAdmit(kBatch2, 11, predict(10, 41)), Admitted::No);
    EXPECT_EQ(describe(admission_.firstServable(at(10))), "none");
}

TEST_F(BackfillTest, NothingPassesWithoutAPrediction) {
    EXPECT_TRUE(admission_.claimIfItMustWait(kBatch2, 10));
    EXPECT_EQ(admission_.tryAdmit(kBatch2, 10), Admitted::No);
    EXPECT_EQ(describe(admission_.firstServable(at(10))), "none");
}

TEST_F(BackfillTest, NothingPassesAClaimThatWaitsForWorkOfUnknownLength) {
    admission_.release(60, at(50));
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 90, predict(5, 20)), Admitted::Yes);
    admission_.release(90, at(25));
    ASSERT_EQ(admission_.tryAdmit(kBatch0, 60), Admitted::Yes);
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 90, predict(30, 20)), Admitted::No);

    EXPECT_FALSE(admission_.reservation(at(30)));
    EXPECT_EQ(admission_.tryAdmit(kBatch2, 1, predict(30, 1)), Admitted::No);
}

TEST_F(BackfillTest, AnOlderClaimThatCouldNotPassIsNamedWhenItCan) {
    ASSERT_EQ(admission_.tryAdmit(kBatch2, 40, predict(10, 40)), Admitted::YesOthersWait);
    ASSERT_EQ(admission_.tryAdmit(kBatch3, 5, predict(10, 5)), Admitted::No) << "no room";
    EXPECT_EQ(describe(admission_.firstServable(at(10))), "none");

    admission_.release(40, at(50));

    EXPECT_EQ(describe(admission_.firstServable()), "none") << "without the time, no passing";
    EXPECT_EQ(describe(admission_.firstServable(at(20))), "batch 3");
    EXPECT_EQ(admission_.tryAdmit(kBatch3, 5, predict(20, 5)), Admitted::YesOthersWait);
}

TEST_F(BackfillTest, LessUrgentWorkPassesOnlyTheFirstOfTheMoreUrgentClaims) {
    ASSERT_EQ(admission_.tryAdmit(kPrefetch2, 90, predict(10, 50)), Admitted::No);
    EXPECT_EQ(admission_.tryAdmit(kBatch3, 10, predict(10, 1)), Admitted::YesOthersWait)
        << "one claim of a more urgent class may be passed";
    ASSERT_EQ(admission_.tryAdmit(kInteractive2, 70, predict(10, 50)), Admitted::No);

    EXPECT_EQ(admission_.tryAdmit(kBatch3, 10, predict(10, 1)), Admitted::No);
}

TEST_F(BackfillTest, AClaimThatTheBudgetCannotHoldNowIsPassed) {
    ledger_.setBudget(80);
    EXPECT_EQ(admission_.reservation(at(10))->start, TimePoint::max());

    EXPECT_EQ(admission_.tryAdmit(kBatch2, 20, predict(10, 1000)), Admitted::YesOthersWait);
    ledger_.setBudget(100);
    EXPECT_EQ(admission_.reservation(at(10))->start, at(1010));
}

TEST_F(BackfillTest, SuspendedWorkIsPredictedAnew) {
    admission_.repredict(60, at(50), at(80));
    EXPECT_EQ(admission_.reservation(at(10))->start, at(80));

    EXPECT_EQ(admission_.tryAdmit(kBatch2, 40, predict(10, 70)), Admitted::YesOthersWait);
    admission_.release(60, at(80));
    admission_.release(40, at(80));
    EXPECT_EQ(describe(admission_.firstServable()), "batch 1");
}

TEST_F(BackfillTest, AnExtendedRunGivesAllOfItBackAtItsEnd) {
    admission_.withdraw(kBatch1);
    ASSERT_TRUE(admission_.tryExtend(20, at(50)));
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 90, predict(0, 20)), Admitted::No);

    EXPECT_EQ(admission_.reservation(at(10))->start, at(50));
    EXPECT_FALSE(admission_.tryExtend(1, at(50))) << "somebody waits";
    admission_.release(80, at(50));

    EXPECT_EQ(ledger_.snapshot().reservedBytes, 0U);
    EXPECT_EQ(describe(admission_.firstServable()), "batch 1");
}

TEST_F(BackfillTest, AnOverrunMovesTheStartToNowAndLetsNothingPassByTime) {
    EXPECT_EQ(admission_.reservation(at(70))->start, at(70));
    EXPECT_EQ(admission_.tryAdmit(kBatch2, 20, predict(70, 1)), Admitted::No);
}

TEST_F(BackfillTest, APredictionBeyondTheEndOfTimeIsNone) {
    admission_.release(60, at(50));
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 90, predict(5, 20)), Admitted::Yes);
    admission_.release(90, at(25));
    const Prediction never{at(5), Duration::max()};
    ASSERT_EQ(admission_.tryAdmit(kBatch0, 60, never), Admitted::Yes);
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 90, predict(5, 20)), Admitted::No);

    EXPECT_FALSE(admission_.reservation(at(5)));
    admission_.release(60, never.end());
    EXPECT_EQ(describe(admission_.firstServable()), "batch 1");
}

TEST(BackfillSlotTest, ASlotIsKeptForTheClaimToo) {
    MemoryLedger ledger(100);
    Admission admission(ledger, 4, 2);
    ASSERT_EQ(admission.tryAdmit({0, Urgency::Batch}, 60, predict(0, 50)), Admitted::Yes);
    ASSERT_EQ(admission.tryAdmit({1, Urgency::Batch}, 0, predict(0, 90)), Admitted::Yes);
    ASSERT_EQ(admission.tryAdmit({2, Urgency::Batch}, 50, predict(0, 10)), Admitted::No);
    EXPECT_EQ(admission.reservation(at(0))->start, at(50));
    admission.release(0, at(90));
    ASSERT_EQ(admission.reservation(at(0))->spareSlots, 1U);

    EXPECT_EQ(admission.tryAdmit({3, Urgency::Batch}, 10, predict(0, 90)), Admitted::YesOthersWait);
    EXPECT_EQ(admission.tryAdmit({0, Urgency::Prefetch}, 1, predict(0, 10)), Admitted::No)
        << "no slot";
    EXPECT_EQ(admission.reservation(at(0))->start, at(50));
}

/// The same rules written as plainly as possible: a candidate may begin when the first claim's
/// start, found by walking through all ends, is no later with it than without.
class NaiveModel {
public:
    struct Running {
        std::int64_t end;
        std::int64_t bytes;
    };

    std::int64_t budget = 0;
    std::vector<Running> running;

    std::int64_t usedAt(std::int64_t time) const {
        std::int64_t used = 0;
        for (const Running& each : running) {
            used += each.end > time ? each.bytes : 0;
        }
        return used;
    }
    std::int64_t startOf(std::int64_t bytes, std::int64_t now) const {
        std::vector<std::int64_t> times{now};
        for (const Running& each : running) {
            times.push_back(std::max(each.end, now));
        }
        std::sort(times.begin(), times.end());
        for (const std::int64_t time : times) {
            if (usedAt(time) + bytes <= budget) {
                return time;
            }
        }
        return std::numeric_limits<std::int64_t>::max();
    }
    bool delays(std::int64_t first, std::int64_t now, std::int64_t bytes, std::int64_t time) const {
        NaiveModel with = *this;
        with.running.push_back({now + time, bytes});
        return with.startOf(first, now) > startOf(first, now);
    }
};

/// Random work of one class over six lanes, some of it with a budget that moves; ends are early or
/// in time, never late.
class BackfillProperty : public ::testing::TestWithParam<int> {
protected:
    static constexpr std::uint32_t kLanes = 6;

    struct Waiting {
        std::int64_t bytes = 0;  // 0: nothing
        std::int64_t time = 0;
    };
    struct Live {
        std::int64_t actualEnd;
        std::int64_t predictedEnd;
        std::int64_t bytes;
    };

    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return low +
               static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
    }
    void offer(std::uint32_t lane) {
        if (waiting_[lane].bytes == 0) {
            waiting_[lane] = {pick(0, 4) == 0 ? pick(500, 900) : pick(1, 300), pick(1, 100)};
        }
        ask(lane);
    }
    void ask(std::uint32_t lane) {
        const Waiting job = waiting_[lane];
        const auto before = admission_->reservation(at(now_));
        const bool isFirst = before && before->who.lane == lane;
        const bool fits =
            model_.usedAt(now_ - 1) + job.bytes <= model_.budget;  // all of running counts
        const Admitted answer = admission_->tryAdmit(
            {lane, Urgency::Batch}, static_cast<std::uint64_t>(job.bytes), predict(now_, job.time));

        const bool expected =
            fits && (!before || isFirst ||
                     !model_.delays(waiting_[before->who.lane].bytes, now_, job.bytes, job.time));
        ASSERT_EQ(answer != Admitted::No, expected)
            << "seed " << GetParam() << " time " << now_ << " bytes " << job.bytes;
        if (answer == Admitted::No) {
            return;
        }
        if (isFirst) {
            EXPECT_LE(at(now_), *promise_) << "seed " << GetParam();
        } else if (before) {
            ++passedCount_;
        }
        const std::int64_t end = now_ + job.time;
        live_.push_back({pick(0, 1) == 0 ? end : pick(now_ + 1, end), end, job.bytes});
        model_.running.push_back({end, job.bytes});
        waiting_[lane] = {};
        ASSERT_LE(ledger_->snapshot().usedBytes(), ledger_->snapshot().budgetBytes);
    }
    void finish(std::size_t index) {
        const Live job = live_[index];
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
        const auto same = [&](const NaiveModel::Running& each) {
            return each.end == job.predictedEnd && each.bytes == job.bytes;
        };
        model_.running.erase(std::find_if(model_.running.begin(), model_.running.end(), same));
        admission_->release(static_cast<std::uint64_t>(job.bytes), at(job.predictedEnd));
    }
    void serve() {
        while (const auto next = admission_->firstServable(at(now_))) {
            ASSERT_NE(waiting_[next->lane].bytes, 0);
            ask(next->lane);
            ASSERT_EQ(waiting_[next->lane].bytes, 0) << "who is named must fit";
        }
    }
    /// What was promised to a first claim is never taken back.
    void checkPromise(bool isAnew) {
        const auto kept = admission_->reservation(at(now_));
        if (!kept) {
            promised_.reset();
            return;
        }
        EXPECT_EQ(kept->start,
                  kept->start == TimePoint::max()
                      ? TimePoint::max()
                      : at(model_.startOf(waiting_[kept->who.lane].bytes, now_)));
        if (promised_ != kept->who.lane || isAnew) {
            promise_ = kept->start;
        }
        EXPECT_LE(kept->start, *promise_) << "seed " << GetParam() << " time " << now_;
        promised_ = kept->who.lane;
    }
    void passTime(std::int64_t until);
    void run(int steps, bool moves);

    std::mt19937_64 random_{static_cast<std::uint64_t>(9000 + GetParam())};
    std::optional<MemoryLedger> ledger_;
    std::optional<Admission> admission_;
    NaiveModel model_;
    std::vector<Waiting> waiting_{kLanes};
    std::vector<Live> live_;
    std::optional<std::uint32_t> promised_;
    std::optional<TimePoint> promise_;
    std::int64_t now_ = 1;
    int passedCount_ = 0;
};

void BackfillProperty::passTime(std::int64_t until) {
    const auto sooner = [](const Live& a, const Live& b) { return a.actualEnd < b.actualEnd; };
    while (!live_.empty()) {
        const auto next = std::min_element(live_.begin(), live_.end(), sooner);
        if (next->actualEnd > until) {
            break;
        }
        now_ = next->actualEnd;
        finish(static_cast<std::size_t>(next - live_.begin()));
        checkPromise(false);
        serve();
        checkPromise(false);
    }
    now_ = until;
}

void BackfillProperty::run(int steps, bool moves) {
    model_.budget = 1000;
    ledger_.emplace(1000);
    admission_.emplace(*ledger_, kLanes, 0);
    for (int step = 0; step < steps && !HasFatalFailure(); ++step) {
        passTime(now_ + pick(0, 10));
        if (moves && pick(0, 9) == 0) {
            model_.budget = pick(600, 1000);
            ledger_->setBudget(static_cast<std::uint64_t>(model_.budget));
            checkPromise(true);
            serve();
        }
        offer(static_cast<std::uint32_t>(pick(0, kLanes - 1)));
        checkPromise(false);
    }
}

TEST_P(BackfillProperty, AgreesWithThePlainModelAndKeepsEveryPromise) {
    run(1500, false);
    EXPECT_GT(passedCount_, 50);
}

TEST_P(BackfillProperty, HoldsWhileOtherProgramsMoveTheBudget) {
    run(1500, true);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BackfillProperty, ::testing::Range(0, 12));

}  // namespace
}  // namespace bifocal::schedule
