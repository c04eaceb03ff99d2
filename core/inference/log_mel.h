// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace bifocal {

inline constexpr std::size_t kMelHop = 160;     ///< samples from frame to frame: 10 ms
inline constexpr std::size_t kMelWindow = 400;  ///< samples of a frame: 25 ms
inline constexpr std::size_t kMelBins = kMelWindow / 2 + 1;

/// What a frame holds that is all silence, once the loudest of the clip is about 0 dB.
inline constexpr float kSilentMel = -0.8F;

/// Triangles of equal area between points at equal distances on Slaney's mel scale (linear, 3/200
/// mel a hertz, below 1,000 Hz; logarithmic, 27 / ln 6.4 mel above), from 0 to 8,000 Hz:
/// [melCount, kMelBins].
std::vector<float> melFilters(std::size_t melCount);

/// Whisper's front end: samples → log-mel spectrogram. Frame f is the periodic Hann window of
/// kMelWindow samples around sample f · kMelHop, the ends of the clip mirrored (as if zeros went on
/// to 30 seconds after it); |DFT|², mel bands, log10 of at least 1e−10, nothing more than 8 below
/// the largest, (x + 4) / 4. Threads: compatible; a call makes its own workspace.
class LogMel {
public:
    explicit LogMel(std::size_t melCount);

    std::size_t melCount() const { return melCount_; }

    /// Writes frames 0 … frameCount − 1 to `out`, melCount × frameCount, one band after the other.
    /// Frames behind the clip are silence.
    void compute(std::span<const float> samples,
                 std::size_t frameCount,
                 std::span<float> out) const;

private:
    struct Band {
        std::size_t firstBin = 0;
        std::vector<float> weights;
    };

    /// Two real frames at once, as the parts of one complex one.
    void powerOfTwo(std::span<const float> padded,
                    std::size_t frame,
                    std::size_t frameCount,
                    std::span<std::complex<float>> workspace,
                    std::span<float> power) const;

    std::size_t melCount_;
    std::vector<float> window_;
    std::vector<std::complex<float>> roots_;  ///< e^(−2πik/400)
    std::vector<Band> bands_;
};

}  // namespace bifocal
