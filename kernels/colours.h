// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "core/base/result.h"

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

/// Shares of the eleven colours among the opaque pixels (alpha ≥ 128), all zero when
/// none is; they sum to 1 otherwise. A pixel's colour comes from its hue H in degrees, saturation S
/// and value V; of the rules that hold, the last one counts:
///   grey always; black V < 0.2; white S < 0.15 and V > 0.85; and where S ≥ 0.2 and V ≥ 0.2
///   red H in [345, 360) or [0, 15), orange [15, 42), yellow [42, 68), green [68, 165),
///   blue [165, 255), purple [255, 300), pink [300, 345);
///   brown H in [10, 45) and V < 0.65; pink H ≥ 330 or H < 15, V > 0.75 and S < 0.55.
/// Meant for a colourThumbnail(). Threads: compatible.
std::array<float, kColourCount> colourShares(ImageView image);

/// The picture with a longest side of 96 pixels at most (never enlarged): averages over areas,
/// weighted with alpha; the shorter side is rounded half up and is 1 at least.
/// InvalidArgument when the picture is empty; ResourceExhausted. Threads: compatible.
Result<ImageBuffer> colourThumbnail(ImageView image);

}  // namespace bifocal::kernels
