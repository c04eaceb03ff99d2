// SPDX-License-Identifier: Apache-2.0
#include "core/profile/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace bifocal::profile {
namespace {

constexpr double kErrorBound = 1.0 / 256.0;  // what the header promises, below the 1 % asked for

TEST(HistogramTest, IsEmptyAtFirst) {
    const Histogram histogram;

    EXPECT_EQ(histogram.count(), 0U);
    EXPECT_EQ(histogram.max(), 0U);
    EXPECT_EQ(histogram.quantile(0.5), 0U);
}

TEST(HistogramTest, BucketsAreContiguousAndCoverEveryValue) {
    std::size_t last = 0;
    for (std::uint64_t value = 0; value < 1U << 16U; ++value) {
        const std::size_t bucket = Histogram::bucketOf(value);
        ASSERT_TRUE(bucket == last || bucket == last + 1) << value;
        last = bucket;
    }
    EXPECT_EQ(Histogram::bucketOf((std::uint64_t{1} << 40U) - 1), Histogram::kBucketCount - 1);
    EXPECT_EQ(Histogram::bucketOf(std::uint64_t{1} << 40U), Histogram::kBucketCount - 1);
    EXPECT_EQ(Histogram::bucketOf(UINT64_MAX), Histogram::kBucketCount - 1);
}

TEST(HistogramTest, MiddleOfABucketLiesInIt) {
    for (std::size_t bucket = 0; bucket < Histogram::kBucketCount; ++bucket) {
        ASSERT_EQ(Histogram::bucketOf(Histogram::valueOf(bucket)), bucket);
    }
}

TEST(HistogramTest, MiddleOfABucketIsCloseToBothItsEnds) {
    // Both ends of every octave and of every step in it.
    for (unsigned exponent = 7; exponent < 40; ++exponent) {
        for (std::uint64_t step = 0; step < Histogram::kStepsPerOctave; ++step) {
            const std::uint64_t width = std::uint64_t{1} << (exponent - 7);
            const std::uint64_t low = (Histogram::kStepsPerOctave + step) * width;
            for (const std::uint64_t value : {low, low + width - 1}) {
                const auto middle =
                    static_cast<double>(Histogram::valueOf(Histogram::bucketOf(value)));
                const double truth = static_cast<double>(value);
                ASSERT_LE(std::abs(middle - truth), truth * kErrorBound) << value;
            }
        }
    }
}

TEST(HistogramTest, QuantilesAgreeWithSortedSamples) {
    const std::vector<std::function<double(std::mt19937_64&)>> shapes = {
        [](auto& random) { return std::uniform_real_distribution<>(0, 300)(random); },
        [](auto& random) { return std::uniform_real_distribution<>(1e6, 2e8)(random); },
        [](auto& random) { return std::exponential_distribution<>(1e-6)(random); },
        [](auto& random) { return std::lognormal_distribution<>(14, 3)(random); },
        [](auto& random) {
            return std::bernoulli_distribution(0.02)(random) ? 1e9 : 5e6;  // two peaks
        },
    };
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
        for (const std::size_t sampleCount : {1U, 2U, 3U, 99U, 100U, 101U, 5000U}) {
            std::mt19937_64 random(1000 * shape + sampleCount);
            Histogram histogram;
            std::vector<std::uint64_t> samples;
            for (std::size_t i = 0; i < sampleCount; ++i) {
                samples.push_back(
                    static_cast<std::uint64_t>(std::min(shapes[shape](random), 1e12)));
                histogram.add(samples.back());
            }
            std::sort(samples.begin(), samples.end());

            for (const double q : {0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
                const auto rank = static_cast<std::size_t>(
                    std::max(1.0, std::ceil(q * static_cast<double>(sampleCount))));
                const auto truth = static_cast<double>(samples[rank - 1]);
                const auto answer = static_cast<double>(histogram.quantile(q));
                EXPECT_LE(std::abs(answer - truth), truth * kErrorBound)
                    << "shape " << shape << " samples " << sampleCount << " q " << q;
            }
            EXPECT_EQ(histogram.max(), samples.back());
            EXPECT_EQ(histogram.count(), sampleCount);
        }
    }
}

TEST(HistogramTest, AWeightCountsLikeThatManySamples) {
    Histogram histogram;

    histogram.add(100, 98);
    histogram.add(1'000'000, 2);
    histogram.add(5'000'000, 0);

    EXPECT_EQ(histogram.count(), 100U);
    EXPECT_EQ(histogram.quantile(0.98), 100U);
    EXPECT_GT(histogram.quantile(0.99), 990'000U);
    EXPECT_EQ(histogram.max(), 1'000'000U);
}

TEST(HistogramTest, LosesNothingWhenManyThreadsAdd) {
    Histogram histogram;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 1; thread <= 4; ++thread) {
        threads.emplace_back([&histogram, thread] {
            for (std::uint64_t i = 0; i < 20'000; ++i) {
                histogram.add(i * thread);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    EXPECT_EQ(histogram.count(), 80'000U);
    EXPECT_EQ(histogram.max(), 19'999U * 4U);
}

}  // namespace
}  // namespace bifocal::profile
