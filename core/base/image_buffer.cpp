// SPDX-License-Identifier: Apache-2.0
#include "core/base/image_buffer.h"

#include <algorithm>
#include <cstring>

namespace bifocal {

ImageView crop(ImageView image, PixelRect rect) {
    // 64-bit corners: a rectangle from a file may sit near the limits of int.
    const std::int64_t left = std::max<std::int64_t>(rect.x, 0);
    const std::int64_t top = std::max<std::int64_t>(rect.y, 0);
    const std::int64_t right =
        std::min<std::int64_t>(std::int64_t{rect.x} + rect.width, image.width);
    const std::int64_t bottom =
        std::min<std::int64_t>(std::int64_t{rect.y} + rect.height, image.height);
    if (image.isEmpty() || right <= left || bottom <= top) {
        return {};
    }
    return {image.row(static_cast<int>(top)) + left * 4,
            static_cast<int>(right - left),
            static_cast<int>(bottom - top),
            image.strideBytes};
}

ImageBuffer copyOf(ImageView image) {
    ImageBuffer copy;
    if (image.isEmpty()) {
        return copy;
    }
    copy.width = image.width;
    copy.height = image.height;
    const std::size_t rowBytes = static_cast<std::size_t>(image.width) * 4;
    copy.rgba.resize(rowBytes * static_cast<std::size_t>(image.height));
    for (int y = 0; y < image.height; ++y) {
        std::memcpy(
            copy.rgba.data() + rowBytes * static_cast<std::size_t>(y), image.row(y), rowBytes);
    }
    return copy;
}

}  // namespace bifocal
