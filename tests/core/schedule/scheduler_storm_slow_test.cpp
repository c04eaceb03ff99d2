// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profiler.h"
#include "tests/core/schedule/storm_checks.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace bifocal::schedule {
namespace {

TEST(SchedulerStormTest, S13AHundredThousandCancelledRequests) {
    constexpr std::size_t kRequestCount = 100'000;
    const SteadyClock clock;
    NullTracer tracer;
    const StormOptions options;

    RequestStorm storm(options, clock, tracer);
    storm.send(kRequestCount);

    expectSound(storm.report(), options, kRequestCount);
}

TEST(SchedulerStormTest, S17AMillionRequestsLeaveNothingBehind) {
    constexpr std::size_t kWarmUpCount = 200'000;
    constexpr std::size_t kRequestCount = 1'000'000;
    constexpr std::uint64_t kMostGrowthBytes = std::uint64_t{1} << 20U;
    const SteadyClock clock;
    profile::Profiler tracer(clock);
    StormOptions options;
    options.cancelledShare = 0.2;
    options.failingShare = 0.05;

    RequestStorm storm(options, clock, tracer);
    storm.send(kWarmUpCount);
    const std::uint64_t before = profile::residentBytes();
    storm.send(kRequestCount);
    const std::uint64_t after = profile::residentBytes();

    EXPECT_LT(after, before + kMostGrowthBytes);
    const StormReport report = storm.report();
    expectSound(report, options, kWarmUpCount + kRequestCount);
    EXPECT_GT(report.failed, kRequestCount / 25);
}

}  // namespace
}  // namespace bifocal::schedule
