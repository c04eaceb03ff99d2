// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/detail/orientation.h"

#include <cstddef>
#include <cstring>

namespace bifocal::imaging::detail {

bool exchangesSides(int orientation) {
    return orientation >= 5 && orientation <= 8;
}

ImageBuffer upright(ImageBuffer image, int orientation) {
    if (orientation < 2 || orientation > 8 || image.isEmpty()) {
        return image;
    }
    const std::ptrdiff_t width = image.width;
    const std::ptrdiff_t height = image.height;
    const std::ptrdiff_t right = width - 1;
    const std::ptrdiff_t bottom = (height - 1) * width;
    // Where output (0, 0) lies in the stored picture, and what one step right and one step down in
    // the output are there, in pixels.
    struct Walk {
        std::ptrdiff_t start;
        std::ptrdiff_t across;
        std::ptrdiff_t down;
    };
    const Walk walk = orientation == 2   ? Walk{right, -1, width}
                      : orientation == 3 ? Walk{bottom + right, -1, -width}
                      : orientation == 4 ? Walk{bottom, 1, -width}
                      : orientation == 5 ? Walk{0, width, 1}
                      : orientation == 6 ? Walk{bottom, -width, 1}
                      : orientation == 7 ? Walk{bottom + right, -width, -1}
                                         : Walk{right, width, -1};
    ImageBuffer turned;
    turned.width = exchangesSides(orientation) ? image.height : image.width;
    turned.height = exchangesSides(orientation) ? image.width : image.height;
    turned.rgba.resize(image.rgba.size());
    std::uint8_t* out = turned.rgba.data();
    for (std::ptrdiff_t y = 0; y < turned.height; ++y) {
        std::ptrdiff_t from = walk.start + y * walk.down;
        for (int x = 0; x < turned.width; ++x) {
            std::memcpy(out, image.rgba.data() + from * 4, 4);
            out += 4;
            from += walk.across;
        }
    }
    return turned;
}

}  // namespace bifocal::imaging::detail
