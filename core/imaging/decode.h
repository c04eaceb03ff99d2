// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "core/base/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace bifocal::imaging {

/// What a file may cost before it is refused from its header alone.
struct DecodeLimits {
    std::uint64_t maxPixels = 256'000'000;  ///< of the stored picture
    int maxSide = 4096;  ///< decoded larger pictures are reduced to this long side
};

/// A decoded still and what was known of it before it was reduced.
struct DecodedImage {
    ImageBuffer image;      ///< upright (EXIF orientation applied), sRGB, long side ≤ maxSide
    int originalWidth = 0;  ///< upright, before reduction
    int originalHeight = 0;
};

/// Starts the decoding libraries and keeps them from writing to standard error; before any other
/// call and any other thread, from main(). A second call does nothing. One exception: libheif gives
/// no way to silence its AV1 decoder, so a damaged AVIF may leave a line there.
Result<void> initialize(const char* programName);

/// Decodes by content, not by name: JPEG, PNG, GIF, WebP, TIFF, HEIC, AVIF, JPEG XL, JPEG 2000, PNM
/// and BMP, each as far as the libraries of this machine read it. Of several pages the first; of an
/// animation the first frame that is not blank. Colour profiles and CMYK become sRGB, 16 bits
/// become 8, alpha is kept. NotFound; Unsupported (not a picture this build can read); Corruption
/// (broken, cut off or empty: the message says how, in one line); ResourceExhausted (over the
/// limits, found from the header). Threads: safe (stateless); uses no thread of its own.
Result<DecodedImage> decodeFile(const std::filesystem::path& path, const DecodeLimits& limits = {});
Result<DecodedImage> decodeBytes(std::span<const std::uint8_t> bytes,
                                 const DecodeLimits& limits = {});

/// The frame shown at `time`, upright; the last one when the video ends before, the first when
/// `time` is negative. NotFound; Unsupported (not a video this build can read); Corruption (broken,
/// empty, or without a frame); ResourceExhausted. Threads: safe; FFmpeg uses threads of its own.
Result<DecodedImage> decodeVideoFrame(const std::filesystem::path& path,
                                      std::chrono::milliseconds time,
                                      const DecodeLimits& limits = {});

/// Whether a file with these first bytes (≥ 32, or the whole file) may be a still picture this
/// build decodes; cheap, for the walk.
bool looksLikeImage(std::span<const std::uint8_t> head);

/// PNG bytes, 8-bit RGBA. InvalidArgument for an empty picture; Internal when the encoder fails.
/// Threads: safe.
Result<std::vector<std::uint8_t>> encodePng(ImageView image);

/// Fits inside side × side, never enlarges, keeps alpha. InvalidArgument for an empty picture or a
/// side below 1. Threads: safe.
Result<ImageBuffer> thumbnail(ImageView image, int side);

/// 64-bit DCT hash of the picture over white (32 × 32 luminance, lowest 8 × 8 frequencies against
/// their median; bit v · 8 + u is set when the coefficient of u across and v down is above it). 0
/// when the picture is empty, nearly uniform or too plain to be told from others of its kind (a
/// gradient): such a hash says nothing and must not match.
/// Reads every pixel: hash a thumbnail where there is one. Threads: safe.
std::uint64_t perceptualHash(ImageView image);

}  // namespace bifocal::imaging
