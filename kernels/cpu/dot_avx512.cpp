// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/dot_paths.h"

#include <immintrin.h>

namespace bifocal::kernels {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kStep =
    2 * kLanes;                   // numbers per turn of the inner loop: one cache line of a row
constexpr std::size_t kRows = 4;  // in flight: they share the query's loads

__m512 load16(const std::byte* halves) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves)));
}

float sumOf(__m512 v) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/// The last, incomplete sixteen numbers; lanes behind `dim` are zero and never read.
struct Tail {
    std::size_t begin;
    __mmask16 mask;
    __m512 query;
};

Tail tailOf(const float* query, std::size_t dim) {
    const std::size_t begin = dim / kLanes * kLanes;
    const __mmask16 mask = static_cast<__mmask16>((1U << (dim - begin)) - 1U);
    return {begin, mask, _mm512_maskz_loadu_ps(mask, query + begin)};
}

__m512 loadTail(const std::byte* halves, __mmask16 mask) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, halves));
}

/// One row; the order of its sum is the same as in dotFour.
float dotOne(const std::byte* row, const DotBatch& batch, const Tail& tail) {
    __m512 even = _mm512_setzero_ps();
    __m512 odd = _mm512_setzero_ps();
    std::size_t i = 0;
    for (; i + kStep <= batch.dim; i += kStep) {
        even = _mm512_fmadd_ps(load16(row + i * 2), _mm512_loadu_ps(batch.query + i), even);
        odd = _mm512_fmadd_ps(
            load16(row + i * 2 + 32), _mm512_loadu_ps(batch.query + i + kLanes), odd);
    }
    if (i < tail.begin) {
        even = _mm512_fmadd_ps(load16(row + i * 2), _mm512_loadu_ps(batch.query + i), even);
    }
    if (tail.mask != 0) {
        odd = _mm512_fmadd_ps(loadTail(row + tail.begin * 2, tail.mask), tail.query, odd);
    }
    return sumOf(_mm512_add_ps(even, odd));
}

/// Four rows at a time, `next` being fetched meanwhile.
void dotFour(const std::byte* const* row,
             const std::byte* const* next,
             const DotBatch& batch,
             const Tail& tail,
             float* scores) {
    __m512 even[kRows];
    __m512 odd[kRows];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
        even[r] = _mm512_setzero_ps();
        odd[r] = _mm512_setzero_ps();
    }
    std::size_t i = 0;
    for (; i + kStep <= batch.dim; i += kStep) {
        const __m512 first = _mm512_loadu_ps(batch.query + i);
        const __m512 second = _mm512_loadu_ps(batch.query + i + kLanes);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kRows; ++r) {
            _mm_prefetch(reinterpret_cast<const char*>(next[r] + i * 2), _MM_HINT_T0);
            even[r] = _mm512_fmadd_ps(load16(row[r] + i * 2), first, even[r]);
            odd[r] = _mm512_fmadd_ps(load16(row[r] + i * 2 + 32), second, odd[r]);
        }
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
        if (i < tail.begin) {
            even[r] =
                _mm512_fmadd_ps(load16(row[r] + i * 2), _mm512_loadu_ps(batch.query + i), even[r]);
        }
        if (tail.mask != 0) {
            odd[r] =
                _mm512_fmadd_ps(loadTail(row[r] + tail.begin * 2, tail.mask), tail.query, odd[r]);
        }
        scores[r] = sumOf(_mm512_add_ps(even[r], odd[r]));
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

// The rest is a small part of the time, and AVX2 is there where AVX-512 is.
void addMoments(const float* scores, std::size_t count, MomentChains& chains) {
    kDotAvx2.addMoments(scores, count, chains);
}

std::size_t findAbove(const float* scores, std::size_t begin, std::size_t count, float threshold) {
    return kDotAvx2.findAbove(scores, begin, count, threshold);
}

}  // namespace

const DotPath kDotAvx512{dotRows, addMoments, findAbove};

}  // namespace bifocal::kernels
