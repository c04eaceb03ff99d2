// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"

#include "core/base/files.h"
#include "core/imaging/detail/bmp.h"
#include "core/imaging/detail/orientation.h"
#include "core/imaging/detail/picture_format.h"
#include "core/imaging/detail/vips_error.h"
#include "core/imaging/detail/vips_source.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace bifocal::imaging {
namespace {

using detail::Owned;
using detail::PictureFormat;

constexpr int kMostBlankFrames =
    16;  ///< of an animation, looked through for one that shows something

/// libvips keeps buffers for each thread that calls it; they go with this.
struct ThreadRelease {
    ThreadRelease() = default;
    ThreadRelease(const ThreadRelease&) = delete;
    ThreadRelease& operator=(const ThreadRelease&) = delete;
    ~ThreadRelease() { vips_thread_shutdown(); }
};

/// What is opened: where the bytes come from, and what they are.
struct Input {
    VipsSource* source;
    PictureFormat format;
    const DecodeLimits& limits;
};

Error failed(const Input& input) {
    return detail::takeVipsError(ErrorCode::Corruption,
                                 std::string(detail::nameOf(input.format)) + ": broken");
}

/// Opens the header; pixels are decoded row by row as they are asked for. `page` counts for
/// animations, `shrink` for JPEG.
Result<Owned<VipsImage>> openPicture(const Input& input, int page, int shrink) {
    const char* loader = detail::loaderOf(input.format);
    VipsImage* image = nullptr;
    int status = 0;
    if (input.format == PictureFormat::Jpeg) {
        status = vips_call(loader,
                           input.source,
                           &image,
                           "access",
                           VIPS_ACCESS_SEQUENTIAL,
                           "fail_on",
                           VIPS_FAIL_ON_ERROR,
                           "shrink",
                           shrink,
                           nullptr);
    } else if (detail::canBeAnimated(input.format)) {
        status = vips_call(loader,
                           input.source,
                           &image,
                           "access",
                           VIPS_ACCESS_SEQUENTIAL,
                           "fail_on",
                           VIPS_FAIL_ON_ERROR,
                           "page",
                           page,
                           nullptr);
    } else {
        status = vips_call(loader,
                           input.source,
                           &image,
                           "access",
                           VIPS_ACCESS_SEQUENTIAL,
                           "fail_on",
                           VIPS_FAIL_ON_ERROR,
                           nullptr);
    }
    if (status != 0) {
        return failed(input);
    }
    return Owned<VipsImage>(image);
}

Result<void> checkSize(const Input& input, const VipsImage* image) {
    const auto width = static_cast<std::uint64_t>(image->Xsize);
    const auto height = static_cast<std::uint64_t>(image->Ysize);
    if (width * height > input.limits.maxPixels) {
        return Error{ErrorCode::ResourceExhausted,
                     std::string(detail::nameOf(input.format)) + ": " + std::to_string(width) +
                         " x " + std::to_string(height) + " pixels, more than the limit of " +
                         std::to_string(input.limits.maxPixels)};
    }
    return {};
}

/// The largest reduction that the JPEG decoder does for nothing and that still leaves maxSide, and
/// a pixel of the short side: libvips aborts the process over a picture without height.
int jpegShrink(int width, int height, int maxSide) {
    int shrink = 8;
    while (shrink > 1 &&
           (std::max(width, height) / shrink < maxSide || std::min(width, height) / shrink < 1)) {
        shrink /= 2;
    }
    return shrink;
}

/// Takes a step's result in place of `image`; false when the step failed. `result` is a reference
/// because the step that fills it is an argument too, in no particular order.
bool replace(Owned<VipsImage>& image, int status, VipsImage* const& result) {
    if (status != 0) {
        return false;
    }
    image.reset(result);
    return true;
}

/// Down to `maxSide`, in the picture's own colours; alpha is premultiplied meanwhile, so that what
/// lies under transparent pixels does not bleed out.
bool reduce(Owned<VipsImage>& image, int maxSide) {
    const int longest = std::max(image->Xsize, image->Ysize);
    if (longest <= maxSide) {
        return true;
    }
    const auto scaleOf = [longest, maxSide](int length) {
        const double exact = static_cast<double>(length) * maxSide / longest;
        return std::max(1.0, std::round(exact)) / length;
    };
    const VipsBandFormat format = image->BandFmt;
    const bool hasAlpha = vips_image_hasalpha(image.get()) != 0;
    VipsImage* next = nullptr;
    // Premultiplied numbers are floats; as they came they are resized in a third of the time, and
    // what is lost is less than one level of the picture on any ground.
    if (hasAlpha && !(replace(image, vips_premultiply(image.get(), &next, nullptr), next) &&
                      replace(image, vips_cast(image.get(), &next, format, nullptr), next))) {
        return false;
    }
    const double across = scaleOf(image->Xsize);
    const double down = scaleOf(image->Ysize);
    if (!replace(image, vips_resize(image.get(), &next, across, "vscale", down, nullptr), next)) {
        return false;
    }
    return !hasAlpha || (replace(image, vips_unpremultiply(image.get(), &next, nullptr), next) &&
                         replace(image, vips_cast(image.get(), &next, format, nullptr), next));
}

/// To 8-bit sRGB with three or four bands.
bool toSrgb(Owned<VipsImage>& image) {
    VipsImage* next = nullptr;
    bool isDone = false;
    if (vips_image_get_typeof(image.get(), VIPS_META_ICC_NAME) != 0) {
        isDone = replace(
            image,
            vips_icc_transform(image.get(), &next, "srgb", "embedded", TRUE, "depth", 8, nullptr),
            next);
        if (!isDone) {
            vips_error_clear();  // a profile that cannot be used is no reason to lose the picture
        }
    }
    if (!isDone &&
        !replace(
            image, vips_colourspace(image.get(), &next, VIPS_INTERPRETATION_sRGB, nullptr), next)) {
        return false;
    }
    if (image->BandFmt != VIPS_FORMAT_UCHAR &&
        !replace(image, vips_cast_uchar(image.get(), &next, nullptr), next)) {
        return false;
    }
    return image->Bands <= 4 ||
           replace(image, vips_extract_band(image.get(), &next, 0, "n", 4, nullptr), next);
}

void copyRow(const VipsPel* from, int bands, int width, std::uint8_t* to) {
    for (int x = 0; x < width; ++x, from += bands, to += 4) {
        to[0] = from[0];
        to[1] = from[bands < 3 ? 0 : 1];
        to[2] = from[bands < 3 ? 0 : 2];
        to[3] = bands == 4 ? from[3] : bands == 2 ? from[1] : 255;
    }
}

/// Runs the pipeline in strips, top to bottom, on this thread: libvips' own loop would hand the
/// work to its pool, whose threads have another priority than the caller.
bool pull(VipsImage* image, ImageBuffer& out) {
    constexpr std::size_t kStripBytes = 1U << 20U;
    out.width = image->Xsize;
    out.height = image->Ysize;
    const std::size_t rowBytes = static_cast<std::size_t>(out.width) * 4;
    out.rgba.resize(rowBytes * static_cast<std::size_t>(out.height));
    const Owned<VipsRegion> region(vips_region_new(image));
    if (region == nullptr) {
        return false;
    }
    const int stripRows =
        static_cast<int>(std::clamp<std::size_t>(kStripBytes / rowBytes, 16, 256));
    for (int top = 0; top < out.height; top += stripRows) {
        const VipsRect strip{0, top, out.width, std::min(stripRows, out.height - top)};
        if (vips_region_prepare(region.get(), &strip) != 0) {
            return false;
        }
        for (int y = top; y < top + strip.height; ++y) {
            copyRow(VIPS_REGION_ADDR(region.get(), 0, y),
                    image->Bands,
                    out.width,
                    out.rgba.data() + static_cast<std::size_t>(y) * rowBytes);
        }
    }
    return true;
}

bool isBlank(const ImageBuffer& image) {
    bool isOneColour = true;
    bool isTransparent = true;
    for (std::size_t index = 0; index < image.rgba.size() && (isOneColour || isTransparent);
         index += 4) {
        isOneColour =
            isOneColour && std::memcmp(image.rgba.data(), image.rgba.data() + index, 4) == 0;
        isTransparent = isTransparent && image.rgba[index + 3] == 0;
    }
    return isOneColour || isTransparent;
}

Result<DecodedImage> decodePage(const Input& input, int page, int& pageCount) {
    BIFOCAL_TRY(auto image, openPicture(input, page, 1));
    BIFOCAL_CHECK(checkSize(input, image.get()));
    pageCount = vips_image_get_n_pages(image.get());
    const int orientation =
        detail::isUprightByItself(input.format) ? 1 : vips_image_get_orientation(image.get());
    DecodedImage decoded;
    decoded.originalWidth = image->Xsize;
    decoded.originalHeight = image->Ysize;
    if (detail::exchangesSides(orientation)) {
        std::swap(decoded.originalWidth, decoded.originalHeight);
    }
    const int shrink = jpegShrink(image->Xsize, image->Ysize, input.limits.maxSide);
    if (input.format == PictureFormat::Jpeg && shrink > 1) {
        image.reset();
        BIFOCAL_TRY(image, openPicture(input, page, shrink));
    }
    if (!reduce(image, input.limits.maxSide) || !toSrgb(image) ||
        !pull(image.get(), decoded.image)) {
        return failed(input);
    }
    decoded.image = detail::upright(std::move(decoded.image), orientation);
    return decoded;
}

/// The first picture, or of an animation the first that shows something.
Result<DecodedImage> decodeWithVips(const Input& input) {
    const ThreadRelease release;
    int pageCount = 1;
    BIFOCAL_TRY(DecodedImage first, decodePage(input, 0, pageCount));
    if (!detail::canBeAnimated(input.format) || pageCount < 2 || !isBlank(first.image)) {
        return first;
    }
    for (int page = 1; page < std::min(pageCount, kMostBlankFrames); ++page) {
        auto next = decodePage(input, page, pageCount);
        if (next && !isBlank(next->image)) {
            return next;
        }
    }
    return first;
}

Result<DecodedImage> decodeAsBmp(std::span<const std::uint8_t> bytes, const DecodeLimits& limits) {
    DecodedImage decoded;
    BIFOCAL_TRY(decoded.image, detail::decodeBmp(bytes, limits.maxPixels));
    decoded.originalWidth = decoded.image.width;
    decoded.originalHeight = decoded.image.height;
    BIFOCAL_TRY(decoded.image, thumbnail(decoded.image.view(), limits.maxSide));
    return decoded;
}

/// Which format it is, if this build reads it.
Result<PictureFormat> formatToDecode(std::span<const std::uint8_t> head,
                                     const DecodeLimits& limits) {
    if (limits.maxSide < 1) {
        return Error{ErrorCode::InvalidArgument, "limits: maxSide is below 1"};
    }
    if (head.empty()) {
        return Error{ErrorCode::Corruption, "the file is empty"};
    }
    const PictureFormat format = detail::formatOf(head);
    if (format == PictureFormat::None) {
        return Error{ErrorCode::Unsupported, "no picture that this build can read"};
    }
    if (!detail::isReadable(format)) {
        return Error{ErrorCode::Unsupported,
                     std::string(detail::nameOf(format)) + ": libvips has no decoder for it here"};
    }
    return format;
}

Result<DecodedImage> decodeOpened(const detail::InputFile& file,
                                  const std::filesystem::path& path,
                                  const DecodeLimits& limits) {
    BIFOCAL_TRY(const PictureFormat format, formatToDecode(file.head(detail::kHeadBytes), limits));
    if (detail::loaderOf(format) == nullptr) {
        BIFOCAL_TRY(const auto bytes, readFile(path, limits.maxPixels * 4 + 4096));
        return decodeAsBmp(bytes, limits);
    }
    const Owned<VipsSource> source = detail::sourceOf(file);
    return source == nullptr ? detail::takeVipsError(ErrorCode::Internal, "source")
                             : decodeWithVips({source.get(), format, limits});
}

}  // namespace

Result<DecodedImage> decodeFile(const std::filesystem::path& path, const DecodeLimits& limits) {
    try {
        BIFOCAL_TRY(const auto file, detail::InputFile::open(path));
        auto decoded = decodeOpened(file, path, limits);
        return decoded ? std::move(decoded) : decoded.error().withContext(path.string());
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::ResourceExhausted, path.string() + ": out of memory"};
    }
}

Result<DecodedImage> decodeBytes(std::span<const std::uint8_t> bytes, const DecodeLimits& limits) {
    try {
        BIFOCAL_TRY(const PictureFormat format, formatToDecode(bytes, limits));
        if (detail::loaderOf(format) == nullptr) {
            return decodeAsBmp(bytes, limits);
        }
        const Owned<VipsSource> source = detail::sourceOf(bytes);
        return source == nullptr ? detail::takeVipsError(ErrorCode::Internal, "source")
                                 : decodeWithVips({source.get(), format, limits});
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::ResourceExhausted, "picture: out of memory"};
    }
}

bool looksLikeImage(std::span<const std::uint8_t> head) {
    return detail::isReadable(detail::formatOf(head));
}

}  // namespace bifocal::imaging
