// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/resample_paths.h"

#include <immintrin.h>

namespace bifocal::kernels {
namespace {

__m256i load32(const std::uint8_t* bytes) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}

/// Alpha of each of the eight pixels in all four bytes of its pixel.
__m256i alphaOf(__m256i pixels) {
    return _mm256_shuffle_epi8(pixels,
                               _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                   3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15)));
}

constexpr int kAlphaBytes = static_cast<int>(0xFF000000U);

/// n div 255 for 16-bit n < 65535.
__m256i divideBy255(__m256i n) {
    const __m256i more =
        _mm256_add_epi16(_mm256_add_epi16(n, _mm256_set1_epi16(1)), _mm256_srli_epi16(n, 8));
    return _mm256_srli_epi16(more, 8);
}

__m256i overHalf(__m256i colour, __m256i alpha, __m256i background) {
    const __m256i rest = _mm256_sub_epi16(_mm256_set1_epi16(255), alpha);
    return divideBy255(_mm256_add_epi16(
        _mm256_add_epi16(_mm256_mullo_epi16(colour, alpha), _mm256_mullo_epi16(background, rest)),
        _mm256_set1_epi16(127)));
}

void overBackground(const std::uint8_t* rgba,
                    std::uint8_t* out,
                    std::size_t pixels,
                    const std::uint8_t* background) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i opaque = _mm256_set1_epi32(kAlphaBytes);
    const __m256i behind = _mm256_set1_epi64x(
        static_cast<long long>(background[0] | (static_cast<std::uint64_t>(background[1]) << 16U) |
                               (static_cast<std::uint64_t>(background[2]) << 32U)));
    std::size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        __m256i all = load32(rgba + i * kChannels);
        if (_mm256_testc_si256(all, opaque) == 0) {
            const __m256i alpha = alphaOf(all);
            const __m256i low = overHalf(
                _mm256_unpacklo_epi8(all, zero), _mm256_unpacklo_epi8(alpha, zero), behind);
            const __m256i high = overHalf(
                _mm256_unpackhi_epi8(all, zero), _mm256_unpackhi_epi8(alpha, zero), behind);
            all = _mm256_or_si256(_mm256_packus_epi16(low, high), opaque);
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i * kChannels), all);
    }
    kResamplePortable.overBackground(
        rgba + i * kChannels, out + i * kChannels, pixels - i, background);
}

__m256i timesAlpha(__m256i colour, __m256i alpha) {
    const __m256i sum = _mm256_add_epi16(_mm256_mullo_epi16(colour, alpha), _mm256_set1_epi16(128));
    return _mm256_srli_epi16(_mm256_add_epi16(_mm256_srli_epi16(sum, 8), sum), 8);
}

void premultiply(const std::uint8_t* rgba, std::uint8_t* out, std::size_t pixels) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i alphaMask = _mm256_set1_epi32(kAlphaBytes);
    std::size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        __m256i all = load32(rgba + i * kChannels);
        if (_mm256_testc_si256(all, alphaMask) == 0) {
            // Alpha itself is multiplied by 255, which leaves it as it is.
            const __m256i alpha = _mm256_or_si256(alphaOf(all), alphaMask);
            const __m256i low =
                timesAlpha(_mm256_unpacklo_epi8(all, zero), _mm256_unpacklo_epi8(alpha, zero));
            const __m256i high =
                timesAlpha(_mm256_unpackhi_epi8(all, zero), _mm256_unpackhi_epi8(alpha, zero));
            all = _mm256_packus_epi16(low, high);
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i * kChannels), all);
    }
    kResamplePortable.premultiply(rgba + i * kChannels, out + i * kChannels, pixels - i);
}

/// Four pixels as 16-bit pairs (R0 R1 G0 G1 B0 B1 A0 A1 | R2 R3 G2 G3 B2 B3 A2 A3).
__m256i pairsOf(const std::uint8_t* pixels) {
    const __m256i both =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels)));
    const __m256i order = _mm256_setr_epi8(0,
                                           -1,
                                           4,
                                           -1,
                                           1,
                                           -1,
                                           5,
                                           -1,
                                           2,
                                           -1,
                                           6,
                                           -1,
                                           3,
                                           -1,
                                           7,
                                           -1,
                                           8,
                                           -1,
                                           12,
                                           -1,
                                           9,
                                           -1,
                                           13,
                                           -1,
                                           10,
                                           -1,
                                           14,
                                           -1,
                                           11,
                                           -1,
                                           15,
                                           -1);
    return _mm256_shuffle_epi8(both, order);
}

/// high · 2¹² + low of both halves, rounded, clipped: four bytes. Sums wrap around at 32 bits on
/// the way, which does no harm: the whole sum fits.
std::uint32_t pixelOf(__m256i high, __m256i low, __m128i start) {
    const __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(high, kLowBits), low);
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    four = _mm_srai_epi32(_mm_add_epi32(four, start), kWeightBits);
    four = _mm_packus_epi16(_mm_packs_epi32(four, four), four);
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(four));
}

template <std::size_t kRows>
void horizontalRows(const HorizontalJob& job) {
    const __m256i highOrder = _mm256_setr_epi8(0,
                                               1,
                                               2,
                                               3,
                                               0,
                                               1,
                                               2,
                                               3,
                                               0,
                                               1,
                                               2,
                                               3,
                                               0,
                                               1,
                                               2,
                                               3,
                                               4,
                                               5,
                                               6,
                                               7,
                                               4,
                                               5,
                                               6,
                                               7,
                                               4,
                                               5,
                                               6,
                                               7,
                                               4,
                                               5,
                                               6,
                                               7);
    const __m256i lowOrder = _mm256_add_epi8(highOrder, _mm256_set1_epi8(8));
    const __m128i background =
        _mm_setr_epi32(job.background[0], job.background[1], job.background[2], job.background[3]);
    const __m128i half = _mm_set1_epi32(1 << (kWeightBits - 1));
    for (std::size_t x = 0; x < job.outCount; ++x) {
        const TapSpan& span = job.spans[x];
        const std::int16_t* group = job.weights + span.weights;
        std::size_t offset = static_cast<std::size_t>(span.first) * kChannels;
        __m256i high[kRows];
        __m256i low[kRows];
        for (std::size_t r = 0; r < kRows; ++r) {
            high[r] = _mm256_setzero_si256();
            low[r] = _mm256_setzero_si256();
        }
        for (std::int32_t g = 0; g < span.groups; ++g) {
            const __m256i both = _mm256_broadcastsi128_si256(
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(group)));
            const __m256i highs = _mm256_shuffle_epi8(both, highOrder);
            const __m256i lows = _mm256_shuffle_epi8(both, lowOrder);
#pragma GCC unroll 4
            for (std::size_t r = 0; r < kRows; ++r) {
                const __m256i pairs = pairsOf(job.rows[r] + offset);
                high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(pairs, highs));
                low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(pairs, lows));
            }
            group += kGroupNumbers;
            offset += kGroupTaps * kChannels;
        }
        const __m128i start =
            _mm_add_epi32(half, _mm_mullo_epi32(background, _mm_set1_epi32(span.padWeight)));
        for (std::size_t r = 0; r < kRows; ++r) {
            const std::uint32_t pixel = pixelOf(high[r], low[r], start);
            __builtin_memcpy(job.out[r] + x * kChannels, &pixel, sizeof(pixel));
        }
    }
}

void horizontal(const HorizontalJob& job) {
    switch (job.rowCount) {
        case 1: return horizontalRows<1>(job);
        case 2: return horizontalRows<2>(job);
        case 3: return horizontalRows<3>(job);
        default: return horizontalRows<4>(job);
    }
}

/// Two weights in each 32 bits: of taps 0 and 1, or of taps 2 and 3.
__m256i weightPair(const std::int16_t* numbers) {
    std::int32_t pair = 0;
    __builtin_memcpy(&pair, numbers, sizeof(pair));
    return _mm256_set1_epi32(pair);
}

/// Sixteen bytes of the output row.
void verticalBlock(const VerticalJob& job, std::size_t at) {
    const auto* start = reinterpret_cast<const __m256i*>(job.start + at);
    __m256i low[2] = {_mm256_loadu_si256(start), _mm256_loadu_si256(start + 1)};
    __m256i high[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    const std::int16_t* group = job.weights;
    for (std::size_t tap = 0; tap < job.groups * kGroupTaps; tap += 2) {
        const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(job.rows[tap] + at));
        const __m128i second =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(job.rows[tap + 1] + at));
        const __m256i pairs[2] = {_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(first, second)),
                                  _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(first, second))};
        const __m256i highs = weightPair(group + tap % kGroupTaps);
        const __m256i lows = weightPair(group + kGroupTaps + tap % kGroupTaps);
        for (std::size_t h = 0; h < 2; ++h) {
            high[h] = _mm256_add_epi32(high[h], _mm256_madd_epi16(pairs[h], highs));
            low[h] = _mm256_add_epi32(low[h], _mm256_madd_epi16(pairs[h], lows));
        }
        group += tap % kGroupTaps == 0 ? 0 : kGroupNumbers;
    }
    __m256i sums[2];
    for (std::size_t h = 0; h < 2; ++h) {
        sums[h] = _mm256_srai_epi32(_mm256_add_epi32(_mm256_slli_epi32(high[h], kLowBits), low[h]),
                                    kWeightBits);
    }
    // Packing works within 128-bit lanes; the permutation puts the quarters back in order.
    const __m256i words =
        _mm256_permute4x64_epi64(_mm256_packs_epi32(sums[0], sums[1]), _MM_SHUFFLE(3, 1, 2, 0));
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(job.out + at),
        _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}

void vertical(const VerticalJob& job) {
    constexpr std::size_t kBlock = 16;
    std::size_t at = 0;
    for (; at + kBlock <= job.bytes; at += kBlock) {
        verticalBlock(job, at);
    }
    if (at == job.bytes) {
        return;
    }
    if (at > 0) {
        verticalBlock(job, job.bytes - kBlock);  // some bytes twice, all the same
    } else {
        kResamplePortable.vertical(job);
    }
}

}  // namespace

const ResamplePath kResampleAvx2{overBackground, premultiply, horizontal, vertical};

}  // namespace bifocal::kernels
