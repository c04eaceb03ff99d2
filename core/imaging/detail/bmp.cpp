// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/detail/bmp.h"

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <vector>

namespace bifocal::imaging::detail {
namespace {

constexpr std::size_t kFileHeaderBytes = 14;
constexpr std::uint32_t kOldHeaderBytes = 12;
constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kBitFields = 3;
constexpr std::uint32_t kAlphaBitFields = 6;

/// Reads little-endian numbers; what lies behind the end is zero and is remembered.
class Reader {
public:
    explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    std::uint32_t number(std::size_t offset, std::size_t size) {
        if (offset > bytes_.size() || bytes_.size() - offset < size) {
            isPastEnd_ = true;
            return 0;
        }
        std::uint32_t value = 0;
        for (std::size_t index = size; index-- > 0;) {
            value = value << 8U | bytes_[offset + index];
        }
        return value;
    }
    bool isPastEnd() const { return isPastEnd_; }
    std::size_t size() const { return bytes_.size(); }

private:
    std::span<const std::uint8_t> bytes_;
    bool isPastEnd_ = false;
};

/// One channel inside a pixel.
struct Channel {
    std::uint32_t mask = 0;

    std::uint8_t of(std::uint32_t pixel) const {
        const int shift = std::countr_zero(mask);
        const std::uint64_t most = mask >> shift;
        return static_cast<std::uint8_t>(
            (((pixel & mask) >> shift) * std::uint64_t{255} + most / 2) / most);
    }
};

struct Layout {
    std::int64_t width = 0;
    std::int64_t height = 0;
    bool isTopDown = false;
    std::uint32_t bitCount = 0;
    std::size_t pixelsAt = 0;
    std::size_t rowBytes = 0;
    std::array<Channel, 4> channels;                   ///< R G B A; used above 8 bits
    std::vector<std::array<std::uint8_t, 3>> palette;  ///< R G B; used up to 8 bits
};

Error broken(const std::string& what) {
    return {ErrorCode::Corruption, "BMP: " + what};
}

Result<void> readMasks(Reader& reader,
                       std::uint32_t headerBytes,
                       std::uint32_t coding,
                       Layout& layout) {
    if (coding == kBitFields || coding == kAlphaBitFields) {
        const bool hasAlpha = coding == kAlphaBitFields || headerBytes >= 56;
        for (std::size_t index = 0; index < (hasAlpha ? 4U : 3U); ++index) {
            layout.channels[index].mask = reader.number(kFileHeaderBytes + 40 + index * 4, 4);
        }
    } else if (layout.bitCount == 16) {
        layout.channels = {Channel{0x7C00}, Channel{0x03E0}, Channel{0x001F}, Channel{0}};
    } else {
        layout.channels = {Channel{0xFF0000}, Channel{0x00FF00}, Channel{0x0000FF}, Channel{0}};
    }
    for (std::size_t index = 0; index < 3; ++index) {
        if (layout.channels[index].mask == 0) {
            return broken("a colour has no bits");
        }
    }
    return {};
}

void readPalette(Reader& reader, std::uint32_t headerBytes, std::size_t begin, Layout& layout) {
    const std::size_t entryBytes = headerBytes == kOldHeaderBytes ? 3 : 4;
    const std::size_t most = std::size_t{1} << layout.bitCount;
    const std::uint32_t stated =
        headerBytes == kOldHeaderBytes ? 0 : reader.number(kFileHeaderBytes + 32, 4);
    const std::size_t count = stated == 0 || stated > most ? most : stated;
    layout.palette.assign(most, {0, 0, 0});
    for (std::size_t index = 0; index < count; ++index) {
        const std::size_t at = begin + index * entryBytes;
        if (at + entryBytes > layout.pixelsAt) {
            break;  // a short palette, its other entries stay black
        }
        const std::uint32_t colour = reader.number(at, 3);
        layout.palette[index] = {static_cast<std::uint8_t>(colour >> 16U & 0xFFU),
                                 static_cast<std::uint8_t>(colour >> 8U & 0xFFU),
                                 static_cast<std::uint8_t>(colour & 0xFFU)};
    }
}

Result<void> checkCoding(std::uint32_t coding, std::uint32_t bitCount) {
    const bool hasFields = coding == kBitFields || coding == kAlphaBitFields;
    if (coding != kPlain && !hasFields) {
        return Error{ErrorCode::Unsupported, "BMP: compressed pixels are not supported"};
    }
    const bool isIndexed = bitCount == 1 || bitCount == 4 || bitCount == 8;
    const bool isDirect = bitCount == 16 || bitCount == 24 || bitCount == 32;
    if ((!isIndexed && !isDirect) || (hasFields && (isIndexed || bitCount == 24))) {
        return broken(std::to_string(bitCount) + " bits a pixel");
    }
    return {};
}

Result<Layout> readLayout(Reader& reader, std::uint64_t maxPixels) {
    Layout layout;
    const std::uint32_t headerBytes = reader.number(kFileHeaderBytes, 4);
    const bool isOld = headerBytes == kOldHeaderBytes;
    const std::size_t base = kFileHeaderBytes;
    const auto sideAt = [&](std::size_t offset) -> std::int64_t {
        return isOld ? std::int64_t{reader.number(base + offset / 2 + 2, 2)}
                     : std::int64_t{static_cast<std::int32_t>(reader.number(base + offset, 4))};
    };
    layout.width = sideAt(4);
    layout.height = sideAt(8);
    layout.isTopDown = layout.height < 0;
    layout.height = layout.isTopDown ? -layout.height : layout.height;
    layout.bitCount = reader.number(base + (isOld ? 10 : 14), 2);
    const std::uint32_t coding = isOld ? kPlain : reader.number(base + 16, 4);
    layout.pixelsAt = reader.number(10, 4);
    if (reader.isPastEnd() || layout.width <= 0 || layout.height <= 0) {
        return broken("the header is damaged");
    }
    if (static_cast<std::uint64_t>(layout.width) * static_cast<std::uint64_t>(layout.height) >
        maxPixels) {
        return Error{ErrorCode::ResourceExhausted,
                     "BMP: " + std::to_string(layout.width) + " x " +
                         std::to_string(layout.height) + " pixels, more than the limit of " +
                         std::to_string(maxPixels)};
    }
    BIFOCAL_CHECK(checkCoding(coding, layout.bitCount));
    layout.rowBytes = (static_cast<std::size_t>(layout.width) * layout.bitCount + 31) / 32 * 4;
    const std::uint64_t needed = layout.pixelsAt + std::uint64_t{layout.rowBytes} *
                                                       static_cast<std::uint64_t>(layout.height);
    if (needed > reader.size()) {
        return broken("the file ends early");
    }
    if (layout.bitCount <= 8) {
        readPalette(reader, headerBytes, base + headerBytes, layout);
    } else {
        BIFOCAL_CHECK(readMasks(reader, headerBytes, coding, layout));
    }
    return layout;
}

/// One stored row as RGBA; gives the OR of its alpha values.
std::uint8_t readRow(const Layout& layout, const std::uint8_t* row, std::uint8_t* out) {
    std::uint8_t anyAlpha = 0;
    const bool hasAlpha = layout.channels[3].mask != 0;
    for (std::size_t x = 0; x < static_cast<std::size_t>(layout.width); ++x, out += 4) {
        if (layout.bitCount <= 8) {
            const std::size_t bit = x * layout.bitCount;
            const std::size_t shift = 8 - layout.bitCount - bit % 8;
            const std::size_t index = row[bit / 8] >> shift & ((1U << layout.bitCount) - 1);
            const auto& colour = layout.palette[index];
            out[0] = colour[0];
            out[1] = colour[1];
            out[2] = colour[2];
            out[3] = 255;
            continue;
        }
        const std::size_t size = layout.bitCount / 8;
        std::uint32_t pixel = 0;
        for (std::size_t index = size; index-- > 0;) {
            pixel = pixel << 8U | row[x * size + index];
        }
        for (std::size_t channel = 0; channel < 3; ++channel) {
            out[channel] = layout.channels[channel].of(pixel);
        }
        out[3] = hasAlpha ? layout.channels[3].of(pixel) : 255;
        anyAlpha = static_cast<std::uint8_t>(anyAlpha | out[3]);
    }
    return layout.bitCount <= 8 ? 255 : anyAlpha;
}

}  // namespace

Result<ImageBuffer> decodeBmp(std::span<const std::uint8_t> bytes, std::uint64_t maxPixels) {
    Reader reader(bytes);
    BIFOCAL_TRY(const Layout layout, readLayout(reader, maxPixels));
    if (reader.isPastEnd()) {
        return broken("the file ends early");
    }
    ImageBuffer image;
    image.width = static_cast<int>(layout.width);
    image.height = static_cast<int>(layout.height);
    const std::size_t outRow = static_cast<std::size_t>(layout.width) * 4;
    image.rgba.resize(outRow * static_cast<std::size_t>(layout.height));
    std::uint8_t anyAlpha = 0;
    for (std::size_t y = 0; y < static_cast<std::size_t>(layout.height); ++y) {
        const std::size_t stored =
            layout.isTopDown ? y : static_cast<std::size_t>(layout.height) - 1 - y;
        const std::uint8_t rowAlpha =
            readRow(layout,
                    bytes.data() + layout.pixelsAt + stored * layout.rowBytes,
                    image.rgba.data() + y * outRow);
        anyAlpha = static_cast<std::uint8_t>(anyAlpha | rowAlpha);
    }
    if (anyAlpha == 0) {  // programs that reserve the channel leave zeros in it
        for (std::size_t index = 3; index < image.rgba.size(); index += 4) {
            image.rgba[index] = 255;
        }
    }
    return image;
}

}  // namespace bifocal::imaging::detail
