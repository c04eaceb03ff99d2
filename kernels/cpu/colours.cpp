// SPDX-License-Identifier: Apache-2.0
#include "kernels/colours.h"

#include "kernels/internal/resample.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bifocal::kernels {
namespace {

enum Colour : std::uint8_t {
    Black,
    White,
    Grey,
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
    Pink,
    Brown
};

struct Hsv {
    double hue;  ///< degrees, [0, 360)
    double saturation;
    double value;
};

Hsv hsvOf(const std::uint8_t* pixel) {
    const double red = pixel[0];
    const double green = pixel[1];
    const double blue = pixel[2];
    const double high = std::max({red, green, blue});
    const double range = high - std::min({red, green, blue});
    Hsv hsv{0.0, high > 0.0 ? range / high : 0.0, high / 255.0};
    if (range > 0.0) {
        if (high == red) {
            const double turn = (green - blue) / range;
            hsv.hue = (turn < 0.0 ? turn + 6.0 : turn) * 60.0;
        } else if (high == green) {
            hsv.hue = ((blue - red) / range + 2.0) * 60.0;
        } else {
            hsv.hue = ((red - green) / range + 4.0) * 60.0;
        }
    }
    return hsv;
}

Colour colourOfHue(double hue) {
    struct Range {
        double end;
        Colour colour;
    };
    constexpr Range kRanges[] = {{15, Red},
                                 {42, Orange},
                                 {68, Yellow},
                                 {165, Green},
                                 {255, Blue},
                                 {300, Purple},
                                 {345, Pink},
                                 {361, Red}};
    return std::find_if(std::begin(kRanges),
                        std::end(kRanges) - 1,
                        [=](const Range& range) { return hue < range.end; })
        ->colour;
}

Colour colourOf(const Hsv& hsv) {
    if (hsv.saturation >= 0.2 && hsv.value >= 0.2) {
        if ((hsv.hue >= 330 || hsv.hue < 15) && hsv.value > 0.75 && hsv.saturation < 0.55) {
            return Pink;
        }
        if (hsv.hue >= 10 && hsv.hue < 45 && hsv.value < 0.65) {
            return Brown;
        }
        return colourOfHue(hsv.hue);
    }
    if (hsv.saturation < 0.15 && hsv.value > 0.85) {
        return White;
    }
    return hsv.value < 0.2 ? Black : Grey;
}

}  // namespace

std::array<float, kColourCount> colourShares(ImageView image) {
    constexpr int kOpaque = 128;
    std::array<std::uint64_t, kColourCount> counts{};
    std::uint64_t total = 0;
    for (int y = 0; !image.isEmpty() && y < image.height; ++y) {
        const std::uint8_t* row = image.row(y);
        const std::uint8_t* end = row + std::ptrdiff_t{4} * image.width;
        for (const std::uint8_t* pixel = row; pixel < end; pixel += 4) {
            if (pixel[3] >= kOpaque) {
                ++counts[colourOf(hsvOf(pixel))];
                ++total;
            }
        }
    }
    std::array<float, kColourCount> shares{};
    for (std::size_t i = 0; total > 0 && i < kColourCount; ++i) {
        shares[i] = static_cast<float>(static_cast<double>(counts[i]) / static_cast<double>(total));
    }
    return shares;
}

Result<ImageBuffer> colourThumbnail(ImageView image) {
    constexpr std::int64_t kLimit = 96;
    if (image.isEmpty()) {
        return Error{ErrorCode::InvalidArgument, "colourThumbnail: the picture is empty"};
    }
    const std::int64_t longest = std::max(image.width, image.height);
    if (longest <= kLimit) {
        return copyOf(image);
    }
    const auto shrunk = [=](std::int64_t length) {
        return static_cast<int>(
            std::max<std::int64_t>(1, (2 * length * kLimit + longest) / (2 * longest)));
    };
    return resizeOn(activeIsa(), image, shrunk(image.width), shrunk(image.height), TapFilter::Box);
}

}  // namespace bifocal::kernels
