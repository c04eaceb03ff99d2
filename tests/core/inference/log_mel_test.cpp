// SPDX-License-Identifier: Apache-2.0
#include "core/inference/log_mel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace bifocal {
namespace {

constexpr std::size_t kMels = 80;

/// The definition, in FP64: a direct sum for every bin of every frame.
std::vector<double> slowLogMel(const std::vector<float>& samples, std::size_t frameCount) {
    const std::vector<float> filters = melFilters(kMels);
    const auto at = [&](std::ptrdiff_t index) {
        const std::size_t place = static_cast<std::size_t>(index < 0 ? -index : index);
        return place < samples.size() ? static_cast<double>(samples[place]) : 0.0;
    };
    std::vector<double> mel(kMels * frameCount);
    for (std::size_t frame = 0; frame < frameCount; ++frame) {
        std::vector<double> power(kMelBins);
        for (std::size_t k = 0; k < kMelBins; ++k) {
            double real = 0;
            double imaginary = 0;
            for (std::size_t n = 0; n < kMelWindow; ++n) {
                const double turn = 2 * std::numbers::pi / kMelWindow;
                const double value = at(static_cast<std::ptrdiff_t>(frame * kMelHop + n) -
                                        static_cast<std::ptrdiff_t>(kMelWindow / 2)) *
                                     (0.5 - 0.5 * std::cos(turn * static_cast<double>(n)));
                const double angle = turn * static_cast<double>(k * n % kMelWindow);
                real += value * std::cos(angle);
                imaginary -= value * std::sin(angle);
            }
            power[k] = real * real + imaginary * imaginary;
        }
        for (std::size_t band = 0; band < kMels; ++band) {
            double sum = 0;
            for (std::size_t k = 0; k < kMelBins; ++k) {
                sum += static_cast<double>(filters[band * kMelBins + k]) * power[k];
            }
            mel[band * frameCount + frame] = std::log10(std::max(sum, 1e-10));
        }
    }
    const double floor = *std::max_element(mel.begin(), mel.end()) - 8;
    for (double& value : mel) {
        value = (std::max(value, floor) + 4) / 4;
    }
    return mel;
}

TEST(LogMel, IsTheDirectSum) {
    std::mt19937 random(20'263);
    std::normal_distribution<float> noise(0, 0.1F);
    // Odd and even numbers of frames, a clip shorter than the mirrored end, and none at all.
    for (const auto& [sampleCount, frameCount] : std::vector<std::pair<std::size_t, std::size_t>>{
             {800, 6}, {801, 7}, {500, 3}, {120, 3}, {1, 2}, {0, 4}}) {
        std::vector<float> samples(sampleCount);
        for (std::size_t i = 0; i < sampleCount; ++i) {
            samples[i] = noise(random) + 0.3F * std::sin(0.2F * static_cast<float>(i));
        }
        std::vector<float> mel(kMels * frameCount);
        LogMel(kMels).compute(samples, frameCount, mel);
        const std::vector<double> expected = slowLogMel(samples, frameCount);
        for (std::size_t i = 0; i < mel.size(); ++i) {
            // A quarter of the logarithm: FP32's 1e−6 of a sum of 400, and what is small beside it.
            ASSERT_NEAR(static_cast<double>(mel[i]), expected[i], 2e-4)
                << sampleCount << " samples, band " << i / frameCount << ", frame "
                << i % frameCount;
        }
    }
}

TEST(LogMel, CutsALongerClip) {
    std::vector<float> samples(8'000);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = std::sin(0.3F * static_cast<float>(i));
    }
    std::vector<float> mel(kMels * 5);
    LogMel(kMels).compute(samples, 5, mel);
    const std::vector<double> expected = slowLogMel(samples, 5);
    for (std::size_t i = 0; i < mel.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(mel[i]), expected[i], 2e-4) << i;
    }
}

TEST(LogMel, FiltersOfEqualAreaCoverTheBand) {
    const std::vector<float> filters = melFilters(kMels);
    for (std::size_t band = 20; band < kMels; ++band) {
        double area = 0;
        for (std::size_t bin = 0; bin < kMelBins; ++bin) {
            area += static_cast<double>(filters[band * kMelBins + bin]) * 40.0;
        }
        EXPECT_NEAR(area, 1.0, 0.1) << band;
    }
    // Slaney's scale: the first bands are 8,000 Hz = 45.25 mel over 81 steps, 37.2 Hz each.
    EXPECT_NEAR(filters[0 * kMelBins + 1], 2.0 / (2 * 37.24) * (1 - 2.76 / 37.24), 1e-3);
    EXPECT_EQ(filters[kMelBins], 0.0F);
}

}  // namespace
}  // namespace bifocal
