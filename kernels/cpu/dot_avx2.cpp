// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/dot_paths.h"

#include <immintrin.h>

namespace bifocal::kernels {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kStep = 32;  // numbers per turn of the inner loop: one cache line of a row
constexpr std::size_t kRows = 4;   // in flight: they share the query's loads

__m256 load8(const std::byte* halves) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
}

/// `count` (1 to 7) numbers and zeros behind them; nothing behind the numbers is read, because it
/// need not belong to the row, and where it does it may be a NaN.
__m256 loadTail(const std::byte* halves, std::size_t count) {
    alignas(16) std::byte padded[16] = {};
    __builtin_memcpy(padded, halves, count * 2);
    return load8(padded);
}

float sumOf(__m256 v) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/// The last, incomplete eight numbers.
struct Tail {
    std::size_t begin;
    std::size_t count;
    __m256 query;
};

Tail tailOf(const float* query, std::size_t dim) {
    const std::size_t begin = dim / kLanes * kLanes;
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(dim - begin)),
                                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return {begin, dim - begin, _mm256_maskload_ps(query + begin, mask)};
}

/// What is left of a row after the whole lines; dotOne and dotFour end alike, so that a row's score
/// does not depend on its place in the batch.
float finishRow(const std::byte* row,
                std::size_t i,
                const DotBatch& batch,
                const Tail& tail,
                __m256 even,
                __m256 odd) {
    for (; i < tail.begin; i += kLanes) {
        even = _mm256_fmadd_ps(load8(row + i * 2), _mm256_loadu_ps(batch.query + i), even);
    }
    if (tail.count > 0) {
        odd = _mm256_fmadd_ps(loadTail(row + tail.begin * 2, tail.count), tail.query, odd);
    }
    return sumOf(_mm256_add_ps(even, odd));
}

float dotOne(const std::byte* row, const DotBatch& batch, const Tail& tail) {
    __m256 even = _mm256_setzero_ps();
    __m256 odd = _mm256_setzero_ps();
    std::size_t i = 0;
    for (; i + kStep <= batch.dim; i += kStep) {
        for (std::size_t j = i; j < i + kStep; j += 2 * kLanes) {
            even = _mm256_fmadd_ps(load8(row + j * 2), _mm256_loadu_ps(batch.query + j), even);
            odd = _mm256_fmadd_ps(
                load8(row + j * 2 + 16), _mm256_loadu_ps(batch.query + j + kLanes), odd);
        }
    }
    return finishRow(row, i, batch, tail, even, odd);
}

/// Four rows at a time, `next` being fetched meanwhile.
void dotFour(const std::byte* const* row,
             const std::byte* const* next,
             const DotBatch& batch,
             const Tail& tail,
             float* scores) {
    __m256 even[kRows];
    __m256 odd[kRows];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
        even[r] = _mm256_setzero_ps();
        odd[r] = _mm256_setzero_ps();
    }
    std::size_t i = 0;
    for (; i + kStep <= batch.dim; i += kStep) {
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kRows; ++r) {
            _mm_prefetch(reinterpret_cast<const char*>(next[r] + i * 2), _MM_HINT_T0);
        }
#pragma GCC unroll 2
        for (std::size_t j = i; j < i + kStep; j += 2 * kLanes) {
            const __m256 first = _mm256_loadu_ps(batch.query + j);
            const __m256 second = _mm256_loadu_ps(batch.query + j + kLanes);
#pragma GCC unroll 4
            for (std::size_t r = 0; r < kRows; ++r) {
                even[r] = _mm256_fmadd_ps(load8(row[r] + j * 2), first, even[r]);
                odd[r] = _mm256_fmadd_ps(load8(row[r] + j * 2 + 16), second, odd[r]);
            }
        }
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
        scores[r] = finishRow(row[r], i, batch, tail, even[r], odd[r]);
    }
}

// The batch is read as four streams far apart, one row of each in flight: the memory system keeps
// more lines under way for four streams than for one (README.md has the figures), and four rows
// share every load of the query.
void dotRows(const DotBatch& batch) {
    const Tail tail = tailOf(batch.query, batch.dim);
    const std::size_t streamRows = batch.count / kRows;
    for (std::size_t i = 0; i < streamRows; ++i) {
        const std::byte* row[kRows];
        const std::byte* next[kRows];
        float scores[kRows];
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kRows; ++r) {
            const std::uint32_t* at = batch.rows + r * streamRows + i;
            row[r] = batch.data + *at * batch.strideBytes;
            next[r] = i + 1 < streamRows ? batch.data + at[1] * batch.strideBytes : row[r];
        }
        dotFour(row, next, batch, tail, scores);
        for (std::size_t r = 0; r < kRows; ++r) {
            batch.scores[r * streamRows + i] = scores[r];
        }
    }
    for (std::size_t i = kRows * streamRows; i < batch.count; ++i) {
        batch.scores[i] = dotOne(batch.data + batch.rows[i] * batch.strideBytes, batch, tail);
    }
}

/// Four doubles; zero where the float is an infinity or a NaN.
__m256d finiteOf(__m128 scores, __m128 isFinite) {
    return _mm256_cvtps_pd(_mm_and_ps(scores, isFinite));
}

void addMoments(const float* scores, std::size_t count, MomentChains& chains) {
    const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FFFFFFF));
    const __m256 infinity = _mm256_castsi256_ps(_mm256_set1_epi32(0x7F800000));
    __m256d sums[2] = {_mm256_loadu_pd(chains.sums), _mm256_loadu_pd(chains.sums + 4)};
    __m256d squares[2] = {_mm256_loadu_pd(chains.squares), _mm256_loadu_pd(chains.squares + 4)};
    std::size_t i = 0;
    for (; i + MomentChains::kCount <= count; i += MomentChains::kCount) {
        const __m256 eight = _mm256_loadu_ps(scores + i);
        const __m256 isFinite =
            _mm256_cmp_ps(_mm256_and_ps(eight, magnitude), infinity, _CMP_LT_OQ);
        chains.finite += static_cast<unsigned>(
            __builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(isFinite))));
        const __m256d low =
            finiteOf(_mm256_castps256_ps128(eight), _mm256_castps256_ps128(isFinite));
        const __m256d high =
            finiteOf(_mm256_extractf128_ps(eight, 1), _mm256_extractf128_ps(isFinite, 1));
        sums[0] = _mm256_add_pd(sums[0], low);
        sums[1] = _mm256_add_pd(sums[1], high);
        squares[0] = _mm256_add_pd(squares[0], _mm256_mul_pd(low, low));
        squares[1] = _mm256_add_pd(squares[1], _mm256_mul_pd(high, high));
    }
    _mm256_storeu_pd(chains.sums, sums[0]);
    _mm256_storeu_pd(chains.sums + 4, sums[1]);
    _mm256_storeu_pd(chains.squares, squares[0]);
    _mm256_storeu_pd(chains.squares + 4, squares[1]);
    kDotPortable.addMoments(scores + i, count - i, chains);
}

std::size_t findAbove(const float* scores, std::size_t begin, std::size_t count, float threshold) {
    const __m256 limit = _mm256_set1_ps(threshold);
    for (; begin + kLanes <= count; begin += kLanes) {
        const int above =
            _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(scores + begin), limit, _CMP_GT_OQ));
        if (above != 0) {
            return begin + static_cast<unsigned>(__builtin_ctz(static_cast<unsigned>(above)));
        }
    }
    return kDotPortable.findAbove(scores, begin, count, threshold);
}

}  // namespace

const DotPath kDotAvx2{dotRows, addMoments, findAbove};

}  // namespace bifocal::kernels
