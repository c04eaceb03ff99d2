// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Plain data alone, for the reason given in dot_paths.h.
namespace bifocal::kernels {

/// Convert as many of the first numbers as fit whole vectors; return how many that were.
std::size_t toHalfAvx2(const float* from, std::uint16_t* to, std::size_t count);
std::size_t toFloatAvx2(const std::uint16_t* from, float* to, std::size_t count);

}  // namespace bifocal::kernels
