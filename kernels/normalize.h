// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/half.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace bifocal::kernels {

/// Scales `values` in place to Euclidean length 1; a vector of zeros, or with a number that is not
/// finite, is left as it is and false is returned. Sum of squares in FP64. Threads: compatible.
[[nodiscard]] bool l2Normalize(std::span<float> values);

/// Element-wise FP32 → FP16 (nearest even) and back; spans of one length, no overlap.
/// Threads: compatible.
void toHalf(std::span<const float> from, std::span<Half> to);
void toFloat(std::span<const Half> from, std::span<float> to);

/// Number of differing bits. Threads: value.
int hammingDistance(std::uint64_t a, std::uint64_t b);

}  // namespace bifocal::kernels
