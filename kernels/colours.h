// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"

#include <array>
#include <cstddef>

namespace bifocal::kernels {

/// The eleven basic colour terms, in the order of the colours block of a row.
inline constexpr std::size_t kColourCount = 11;
inline constexpr std::array<const char*, kColourCount> kColourNames{"black",
                                                                    "white",
                                                                    "grey",
                                                                    "red",
                                                                    "orange",
                                                                    "yellow",
                                                                    "green",
                                                                    "blue",
                                                                    "purple",
                                                                    "pink",
                                                                    "brown"};

/// Shares of the eleven colours among the opaque pixels (alpha ≥ 128), by the hue, saturation and
/// value ranges of the header's source file; all zero when no pixel is opaque. Sums to 1 otherwise.
/// Meant for a thumbnail of at most 96 pixels a side. Threads: compatible.
std::array<float, kColourCount> colourShares(ImageView image);

}  // namespace bifocal::kernels
