// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace bifocal {
namespace {

Result<int> half(int value) {
    if (value % 2 != 0) {
        return Error{ErrorCode::InvalidArgument, "odd"};
    }
    return value / 2;
}

Result<int> quarter(int value) {
    BIFOCAL_TRY(const int once, half(value));
    BIFOCAL_TRY(const int twice, half(once));
    return twice;
}

Result<void> checkQuarter(int value) {
    BIFOCAL_CHECK(quarter(value));
    return {};
}

TEST(ResultTest, HoldsAValueOrAnError) {
    const Result<int> good = half(4);
    const Result<int> bad = half(3);

    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 2);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, ErrorCode::InvalidArgument);
    EXPECT_TRUE(Result<void>());
}

TEST(ResultTest, PassesAnErrorOnFromAnyStep) {
    EXPECT_EQ(*quarter(8), 2);
    EXPECT_EQ(quarter(3).error().message, "odd");
    EXPECT_EQ(quarter(6).error().message, "odd");
    EXPECT_TRUE(checkQuarter(8));
    EXPECT_EQ(checkQuarter(6).error().message, "odd");
}

TEST(ResultTest, MovesAValueThatCannotBeCopied) {
    const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
    const auto pass = [&]() -> Result<std::unique_ptr<int>> {
        BIFOCAL_TRY(auto value, make());
        return value;
    };

    EXPECT_EQ(**pass(), 7);
}

TEST(ResultTest, KeepsCodeAndRetryTimeWhenContextIsAdded) {
    const Error error{ErrorCode::Busy, "held", std::chrono::milliseconds(250)};

    const Error more = error.withContext("library");

    EXPECT_EQ(more.message, "library: held");
    EXPECT_EQ(more.code, ErrorCode::Busy);
    EXPECT_EQ(more.retryAfter, std::chrono::milliseconds(250));
}

TEST(ResultTest, NamesEveryCodeOnce) {
    std::set<std::string> names;
    for (int code = 1; code <= static_cast<int>(ErrorCode::Internal); ++code) {
        names.insert(toString(static_cast<ErrorCode>(code)));
    }

    EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::Internal));
    EXPECT_TRUE(names.contains("resource_exhausted"));
}

TEST(ResultDeathTest, AbortsWhenTheMissingPartIsTaken) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH((void)*half(3), "broken promise");
    EXPECT_DEATH((void)half(4).error(), "broken promise");
}

}  // namespace
}  // namespace bifocal
