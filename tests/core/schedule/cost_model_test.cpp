// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/cost_model.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>

namespace bifocal::schedule {
namespace {

using std::chrono::milliseconds;

double inMs(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

Duration fromMs(double ms) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
}

TEST(CostModelTest, KnowsNothingWithoutObservations) {
    EXPECT_EQ(CostModel().mean(8), Duration(0));
    EXPECT_EQ(CostModel().p95(8), Duration(0));
}

TEST(CostModelTest, FindsTheLineThroughExactTimes) {
    CostModel model;
    for (const std::uint32_t items : {1U, 4U, 8U, 2U}) {
        model.observe(items, fromMs(62.9 + 4.33 * items));
    }
    EXPECT_NEAR(inMs(model.mean(16)), 62.9 + 4.33 * 16, 1e-3);
    EXPECT_NEAR(inMs(model.mean(1)), 62.9 + 4.33, 1e-3);
}

TEST(CostModelTest, OneSizeAloneIsPredictedAsItWas) {
    CostModel model;
    for (int i = 0; i < 50; ++i) {
        model.observe(8, milliseconds(80));
    }
    EXPECT_NEAR(inMs(model.mean(8)), 80, 1e-6);
    EXPECT_NEAR(inMs(model.mean(4)), 40, 1e-6);
}

TEST(CostModelTest, FollowsADeviceThatChanges) {
    CostModel model;
    for (int i = 0; i < 200; ++i) {
        model.observe(i % 2 == 0 ? 1 : 8, fromMs(10 + 1 * (i % 2 == 0 ? 1 : 8)));
    }
    for (int i = 0; i < 300; ++i) {
        model.observe(i % 2 == 0 ? 1 : 8, fromMs(20 + 2 * (i % 2 == 0 ? 1 : 8)));
    }
    EXPECT_NEAR(inMs(model.mean(4)), 28, 0.5);
}

TEST(CostModelTest, TheSpreadCoversNineteenOfTwenty) {
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> noise(0, 0.2);
    CostModel model;
    int within = 0;
    constexpr int kCount = 4000;
    for (int i = 0; i < kCount; ++i) {
        const auto items = static_cast<std::uint32_t>(1U << (random() % 4));
        const Duration time = fromMs((60 + 5.0 * items) * noise(random));
        within += i >= 100 && time <= model.p95(items) ? 1 : 0;
        model.observe(items, time);
    }
    EXPECT_NEAR(within / static_cast<double>(kCount - 100), 0.95, 0.03);
}

TEST(CostModelTest, TheScaleMakesItWrongOnPurpose) {
    CostModel model(0.7);
    model.observe(1, milliseconds(100));
    EXPECT_NEAR(inMs(model.mean(1)), 70, 1e-6);
}

}  // namespace
}  // namespace bifocal::schedule
