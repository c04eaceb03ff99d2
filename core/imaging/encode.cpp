// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/decode.h"
#include "core/imaging/detail/vips_error.h"
#include "kernels/preprocess.h"

#include <algorithm>
#include <cmath>

#include <vips/vips.h>

namespace bifocal::imaging {

Result<std::vector<std::uint8_t>> encodePng(ImageView image) {
    if (image.isEmpty()) {
        return Error{ErrorCode::InvalidArgument, "PNG: the picture is empty"};
    }
    const std::size_t rowBytes = static_cast<std::size_t>(image.width) * 4;
    const ImageBuffer packed = image.strideBytes == rowBytes ? ImageBuffer{} : copyOf(image);
    const ImageView pixels = packed.isEmpty() ? image : packed.view();
    VipsImage* input =
        vips_image_new_from_memory(pixels.pixels,
                                   rowBytes * static_cast<std::size_t>(pixels.height),
                                   pixels.width,
                                   pixels.height,
                                   4,
                                   VIPS_FORMAT_UCHAR);
    if (input == nullptr) {
        return detail::takeVipsError(ErrorCode::Internal, "PNG");
    }
    input->Type = VIPS_INTERPRETATION_sRGB;
    void* data = nullptr;
    std::size_t size = 0;
    const int status = vips_pngsave_buffer(input, &data, &size, nullptr);
    g_object_unref(input);
    if (status != 0) {
        return detail::takeVipsError(ErrorCode::Internal, "PNG");
    }
    const auto* first = static_cast<const std::uint8_t*>(data);
    std::vector<std::uint8_t> bytes(first, first + size);
    g_free(data);
    return bytes;
}

Result<ImageBuffer> thumbnail(ImageView image, int side) {
    if (image.isEmpty() || side < 1) {
        return Error{ErrorCode::InvalidArgument, "thumbnail: the picture or the side is empty"};
    }
    const int longest = std::max(image.width, image.height);
    if (longest <= side) {
        return copyOf(image);
    }
    const auto reduced = [longest, side](int length) {
        const double exact = static_cast<double>(length) * side / longest;
        return std::max(1, static_cast<int>(std::lround(exact)));
    };
    return kernels::resize(image, reduced(image.width), reduced(image.height));
}

}  // namespace bifocal::imaging
