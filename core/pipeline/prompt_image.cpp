// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/prompt_image.h"

#include "core/base/files.h"
#include "core/imaging/decode.h"
#include "core/library/walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bifocal {
namespace {

Result<LoadedImage> fromPixels(ImageBuffer pixels) {
    if (pixels.isEmpty()) {
        return Error{ErrorCode::InvalidArgument, "the picture has no pixels"};
    }
    LoadedImage loaded;
    loaded.originalWidth = pixels.width;
    loaded.originalHeight = pixels.height;
    loaded.perceptualHash = imaging::perceptualHash(pixels.view());
    loaded.pixels = std::move(pixels);
    return loaded;
}

Result<LoadedImage> fromVideo(const VideoFrame& frame, int side) {
    imaging::DecodeLimits limits;
    limits.maxSide = side;
    BIFOCAL_TRY(imaging::DecodedImage decoded,
                imaging::decodeVideoFrame(frame.path, frame.time, limits));
    BIFOCAL_TRY(LoadedImage loaded, fromPixels(std::move(decoded.image)));
    loaded.originalWidth = decoded.originalWidth;
    loaded.originalHeight = decoded.originalHeight;
    return loaded;
}

/// Whole pictures may be decoded small; a region needs the pixels it is made of.
Result<LoadedImage> loadWhole(const ImageSource& source, int side) {
    if (const auto* file = std::get_if<ImageFile>(&source.source)) {
        BIFOCAL_TRY(const std::vector<std::uint8_t> bytes, readFile(file->path, kMaxImageBytes));
        Result<LoadedImage> loaded = loadImageBytes(bytes, side);
        return loaded ? std::move(loaded) : loaded.error().withContext(file->path.string());
    }
    if (const auto* encoded = std::get_if<ImageBytes>(&source.source)) {
        return loadImageBytes(encoded->bytes, side);
    }
    if (const auto* frame = std::get_if<VideoFrame>(&source.source)) {
        return fromVideo(*frame, side);
    }
    return fromPixels(std::get<ImageBuffer>(source.source));
}

Result<void> reduce(ImageBuffer& pixels, int side) {
    if (std::max(pixels.width, pixels.height) > side) {
        BIFOCAL_TRY(pixels, imaging::thumbnail(pixels.view(), side));
    }
    return {};
}

}  // namespace

Result<LoadedImage> loadImageBytes(std::span<const std::uint8_t> bytes, int side) {
    imaging::DecodeLimits limits;
    limits.maxSide = side;
    BIFOCAL_TRY(imaging::DecodedImage decoded, imaging::decodeBytes(bytes, limits));
    BIFOCAL_TRY(LoadedImage loaded, fromPixels(std::move(decoded.image)));
    loaded.originalWidth = decoded.originalWidth;
    loaded.originalHeight = decoded.originalHeight;
    loaded.content = contentKeyOf(bytes);
    return loaded;
}

Result<LoadedImage> loadPromptImage(const ImageSource& source, int side) {
    if (!source.region) {
        BIFOCAL_TRY(LoadedImage loaded, loadWhole(source, side));
        BIFOCAL_CHECK(reduce(loaded.pixels, side));
        return loaded;
    }
    BIFOCAL_TRY(LoadedImage whole, loadWhole(source, imaging::DecodeLimits{}.maxSide));
    PixelRect region = *source.region;
    if (whole.pixels.width != whole.originalWidth) {  // regions count stored pixels
        const double scale = static_cast<double>(whole.pixels.width) / whole.originalWidth;
        region = {static_cast<int>(std::lround(region.x * scale)),
                  static_cast<int>(std::lround(region.y * scale)),
                  std::max(1, static_cast<int>(std::lround(region.width * scale))),
                  std::max(1, static_cast<int>(std::lround(region.height * scale)))};
    }
    const ImageView part = crop(whole.pixels.view(), region);
    if (part.isEmpty()) {
        return Error{ErrorCode::InvalidArgument, "the region lies outside the picture"};
    }
    LoadedImage loaded;
    loaded.pixels = copyOf(part);
    loaded.originalWidth = whole.originalWidth;
    loaded.originalHeight = whole.originalHeight;
    if (part.width == whole.pixels.width && part.height == whole.pixels.height) {
        loaded.content = whole.content;
        loaded.perceptualHash = whole.perceptualHash;
    }
    BIFOCAL_CHECK(reduce(loaded.pixels, side));
    return loaded;
}

}  // namespace bifocal
