// SPDX-License-Identifier: Apache-2.0
#include "core/inference/speech_gate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace bifocal {
namespace {

constexpr std::size_t kFrameSamples = 512;
constexpr std::size_t kLeastFrames = 4;
constexpr double kQuietDecibel = -55.0;
/// Frames of Gaussian noise lie within ±0.27 dB (one standard deviation of the energy of 512
/// samples); syllables and the gaps between them lie 20 dB apart and more.
constexpr double kSteadyRange = 6.0;
constexpr double kLeastEnergy = 1e-12;
constexpr std::size_t kCutSearchSamples = std::size_t{5} * 16'000;

/// In place; the value that the share `q` of the frames does not exceed.
double quantileOf(std::vector<double>& values, double q) {
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

double energyOf(std::span<const float> frame) {
    double energy = 0;
    for (const float sample : frame) {
        energy += static_cast<double>(sample) * static_cast<double>(sample);
    }
    return energy / static_cast<double>(frame.size());
}

}  // namespace

SoundKind kindOfSound(std::span<const float> samples) {
    std::vector<double> loudness;
    for (std::size_t begin = 0; begin < samples.size(); begin += kFrameSamples) {
        const auto frame = samples.subspan(begin, std::min(kFrameSamples, samples.size() - begin));
        loudness.push_back(10.0 * std::log10(std::max(kLeastEnergy, energyOf(frame))));
    }
    if (loudness.empty() || *std::max_element(loudness.begin(), loudness.end()) < kQuietDecibel) {
        return SoundKind::Silence;
    }
    if (loudness.size() < kLeastFrames) {
        return SoundKind::Varied;
    }
    const double range = quantileOf(loudness, 0.95) - quantileOf(loudness, 0.1);
    return range < kSteadyRange ? SoundKind::Steady : SoundKind::Varied;
}

std::size_t windowSize(std::span<const float> samples, std::size_t most) {
    if (samples.size() <= most) {
        return samples.size();
    }
    std::size_t best = most;
    double least = std::numeric_limits<double>::infinity();
    const std::size_t first = most - std::min(most / 2, kCutSearchSamples);
    for (std::size_t begin = first; begin + kFrameSamples <= most; begin += kFrameSamples) {
        const double energy = energyOf(samples.subspan(begin, kFrameSamples));
        if (energy < least) {
            least = energy;
            best = begin + kFrameSamples / 2;
        }
    }
    return best;
}

}  // namespace bifocal
