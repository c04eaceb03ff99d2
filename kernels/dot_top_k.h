// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/half.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace bifocal::kernels {

/// Borrowed FP16 rows: row r starts at `data + r · strideBytes` and has `dim` numbers.
/// `data` and `strideBytes` are multiples of 64 bytes.
struct HalfRows {
    const std::byte* data = nullptr;
    std::size_t rowCount = 0;
    std::size_t strideBytes = 0;
    std::size_t dim = 0;
};

struct RowScore {
    float score = 0;
    std::uint32_t row = 0;

    friend bool operator==(const RowScore&, const RowScore&) = default;
};

/// What the whole candidate set looked like to this query; the confidence labels come from it.
struct ScoreMoments {
    std::uint64_t count = 0;  ///< rows that passed the filter and had a finite score
    double sum = 0;
    double sumOfSquares = 0;

    double mean() const { return count == 0 ? 0.0 : sum / static_cast<double>(count); }
    double variance() const;  ///< population variance, never negative
    void add(const ScoreMoments& other);
};

/// The best rows of one pass, best first; equal scores by row number, lower first.
struct TopKResult {
    std::size_t count = 0;  ///< entries written to the output span
    ScoreMoments moments;
};

/// Exact top-k by dot product in one pass over memory: products and sums in FP32.
/// `query` has rows.dim numbers. `filter`, when not empty, has one bit per row (bit r % 64 of word
/// r / 64); clear bits are passed by. Rows whose score is not finite are never returned and never
/// counted. `best.size()` is k. `firstRow` is added to the row numbers written.
/// The path is chosen at run time (AVX-512, AVX2+F16C, portable) and forced by
/// BIFOCAL_KERNEL_ISA=avx512|avx2|portable; paths may differ in the last bits of a sum.
/// InvalidArgument when sizes or alignment do not fit.
/// Threads: compatible; pure over its arguments.
Result<TopKResult> dotTopK(const HalfRows& rows,
                           std::span<const float> query,
                           std::span<const std::uint64_t> filter,
                           std::span<RowScore> best,
                           std::uint32_t firstRow = 0);

/// Dot product of one row with `query` (FP32 sums), for the winners' why-matched split.
/// Both spans have the same length. Threads: compatible.
float dot(std::span<const Half> row, std::span<const float> query);

}  // namespace bifocal::kernels
