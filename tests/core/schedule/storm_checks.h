// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/simulate/request_storm.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace bifocal::schedule {

/// What must hold of every storm, whatever its threads did.
inline void expectSound(const StormReport& report,
                        const StormOptions& options,
                        std::size_t requestCount) {
    EXPECT_EQ(report.violations, 0U);
    EXPECT_GE(report.requests, requestCount) << "and some visitors";
    EXPECT_EQ(report.completed + report.abandoned, report.accepted);
    EXPECT_EQ(report.wasted.count(), 0);
    EXPECT_EQ(report.reservedBytes, 0U);
    EXPECT_EQ(report.readyTasks, 0U);
    EXPECT_TRUE(report.isWithinBudget);
    EXPECT_GT(report.completed, 0U);
    const auto expected = static_cast<double>(requestCount) * options.cancelledShare /
                          static_cast<double>(kCancelMomentCount);
    for (std::size_t moment = 1; moment <= kCancelMomentCount; ++moment) {
        EXPECT_GT(static_cast<double>(report.cancelledOf(static_cast<CancelMoment>(moment))),
                  0.7 * expected)
            << "moment " << moment;
    }
}

}  // namespace bifocal::schedule
