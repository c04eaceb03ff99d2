// SPDX-License-Identifier: Apache-2.0
#include "kernels/normalize.h"

#include "core/base/assert.h"
#include "kernels/internal/half_paths.h"
#include "kernels/internal/normalize_on.h"

#include <bit>
#include <cmath>

namespace bifocal::kernels {

// A Half is its bits, so that a span of them is a span of 16-bit numbers to the vector loops.
static_assert(sizeof(Half) == sizeof(std::uint16_t));

bool l2Normalize(std::span<float> values) {
    double sumOfSquares = 0;  // of finite FP32 numbers it can neither overflow nor vanish
    for (const float value : values) {
        sumOfSquares += static_cast<double>(value) * static_cast<double>(value);
    }
    if (!std::isfinite(sumOfSquares) || sumOfSquares == 0.0) {
        return false;
    }
    const double length = std::sqrt(sumOfSquares);
    for (float& value : values) {
        value = static_cast<float>(static_cast<double>(value) / length);
    }
    return true;
}

void toHalfOn(Isa isa, std::span<const float> from, std::span<Half> to) {
    BIFOCAL_ASSERT(from.size() == to.size() && isa <= bestIsa());
    std::size_t i = 0;
    if (isa >= Isa::Avx2) {
        i = toHalfAvx2(from.data(), reinterpret_cast<std::uint16_t*>(to.data()), from.size());
    }
    for (; i < from.size(); ++i) {
        to[i] = bifocal::toHalf(from[i]);
    }
}

void toFloatOn(Isa isa, std::span<const Half> from, std::span<float> to) {
    BIFOCAL_ASSERT(from.size() == to.size() && isa <= bestIsa());
    std::size_t i = 0;
    if (isa >= Isa::Avx2) {
        i = toFloatAvx2(
            reinterpret_cast<const std::uint16_t*>(from.data()), to.data(), from.size());
    }
    for (; i < from.size(); ++i) {
        to[i] = bifocal::toFloat(from[i]);
    }
}

void toHalf(std::span<const float> from, std::span<Half> to) {
    toHalfOn(activeIsa(), from, to);
}

void toFloat(std::span<const Half> from, std::span<float> to) {
    toFloatOn(activeIsa(), from, to);
}

int hammingDistance(std::uint64_t a, std::uint64_t b) {
    return std::popcount(a ^ b);
}

}  // namespace bifocal::kernels
