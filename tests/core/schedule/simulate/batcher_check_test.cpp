// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/batcher_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace bifocal::schedule {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

TEST(BatcherCheckTest, S15FillThenTwoAtFortyFiveAreFlushedAtNinetyFive) {
    std::vector<Duration> arrivals(8, milliseconds(0));
    arrivals.insert(arrivals.end(), 2, milliseconds(45));

    const BatcherCheck check = checkBatcher(arrivals);

    EXPECT_THAT(check.flushes,
                ElementsAre(BatcherFlush{milliseconds(0), 8}, BatcherFlush{milliseconds(95), 2}));
    EXPECT_EQ(check.wrongFlushes, 0U);
}

TEST(BatcherCheckTest, ALoneTaskWaitsForTheWholeWindow) {
    const std::vector<Duration> arrivals{milliseconds(10), milliseconds(70)};

    EXPECT_THAT(checkBatcher(arrivals).flushes,
                ElementsAre(BatcherFlush{milliseconds(60), 1}, BatcherFlush{milliseconds(120), 1}));
}

TEST(BatcherCheckTest, S15RandomArrivalsAreFlushedAtEightOrFiftyMilliseconds) {
    std::size_t full = 0;
    std::size_t all = 0;
    for (const double perSecond : {20.0, 78.0, 160.0, 400.0}) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const BatcherCheck check = checkBatcher(batcherArrivals(seed, 500, perSecond));
            ASSERT_EQ(check.wrongFlushes, 0U) << perSecond << " per second, seed " << seed;
            all += check.flushes.size();
            for (const BatcherFlush& flush : check.flushes) {
                full += flush.size == 8 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(full, all / 10) << "both reasons must occur";
    EXPECT_LT(full, all * 9 / 10);
}

}  // namespace
}  // namespace bifocal::schedule
