// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/half_paths.h"

#include <immintrin.h>

namespace bifocal::kernels {

std::size_t toHalfAvx2(const float* from, std::uint16_t* to, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    }
    return i;
}

std::size_t toFloatAvx2(const std::uint16_t* from, float* to, std::size_t count) {
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(
            to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    }
    return i;
}

}  // namespace bifocal::kernels
