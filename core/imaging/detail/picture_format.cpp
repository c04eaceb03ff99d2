// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/detail/picture_format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <vips/vips.h>

namespace bifocal::imaging::detail {
namespace {

using namespace std::string_view_literals;

std::uint32_t littleEndian32(std::string_view bytes, std::size_t offset) {
    std::uint32_t value = 0;
    for (std::size_t index = 4; index-- > 0;) {
        value = value << 8U | static_cast<std::uint8_t>(bytes[offset + index]);
    }
    return value;
}

bool isTiff(std::string_view head) {
    return head.starts_with("II*\0"sv) || head.starts_with("MM\0*"sv) ||
           head.starts_with("II+\0"sv) || head.starts_with("MM\0+"sv);
}

bool isHeif(std::string_view head) {
    if (head.size() < 12 || head.substr(4, 4) != "ftyp"sv) {
        return false;
    }
    constexpr std::array kBrands{"heic"sv,
                                 "heix"sv,
                                 "hevc"sv,
                                 "hevx"sv,
                                 "heim"sv,
                                 "heis"sv,
                                 "mif1"sv,
                                 "msf1"sv,
                                 "avif"sv,
                                 "avis"sv};
    return std::find(kBrands.begin(), kBrands.end(), head.substr(8, 4)) != kBrands.end();
}

bool isJpegXl(std::string_view head) {
    return head.starts_with("\xff\x0a"sv) || head.starts_with("\0\0\0\x0cJXL \r\n\x87\n"sv);
}

bool isJpeg2000(std::string_view head) {
    return head.starts_with("\0\0\0\x0cjP  \r\n\x87\n"sv) || head.starts_with("\xff\x4f\xff\x51"sv);
}

/// "P5" and a number: a magic of two letters alone would take many a text for a picture.
bool isPnm(std::string_view head) {
    if (head.size() < 4 || head[0] != 'P' || head[1] < '1' || head[1] > '6') {
        return false;
    }
    const std::size_t next = head.find_first_not_of(" \t\r\n", 2);
    return next != 2 && next != std::string_view::npos &&
           (head[next] == '#' || (head[next] >= '0' && head[next] <= '9'));
}

bool isBmp(std::string_view head) {
    if (head.size() < 26 || !head.starts_with("BM"sv)) {
        return false;
    }
    constexpr std::array<std::uint32_t, 6> kHeaderSizes{12, 40, 52, 56, 108, 124};
    return std::find(kHeaderSizes.begin(), kHeaderSizes.end(), littleEndian32(head, 14)) !=
           kHeaderSizes.end();
}

}  // namespace

PictureFormat formatOf(std::span<const std::uint8_t> bytes) {
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                                std::min(bytes.size(), kHeadBytes));
    if (head.starts_with("\xff\xd8\xff"sv)) {
        return PictureFormat::Jpeg;
    }
    if (head.starts_with("\x89PNG\r\n\x1a\n"sv)) {
        return PictureFormat::Png;
    }
    if (head.starts_with("GIF87a"sv) || head.starts_with("GIF89a"sv)) {
        return PictureFormat::Gif;
    }
    if (head.starts_with("RIFF"sv) && head.size() >= 12 && head.substr(8, 4) == "WEBP"sv) {
        return PictureFormat::WebP;
    }
    return isTiff(head)       ? PictureFormat::Tiff
           : isHeif(head)     ? PictureFormat::Heif
           : isJpegXl(head)   ? PictureFormat::JpegXl
           : isJpeg2000(head) ? PictureFormat::Jpeg2000
           : isPnm(head)      ? PictureFormat::Pnm
           : isBmp(head)      ? PictureFormat::Bmp
                              : PictureFormat::None;
}

bool isReadable(PictureFormat format) {
    if (format == PictureFormat::None) {
        return false;
    }
    const char* loader = loaderOf(format);
    return loader == nullptr || vips_type_find("VipsOperation", loader) != 0;
}

const char* loaderOf(PictureFormat format) {
    switch (format) {
        case PictureFormat::Jpeg: return "jpegload_source";
        case PictureFormat::Png: return "pngload_source";
        case PictureFormat::Gif: return "gifload_source";
        case PictureFormat::WebP: return "webpload_source";
        case PictureFormat::Tiff: return "tiffload_source";
        case PictureFormat::Heif: return "heifload_source";
        case PictureFormat::JpegXl: return "jxlload_source";
        case PictureFormat::Jpeg2000: return "jp2kload_source";
        case PictureFormat::Pnm: return "ppmload_source";
        case PictureFormat::Bmp:
        case PictureFormat::None: break;
    }
    return nullptr;
}

const char* nameOf(PictureFormat format) {
    switch (format) {
        case PictureFormat::Jpeg: return "JPEG";
        case PictureFormat::Png: return "PNG";
        case PictureFormat::Gif: return "GIF";
        case PictureFormat::WebP: return "WebP";
        case PictureFormat::Tiff: return "TIFF";
        case PictureFormat::Heif: return "HEIF";
        case PictureFormat::JpegXl: return "JPEG XL";
        case PictureFormat::Jpeg2000: return "JPEG 2000";
        case PictureFormat::Pnm: return "PNM";
        case PictureFormat::Bmp: return "BMP";
        case PictureFormat::None: break;
    }
    return "no picture";
}

bool canBeAnimated(PictureFormat format) {
    return format == PictureFormat::Gif || format == PictureFormat::WebP;
}

bool isUprightByItself(PictureFormat format) {
    return format == PictureFormat::Heif || format == PictureFormat::JpegXl;
}

}  // namespace bifocal::imaging::detail
