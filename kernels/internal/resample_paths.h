// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Plain data alone, for the reason given in dot_paths.h.
namespace bifocal::kernels {

/// Weights are fixed-point numbers of 22 fraction bits. To be multiplied 16 × 16 bits they are kept
/// as high · 2¹² + low with 0 ≤ low < 2¹², in groups of four taps: four highs, then four lows.
inline constexpr int kWeightBits = 22;
inline constexpr int kLowBits = 12;
inline constexpr std::size_t kGroupTaps = 4;
inline constexpr std::size_t kGroupNumbers = 2 * kGroupTaps;
inline constexpr std::size_t kChannels = 4;
inline constexpr std::size_t kMaxRows = 4;  ///< rows that one horizontal pass takes at a time

/// The taps of one output: `groups` groups from input `first` on, the last filled with weight 0.
struct TapSpan {
    std::int32_t first;
    std::int32_t groups;
    std::int32_t weights;    ///< index of the first group's numbers
    std::int32_t padWeight;  ///< sum of the weights of taps in the padding
};

/// One pass over a few rows of 4-byte pixels: out[r][i] = 8-bit round and clip of the sum over taps
/// and the padding. Rows are readable up to the end of the last group.
struct HorizontalJob {
    const std::uint8_t* rows[kMaxRows];
    std::uint8_t* out[kMaxRows];
    std::size_t rowCount;  ///< 1 to kMaxRows
    const TapSpan* spans;
    const std::int16_t* weights;
    std::size_t outCount;
    std::uint8_t background[kChannels];  ///< the padding's pixel
};

/// One output row: the weighted sum of `groups` · 4 rows, on top of `start` (rounding and padding).
struct VerticalJob {
    const std::uint8_t* const* rows;
    std::size_t groups;
    const std::int16_t* weights;
    const std::int32_t* start;
    std::uint8_t* out;
    std::size_t bytes;
};

/// (c·a + b·(255 − a) + 127) div 255 for R, G, B; A becomes 255.
using OverBackgroundRow = void (*)(const std::uint8_t* rgba,
                                   std::uint8_t* out,
                                   std::size_t pixels,
                                   const std::uint8_t* background);
/// c·a / 255 to the nearest for R, G, B; A stays.
using PremultiplyRow = void (*)(const std::uint8_t* rgba, std::uint8_t* out, std::size_t pixels);

/// All integer arithmetic: every path gives the same bytes.
struct ResamplePath {
    OverBackgroundRow overBackground;
    PremultiplyRow premultiply;
    void (*horizontal)(const HorizontalJob& job);
    void (*vertical)(const VerticalJob& job);
};

extern const ResamplePath kResamplePortable;
extern const ResamplePath kResampleAvx2;

}  // namespace bifocal::kernels
