// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace bifocal::imaging {
namespace {

constexpr std::size_t kSide = 32;
constexpr std::size_t kFrequencies = 8;
constexpr double kLeastSpread = 2.0;  ///< standard deviation of the luminance, of 255
constexpr double kLeastSignal = 2.0;  ///< a coefficient below it is rounding or the encoder's noise
constexpr std::size_t kLeastLoudCount = 12;  ///< with fewer, unlike pictures share their bits

using Plane = std::array<std::array<double, kSide>, kSide>;
using Spectrum = std::array<double, kFrequencies * kFrequencies>;

/// The share that each of the 32 bins takes of the samples under it: of bin i, [i·n/32,
/// (i+1)·n/32). Works for n below 32 as well, where a sample covers several bins.
template <typename Visit>
void forEachShare(int sampleCount, std::size_t bin, Visit visit) {
    const double width = static_cast<double>(sampleCount) / kSide;
    const double begin = static_cast<double>(bin) * width;
    const double end = begin + width;
    const int last = std::min(sampleCount - 1, static_cast<int>(std::ceil(end)) - 1);
    for (int sample = static_cast<int>(begin); sample <= last; ++sample) {
        const double share = std::min<double>(end, sample + 1) - std::max<double>(begin, sample);
        if (share > 0.0) {
            visit(sample, share / width);
        }
    }
}

double luminanceOverWhite(const std::uint8_t* pixel) {
    const double luminance = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
    const double alpha = pixel[3] / 255.0;
    return luminance * alpha + 255.0 * (1.0 - alpha);
}

Plane reduced(ImageView image) {
    Plane plane{};
    std::vector<double> row(static_cast<std::size_t>(image.width));
    std::array<double, kSide> bins{};
    int binnedRow = -1;
    for (std::size_t binY = 0; binY < kSide; ++binY) {
        forEachShare(image.height, binY, [&](int y, double shareY) {
            if (y != binnedRow) {  // neighbouring bins share a row
                const std::uint8_t* pixel = image.row(y);
                for (double& value : row) {
                    value = luminanceOverWhite(pixel);
                    pixel += 4;
                }
                bins.fill(0.0);
                for (std::size_t binX = 0; binX < kSide; ++binX) {
                    forEachShare(image.width, binX, [&](int x, double shareX) {
                        bins[binX] += shareX * row[static_cast<std::size_t>(x)];
                    });
                }
                binnedRow = y;
            }
            for (std::size_t binX = 0; binX < kSide; ++binX) {
                plane[binY][binX] += shareY * bins[binX];
            }
        });
    }
    return plane;
}

double spreadOf(const Plane& plane) {
    double sum = 0.0;
    double squares = 0.0;
    for (const auto& row : plane) {
        for (const double value : row) {
            sum += value;
            squares += value * value;
        }
    }
    const double count = kSide * kSide;
    const double mean = sum / count;
    return std::sqrt(std::max(0.0, squares / count - mean * mean));
}

/// The lowest 8 × 8 coefficients of the orthonormal DCT-II.
Spectrum lowFrequencies(const Plane& plane) {
    std::array<std::array<double, kSide>, kFrequencies> basis{};
    for (std::size_t frequency = 0; frequency < kFrequencies; ++frequency) {
        const double scale = std::sqrt((frequency == 0 ? 1.0 : 2.0) / kSide);
        for (std::size_t index = 0; index < kSide; ++index) {
            const double angle = std::numbers::pi * static_cast<double>(frequency) *
                                 (2.0 * static_cast<double>(index) + 1.0) / (2.0 * kSide);
            basis[frequency][index] = scale * std::cos(angle);
        }
    }
    Spectrum spectrum{};
    for (std::size_t u = 0; u < kFrequencies; ++u) {
        for (std::size_t y = 0; y < kSide; ++y) {
            double along = 0.0;
            for (std::size_t x = 0; x < kSide; ++x) {
                along += basis[u][x] * plane[y][x];
            }
            for (std::size_t v = 0; v < kFrequencies; ++v) {
                spectrum[v * kFrequencies + u] += basis[v][y] * along;
            }
        }
    }
    return spectrum;
}

}  // namespace

std::uint64_t perceptualHash(ImageView image) {
    if (image.isEmpty()) {
        return 0;
    }
    const Plane plane = reduced(image);
    if (spreadOf(plane) < kLeastSpread) {
        return 0;
    }
    Spectrum spectrum = lowFrequencies(plane);
    std::size_t loudCount = 0;
    for (double& coefficient : spectrum) {
        // Pictures with few frequencies have a median near zero: without this the bits of the
        // others would be a matter of rounding.
        if (std::abs(coefficient) < kLeastSignal) {
            coefficient = 0.0;
        } else {
            ++loudCount;
        }
    }
    if (loudCount < kLeastLoudCount) {
        return 0;
    }
    Spectrum sorted = spectrum;
    std::sort(sorted.begin(), sorted.end());
    const double median = (sorted[sorted.size() / 2 - 1] + sorted[sorted.size() / 2]) / 2.0;
    std::uint64_t hash = 0;
    for (std::size_t index = 0; index < spectrum.size(); ++index) {
        hash |= std::uint64_t{spectrum[index] > median ? 1U : 0U} << index;
    }
    return hash;
}

}  // namespace bifocal::imaging
