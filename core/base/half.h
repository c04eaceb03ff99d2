// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace bifocal {

/// IEEE 754 binary16, storage only. Threads: value.
struct Half {
    std::uint16_t bits = 0;

    friend bool operator==(const Half&, const Half&) = default;
};

/// Exact. NaN stays NaN.
inline float toFloat(Half half) {
    const std::uint32_t sign = (half.bits & 0x8000U) << 16U;
    const std::uint32_t magnitude = half.bits & 0x7FFFU;
    if (magnitude >= 0x7C00U) {  // infinity and NaN
        return std::bit_cast<float>(sign | 0x7F800000U | ((magnitude & 0x3FFU) << 13U));
    }
    // Scaling by 2^112 moves the exponent's bias from 15 to 127 and gets subnormals right as well.
    const float scaled = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
}

/// Round to nearest, ties to even; too large becomes infinity; NaN stays NaN.
inline Half toHalf(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) {
        return {static_cast<std::uint16_t>(sign | 0x7E00U)};
    }
    if (magnitude >= 0x477FF000U) {  // 65520 and above round to infinity
        return {static_cast<std::uint16_t>(sign | 0x7C00U)};
    }
    if (magnitude < 0x38800000U) {  // subnormal: let the addition round at the right bit
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        return {static_cast<std::uint16_t>(sign |
                                           (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U))};
    }
    const std::uint32_t odd = (magnitude >> 13U) & 1U;
    const std::uint32_t rounded = magnitude - 0x38000000U + 0xFFFU + odd;
    return {static_cast<std::uint16_t>(sign | (rounded >> 13U))};
}

}  // namespace bifocal
