// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/image_buffer.h"
#include "core/base/result.h"
#include "core/prompt/prompt.h"

#include <cstdint>
#include <optional>

namespace bifocal {

/// A picture as the graphs use it. Threads: value.
struct LoadedImage {
    ImageBuffer pixels;                 ///< upright; the region alone when one was asked for
    std::optional<ContentKey> content;  ///< of the encoded file; none for bare pixels or a region
    std::uint64_t perceptualHash = 0;   ///< 0 for a region, or when it says nothing
    int originalWidth = 0;              ///< upright, whole picture, before reduction
    int originalHeight = 0;
};

/// Reads, decodes, cuts out the region, reduces to `side` at most. The errors of imaging, each
/// naming the file; InvalidArgument for a region outside the picture. Threads: safe.
Result<LoadedImage> loadPromptImage(const ImageSource& source, int side);

/// The same for bytes already read: hash and pixels are of one and the same content.
Result<LoadedImage> loadImageBytes(std::span<const std::uint8_t> bytes, int side);

/// What decoding one picture is taken to need at once: its file and a reduced copy of up to 30
/// megapixels. JPEG, PNG and WebP of any size need less, as they are reduced while they are
/// decoded; a larger HEIC or AVIF needs more, and has the machine's reserve for it.
inline constexpr std::uint64_t kDecodeBytes = 128ULL << 20U;

/// Files larger than this are refused before they are read.
inline constexpr std::uint64_t kMaxImageBytes = 512ULL << 20U;

}  // namespace bifocal
