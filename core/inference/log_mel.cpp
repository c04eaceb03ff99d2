// SPDX-License-Identifier: Apache-2.0
#include "core/inference/log_mel.h"

#include "core/base/assert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace bifocal {
namespace {

using Complex = std::complex<float>;

constexpr std::size_t kPadding = kMelWindow / 2;
constexpr float kLeastPower = 1e-10F;
constexpr float kDynamicRange = 8.0F;
constexpr double kTopHertz = 8000.0;
/// 400 = 4 · 4 · 5 · 5.
constexpr std::array<std::size_t, 4> kRadices{4, 4, 5, 5};

double hertzToMel(double hertz) {
    constexpr double kKneeHertz = 1000.0;
    return hertz < kKneeHertz ? hertz * 3.0 / 200.0
                              : 15.0 + 27.0 / std::log(6.4) * std::log(hertz / kKneeHertz);
}

double melToHertz(double mel) {
    return mel < 15.0 ? mel * 200.0 / 3.0 : 1000.0 * std::exp((mel - 15.0) * std::log(6.4) / 27.0);
}

Complex multiply(Complex a, Complex b) {
    // std::complex's own product cares for infinities, which cost more than the product.
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The DFT of `Radix` numbers.
template <std::size_t Radix>
std::array<Complex, Radix> smallTransform(const std::array<Complex, Radix>& in,
                                          std::span<const Complex> roots) {
    std::array<Complex, Radix> out;
    for (std::size_t k = 0; k < Radix; ++k) {
        Complex sum = in[0];
        for (std::size_t n = 1; n < Radix; ++n) {
            sum += multiply(in[n], roots[(k * n % Radix) * (kMelWindow / Radix)]);
        }
        out[k] = sum;
    }
    return out;
}

template <>
std::array<Complex, 4> smallTransform<4>(const std::array<Complex, 4>& in,
                                         std::span<const Complex> /*roots*/) {
    const Complex evenSum = in[0] + in[2];
    const Complex evenDifference = in[0] - in[2];
    const Complex oddSum = in[1] + in[3];
    const Complex oddDifference = in[1] - in[3];
    const Complex turned(oddDifference.imag(), -oddDifference.real());  // times −i
    return {evenSum + oddSum, evenDifference + turned, evenSum - oddSum, evenDifference - turned};
}

/// One step of a self-sorting transform: `done` is the product of the radices of earlier steps.
template <std::size_t Radix>
void transformStep(std::span<const Complex> from,
                   std::span<Complex> to,
                   std::size_t done,
                   std::span<const Complex> roots) {
    constexpr std::size_t kStride = kMelWindow / Radix;
    const std::size_t blocks = kStride / done;
    for (std::size_t block = 0; block < blocks; ++block) {
        for (std::size_t i = 0; i < done; ++i) {
            std::array<Complex, Radix> in;
            for (std::size_t n = 0; n < Radix; ++n) {
                in[n] = multiply(from[block * done + i + n * kStride],
                                 roots[(i * n * blocks) % kMelWindow]);
            }
            const std::array<Complex, Radix> out = smallTransform<Radix>(in, roots);
            for (std::size_t k = 0; k < Radix; ++k) {
                to[block * done * Radix + k * done + i] = out[k];
            }
        }
    }
}

/// In place, by way of `spare`; an even number of steps ends where it began.
void transform(std::span<Complex> values,
               std::span<Complex> spare,
               std::span<const Complex> roots) {
    static_assert(kRadices.size() % 2 == 0);
    std::size_t done = 1;
    for (const std::size_t radix : kRadices) {
        if (radix == 4) {
            transformStep<4>(values, spare, done, roots);
        } else {
            transformStep<5>(values, spare, done, roots);
        }
        done *= radix;
        std::swap(values, spare);
    }
}

/// The clip with its ends mirrored and zeros behind it, kPadding samples more on each side.
std::vector<float> mirrored(std::span<const float> samples, std::size_t frameCount) {
    const std::size_t size = frameCount * kMelHop + kMelWindow;
    std::vector<float> padded(size, 0.0F);
    const std::size_t kept = std::min(samples.size(), size - kPadding);
    std::copy_n(samples.begin(), kept, padded.begin() + kPadding);
    for (std::size_t i = 1; i <= kPadding && i < samples.size(); ++i) {
        padded[kPadding - i] = samples[i];
    }
    return padded;
}

}  // namespace

std::vector<float> melFilters(std::size_t melCount) {
    std::vector<double> points(melCount + 2);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i] = melToHertz(hertzToMel(kTopHertz) * static_cast<double>(i) /
                               static_cast<double>(melCount + 1));
    }
    std::vector<float> filters(melCount * kMelBins, 0.0F);
    for (std::size_t band = 0; band < melCount; ++band) {
        const double low = points[band];
        const double middle = points[band + 1];
        const double high = points[band + 2];
        for (std::size_t bin = 0; bin < kMelBins; ++bin) {
            const double hertz =
                kTopHertz * static_cast<double>(bin) / static_cast<double>(kMelBins - 1);
            const double height =
                std::min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
            filters[band * kMelBins + bin] =
                static_cast<float>(std::max(0.0, height) * 2.0 / (high - low));
        }
    }
    return filters;
}

LogMel::LogMel(std::size_t melCount)
    : melCount_(melCount), window_(kMelWindow), roots_(kMelWindow) {
    BIFOCAL_ASSERT(melCount > 0);
    for (std::size_t i = 0; i < kMelWindow; ++i) {
        const double angle =
            2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kMelWindow);
        window_[i] = static_cast<float>(0.5 - 0.5 * std::cos(angle));
        roots_[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))};
    }
    const std::vector<float> filters = melFilters(melCount);
    for (std::size_t band = 0; band < melCount; ++band) {
        const auto begin = filters.begin() + static_cast<std::ptrdiff_t>(band * kMelBins);
        const auto end = begin + static_cast<std::ptrdiff_t>(kMelBins);
        const auto isUsed = [](float weight) { return weight > 0; };
        const auto first = std::find_if(begin, end, isUsed);
        const auto last = std::find_if_not(first, end, isUsed);
        bands_.push_back({static_cast<std::size_t>(first - begin), {first, last}});
    }
}

void LogMel::powerOfTwo(std::span<const float> padded,
                        std::size_t frame,
                        std::size_t frameCount,
                        std::span<Complex> workspace,
                        std::span<float> power) const {
    const std::span<Complex> values = workspace.first(kMelWindow);
    const float* const a = padded.data() + frame * kMelHop;
    const bool hasSecond = frame + 1 < frameCount;
    for (std::size_t i = 0; i < kMelWindow; ++i) {
        const float second = hasSecond ? a[kMelHop + i] * window_[i] : 0.0F;
        values[i] = {a[i] * window_[i], second};
    }
    transform(values, workspace.subspan(kMelWindow), roots_);
    for (std::size_t k = 0; k < kMelBins; ++k) {
        const Complex forward = values[k];
        const Complex backward = std::conj(values[(kMelWindow - k) % kMelWindow]);
        power[k] = std::norm(forward + backward) / 4;
        power[kMelBins + k] = std::norm(forward - backward) / 4;
    }
}

void LogMel::compute(std::span<const float> samples,
                     std::size_t frameCount,
                     std::span<float> out) const {
    BIFOCAL_ASSERT(out.size() == melCount_ * frameCount);
    // A frame reaches half a window before and after its middle.
    const std::size_t sounding =
        std::min(frameCount, (samples.size() + kPadding + kMelHop - 1) / kMelHop);
    const std::vector<float> padded = mirrored(samples, frameCount);
    std::vector<Complex> workspace(2 * kMelWindow);
    std::vector<float> power(2 * kMelBins);
    const float least = std::log10(kLeastPower);
    std::fill(out.begin(), out.end(), least);
    for (std::size_t frame = 0; frame < sounding; frame += 2) {
        powerOfTwo(padded, frame, frameCount, workspace, power);
        for (std::size_t part = 0; part < 2 && frame + part < sounding; ++part) {
            const float* const bins = power.data() + part * kMelBins;
            for (std::size_t band = 0; band < melCount_; ++band) {
                float sum = 0;
                for (std::size_t i = 0; i < bands_[band].weights.size(); ++i) {
                    sum += bands_[band].weights[i] * bins[bands_[band].firstBin + i];
                }
                out[band * frameCount + frame + part] = std::log10(std::max(sum, kLeastPower));
            }
        }
    }
    const float floor =
        out.empty() ? least : *std::max_element(out.begin(), out.end()) - kDynamicRange;
    for (float& value : out) {
        value = (std::max(value, floor) + 4.0F) / 4.0F;
    }
}

}  // namespace bifocal
