// SPDX-License-Identifier: Apache-2.0
#include "tests/core/schedule/seed_decay_traces.h"

#include <gtest/gtest.h>

namespace bifocal::schedule {
namespace {

TEST(SeedDecayConformanceTest, HundredThousandTracesAreServedAsReEvaluationServesThem) {
    for (std::uint64_t seed = 0; seed < 100000; ++seed) {
        ASSERT_EQ(seedDecayDifference(seed), std::nullopt) << "seed " << seed;
    }
}

}  // namespace
}  // namespace bifocal::schedule
