// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/internal/isa.h"

#include <cstddef>
#include <cstdint>

// Included by files that are compiled for one instruction set, so it holds plain data alone: an
// inline function from here could be kept by the linker in its AVX-512 form for everybody.
namespace bifocal::kernels {

/// Rows to score: row rows[i] starts at data + rows[i] · strideBytes.
struct DotBatch {
    const std::byte* data;
    std::size_t strideBytes;
    std::size_t dim;
    const float* query;         ///< dim numbers
    const std::uint32_t* rows;  ///< count row numbers, rising
    std::size_t count;
    float* scores;  ///< count numbers out
};

/// Sums of finite scores in eight chains, because one addition waits for the one before it.
struct MomentChains {
    static constexpr std::size_t kCount = 8;

    std::uint64_t finite;
    double sums[kCount];
    double squares[kCount];
};

struct DotPath {
    /// Scores a batch: products and sums in FP32, the order of the sum is fixed per path and the
    /// same whatever the row's place in the batch.
    void (*dotRows)(const DotBatch& batch);

    /// Adds `count` scores; score i goes to chain i mod 8. Infinities and NaNs are left out.
    void (*addMoments)(const float* scores, std::size_t count, MomentChains& chains);

    /// The first i in [begin, count) with scores[i] > threshold, else count. Passes by every NaN.
    std::size_t (*findAbove)(const float* scores,
                             std::size_t begin,
                             std::size_t count,
                             float threshold);
};

extern const DotPath kDotPortable;
extern const DotPath kDotAvx2;
extern const DotPath kDotAvx512;

}  // namespace bifocal::kernels
