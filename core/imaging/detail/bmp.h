// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>

namespace bifocal::imaging::detail {

/// Windows bitmaps, which libvips leaves to others: 1, 4, 8, 16, 24 and 32 bits, palette, bit
/// fields, bottom-up and top-down; a fourth channel counts as alpha only when its mask says so and
/// it is not zero everywhere. Run-length coding and embedded PNG or JPEG are Unsupported, a file
/// that ends early is Corruption, more than `maxPixels` ResourceExhausted. Threads: safe.
Result<ImageBuffer> decodeBmp(std::span<const std::uint8_t> bytes, std::uint64_t maxPixels);

}  // namespace bifocal::imaging::detail
