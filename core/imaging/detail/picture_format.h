// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace bifocal::imaging::detail {

/// Still picture formats that this module knows by their first bytes.
enum class PictureFormat : std::uint8_t {
    None = 0,
    Jpeg,
    Png,
    Gif,
    WebP,
    Tiff,
    Heif,  ///< HEIC and AVIF
    JpegXl,
    Jpeg2000,
    Pnm,
    Bmp,
};

/// Bytes of a file that picture formats are told apart by.
inline constexpr std::size_t kHeadBytes = 64;

/// By magic number alone.
PictureFormat formatOf(std::span<const std::uint8_t> bytes);

/// Whether the libraries of this machine can read it. Requires: initialize() ran.
bool isReadable(PictureFormat format);

/// libvips' name of the loader ("jpegload_source"); null for formats that we read ourselves.
const char* loaderOf(PictureFormat format);

/// "JPEG", "PNG", … for messages.
const char* nameOf(PictureFormat format);

/// Whether a file may hold several pictures shown one after the other.
bool canBeAnimated(PictureFormat format);

/// Whether the decoder turns the picture upright itself, so that an EXIF orientation beside it must
/// not be applied a second time.
bool isUprightByItself(PictureFormat format);

}  // namespace bifocal::imaging::detail
