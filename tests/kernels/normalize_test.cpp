// SPDX-License-Identifier: Apache-2.0
#include "kernels/normalize.h"

#include "kernels/internal/normalize_on.h"
#include "tests/kernels/guarded.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace bifocal::kernels {
namespace {

/// A half from its definition: sign, exponent, fraction.
double valueOf(std::uint16_t bits) {
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const int exponent = (bits >> 10U) & 0x1F;
    const double fraction = (bits & 0x3FFU) / 1024.0;
    if (exponent == 31) {
        return fraction == 0.0 ? sign * std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::quiet_NaN();
    }
    return sign *
           (exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1.0 + fraction, exponent - 15));
}

TEST(Normalize, HandWorked) {
    std::array<float, 2> v{3.0F, -4.0F};
    ASSERT_TRUE(l2Normalize(v));
    EXPECT_FLOAT_EQ(v[0], 0.6F);
    EXPECT_FLOAT_EQ(v[1], -0.8F);
}

TEST(Normalize, LengthIsOneOverEverySizeAndRange) {
    for (const std::size_t size : kEdgeSizes) {
        for (const float range : {1e-44F, 1e-30F, 1.0F, 1e38F}) {
            std::mt19937 random(1000 + static_cast<unsigned>(size));
            std::uniform_real_distribution<float> uniform(0.5F, 1.0F);
            Guarded<float> values(size);
            for (float& value : values.span()) {
                value = uniform(random) * range;
            }
            ASSERT_EQ(l2Normalize(values.span()), size > 0) << size << " " << range;
            double sum = 0;
            for (const float value : values.span()) {
                sum += double{value} * double{value};
            }
            EXPECT_NEAR(sum, size > 0 ? 1.0 : 0.0, 1e-6) << size << " " << range;
            EXPECT_TRUE(values.areBandsIntact());
        }
    }
}

TEST(Normalize, LeavesWhatHasNoDirection) {
    for (const float bad : {0.0F,
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
        std::array<float, 3> v{0.0F, bad, 0.0F};
        EXPECT_FALSE(l2Normalize(v)) << bad;
        EXPECT_EQ(std::bit_cast<std::uint32_t>(v[1]), std::bit_cast<std::uint32_t>(bad));
    }
}

TEST(Normalize, EveryHalfBecomesItsFloatAndComesBack) {
    for (const Isa isa : availableIsas()) {
        std::vector<Half> halves(65536);
        for (std::size_t i = 0; i < halves.size(); ++i) {
            halves[i].bits = static_cast<std::uint16_t>(i);
        }
        std::vector<float> floats(halves.size());
        std::vector<Half> back(halves.size());
        toFloatOn(isa, halves, floats);
        toHalfOn(isa, floats, back);
        for (std::size_t i = 0; i < halves.size(); ++i) {
            const double expected = valueOf(halves[i].bits);
            if (std::isnan(expected)) {
                ASSERT_TRUE(std::isnan(floats[i])) << toString(isa) << " " << i;
                ASSERT_TRUE(std::isnan(valueOf(back[i].bits))) << toString(isa) << " " << i;
            } else {
                ASSERT_EQ(double{floats[i]}, expected) << toString(isa) << " " << i;
                ASSERT_EQ(back[i], halves[i]) << toString(isa) << " " << i;
            }
        }
    }
}

TEST(Normalize, RoundsToTheNearestHalfTiesToEven) {
    for (const Isa isa : availableIsas()) {
        // Below, on and above the middle between neighbours, over all finite positive halves.
        std::vector<float> floats;
        std::vector<std::uint16_t> expected;
        for (std::uint16_t bits = 0; bits < 0x7BFF; ++bits) {
            const auto next = static_cast<std::uint16_t>(bits + 1);
            const auto middle = static_cast<float>((valueOf(bits) + valueOf(next)) / 2);
            floats.insert(floats.end(),
                          {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, 1e30F)});
            expected.insert(expected.end(), {bits, bits % 2 == 0 ? bits : next, next});
        }
        floats.insert(floats.end(), {65519.996F, 65520.0F, 1e38F});
        expected.insert(expected.end(), {0x7BFF, 0x7C00, 0x7C00});
        std::vector<Half> halves(floats.size());
        toHalfOn(isa, floats, halves);
        for (std::size_t i = 0; i < floats.size(); ++i) {
            ASSERT_EQ(halves[i].bits, expected[i]) << toString(isa) << " " << floats[i];
        }
    }
}

TEST(Normalize, ConversionsStayInsideTheirSpans) {
    for (const Isa isa : availableIsas()) {
        for (const std::size_t size : kEdgeSizes) {
            Guarded<float> floats(size);
            Guarded<Half> halves(size);
            for (std::size_t i = 0; i < size; ++i) {
                floats.data()[i] = static_cast<float>(i % 2048);
            }
            toHalfOn(isa, floats.span(), halves.span());
            toFloatOn(isa, halves.span(), floats.span());
            for (std::size_t i = 0; i < size; ++i) {
                ASSERT_EQ(floats.data()[i], static_cast<float>(i % 2048)) << toString(isa);
            }
            EXPECT_TRUE(floats.areBandsIntact()) << toString(isa) << " " << size;
            EXPECT_TRUE(halves.areBandsIntact()) << toString(isa) << " " << size;
        }
    }
}

TEST(Normalize, HammingDistance) {
    EXPECT_EQ(hammingDistance(0, 0), 0);
    EXPECT_EQ(hammingDistance(0, ~std::uint64_t{0}), 64);
    EXPECT_EQ(hammingDistance(0b1011, 0b0110), 3);
    EXPECT_EQ(hammingDistance(std::uint64_t{1} << 63U, 1), 2);
}

}  // namespace
}  // namespace bifocal::kernels
