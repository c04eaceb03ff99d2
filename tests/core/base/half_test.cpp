// SPDX-License-Identifier: Apache-2.0
#include "core/base/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace bifocal {
namespace {

Half halfOf(int bits) {
    return {static_cast<std::uint16_t>(bits)};
}

/// The definition of binary16, in double and apart from the code under test.
double valueOf(int bits) {
    const int exponent = bits >> 10 & 0x1F;
    const int fraction = bits & 0x3FF;
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    return sign *
           (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

bool isFinite(int bits) {
    return (bits & 0x7C00) != 0x7C00;
}

TEST(HalfTest, GivesTheExactValueOfEveryPattern) {
    for (int bits = 0; bits < 0x10000; ++bits) {
        if (isFinite(bits)) {
            ASSERT_EQ(static_cast<double>(toFloat(halfOf(bits))), valueOf(bits)) << bits;
            ASSERT_EQ(std::signbit(toFloat(halfOf(bits))), bits >= 0x8000) << bits;
        }
    }
}

TEST(HalfTest, ComesBackFromEveryPattern) {
    for (int bits = 0; bits < 0x10000; ++bits) {
        const float value = toFloat(halfOf(bits));
        if (!isFinite(bits) && (bits & 0x3FF) != 0) {
            ASSERT_TRUE(std::isnan(value)) << bits;
            ASSERT_TRUE(std::isnan(toFloat(toHalf(value)))) << bits;
            ASSERT_EQ(toHalf(value).bits & 0x8000, bits & 0x8000) << bits;
        } else {
            ASSERT_EQ(toHalf(value).bits, bits);
        }
    }
}

TEST(HalfTest, RoundsMidpointsToEvenAndTheirNeighboursToTheNearest) {
    for (int bits = 0; bits < 0x7BFF; ++bits) {  // every pair of finite neighbours
        const auto middle = static_cast<float>((valueOf(bits) + valueOf(bits + 1)) / 2.0);
        const int even = bits % 2 == 0 ? bits : bits + 1;

        ASSERT_EQ(toHalf(middle).bits, even) << bits;
        ASSERT_EQ(toHalf(std::nextafter(middle, 0.0F)).bits, bits) << bits;
        ASSERT_EQ(toHalf(std::nextafter(middle, 1e9F)).bits, bits + 1) << bits;
        ASSERT_EQ(toHalf(-middle).bits, even | 0x8000) << bits;
    }
}

TEST(HalfTest, GoesToInfinityFromTheMiddleAboveTheLargest) {
    EXPECT_EQ(toHalf(65504.0F).bits, 0x7BFF);
    EXPECT_EQ(toHalf(std::nextafter(65520.0F, 0.0F)).bits, 0x7BFF);
    EXPECT_EQ(toHalf(65520.0F).bits, 0x7C00);
    EXPECT_EQ(toHalf(-1e30F).bits, 0xFC00);
    EXPECT_EQ(toHalf(std::numeric_limits<float>::infinity()).bits, 0x7C00);
}

TEST(HalfTest, GoesToZeroBelowHalfOfTheSmallest) {
    EXPECT_EQ(toHalf(0x1p-25F).bits, 0);  // the middle, to even
    EXPECT_EQ(toHalf(std::nextafter(0x1p-25F, 1.0F)).bits, 1);
    EXPECT_EQ(toHalf(std::numeric_limits<float>::denorm_min()).bits, 0);
    EXPECT_EQ(toHalf(-0.0F).bits, 0x8000);
}

TEST(HalfTest, KeepsNanWhosePayloadLiesInTheLowBits) {
    const float nan = std::bit_cast<float>(0x7F800001U);

    EXPECT_TRUE(std::isnan(toFloat(toHalf(nan))));
}

}  // namespace
}  // namespace bifocal
