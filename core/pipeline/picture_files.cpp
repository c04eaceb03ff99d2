// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/picture_files.h"

#include "core/imaging/decode.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace bifocal {
namespace {

constexpr std::array<std::string_view, 14> kPictureExtensions{".avif",
                                                              ".bmp",
                                                              ".gif",
                                                              ".heic",
                                                              ".heif",
                                                              ".jfif",
                                                              ".jp2",
                                                              ".jpeg",
                                                              ".jpg",
                                                              ".jxl",
                                                              ".png",
                                                              ".tif",
                                                              ".tiff",
                                                              ".webp"};

bool isNamedAsPicture(const std::filesystem::path& path) {
    std::string extension = path.extension().native();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return std::binary_search(kPictureExtensions.begin(), kPictureExtensions.end(), extension);
}

}  // namespace

bool mayBePicture(const std::filesystem::path& path) {
    if (isNamedAsPicture(path)) {
        return true;
    }
    std::ifstream file(path, std::ios::binary);
    std::array<char, 64> head{};
    file.read(head.data(), head.size());
    const auto count = static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0));
    return imaging::looksLikeImage(
        std::span(reinterpret_cast<const std::uint8_t*>(head.data()), count));
}

}  // namespace bifocal
