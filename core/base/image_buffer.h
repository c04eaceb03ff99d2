// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bifocal {

/// A rectangle in pixels, top-left origin. Threads: value.
struct PixelRect {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    bool isEmpty() const { return width <= 0 || height <= 0; }
    friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

/// Borrowed pixels: 8-bit R, G, B, A (straight alpha), sRGB, rows of `strideBytes`.
/// Threads: value. Owns: nothing; the pixels must outlive it.
struct ImageView {
    const std::uint8_t* pixels = nullptr;
    int width = 0;
    int height = 0;
    std::size_t strideBytes = 0;

    bool isEmpty() const { return pixels == nullptr || width <= 0 || height <= 0; }
    const std::uint8_t* row(int y) const {
        return pixels + static_cast<std::size_t>(y) * strideBytes;
    }
};

/// Owned pixels, tightly packed 8-bit RGBA (straight alpha), sRGB, upright. Threads: compatible.
struct ImageBuffer {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;  ///< width · height · 4 bytes

    bool isEmpty() const { return rgba.empty(); }
    ImageView view() const {
        return {rgba.data(), width, height, static_cast<std::size_t>(width) * 4};
    }
};

/// The part of `image` inside `rect`, clipped to it; empty when they do not meet.
ImageView crop(ImageView image, PixelRect rect);

/// A tightly packed copy.
ImageBuffer copyOf(ImageView image);

}  // namespace bifocal
