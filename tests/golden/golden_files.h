// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/assert.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Readers of this folder's golden files and the pictures they were made from, for tests only.
/// Integer formulas, the same as in synthetic.py; README.md states them.
namespace bifocal::golden {

/// One line of tokens.tsv.
struct TokenCase {
    std::string text;               ///< UTF-8, may hold NUL and every control character
    std::vector<std::int32_t> ids;  ///< what the reference gives, at most 128
};

/// What synthetic.py's picture() takes; the strings are those of the JSON files.
struct PictureSpec {
    std::string kind;
    int width = 0;
    int height = 0;
    std::uint64_t seed = 0;
    std::string alpha;
};

inline std::string readFile(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Little-endian FP32, in file order; empty when the file is missing.
inline std::vector<float> readFloats(const std::filesystem::path& path) {
    const std::string bytes = readFile(path);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::copy_n(
        bytes.data(), values.size() * sizeof(float), reinterpret_cast<char*>(values.data()));
    return values;
}

inline int hexDigit(char c) {
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/// tokens.tsv: lower-case hex of the text, a tab, ids between spaces.
inline std::vector<TokenCase> readTokenCases(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::vector<TokenCase> cases;
    for (std::string line; std::getline(in, line);) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos) {
            continue;
        }
        TokenCase one;
        for (std::size_t i = 0; i + 1 < tab; i += 2) {
            one.text += static_cast<char>(hexDigit(line[i]) * 16 + hexDigit(line[i + 1]));
        }
        std::istringstream ids(line.substr(tab + 1));
        one.ids.assign(std::istream_iterator<std::int32_t>(ids), {});
        cases.push_back(std::move(one));
    }
    return cases;
}

inline std::uint64_t splitmix64(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

/// A parabola's sine of period 256, 0..255.
inline int wave(std::int64_t p) {
    const int phase = static_cast<int>(p & 255);
    const int q = phase & 127;
    const int bump = (q * (128 - q)) >> 5;
    return std::min(phase < 128 ? 128 + bump : 128 - bump, 255);
}

inline int topByte(std::uint64_t value) {
    return static_cast<int>(splitmix64(value) >> 56U);
}

inline int colourAt(const PictureSpec& s, std::string_view kind, int x, int y, int c) {
    const auto seed = static_cast<std::int64_t>(s.seed);
    const auto mixIn = [&](std::int64_t v) {
        return topByte(static_cast<std::uint64_t>(v + seed));
    };
    if (kind == "noise") {
        return mixIn((std::int64_t{y} * s.width + x) * 4 + c);
    }
    if (kind == "waves") {
        return wave(x * (seed + 1) + y * (2 * c + seed % 3 + 1) + c * 85);
    }
    if (kind == "tiles") {
        return mixIn((std::int64_t{y / 16} * 1024 + x / 16) * 4 + c);
    }
    if (kind == "gradient") {
        const int across = 255 * x / std::max(s.width - 1, 1);
        const int down = 255 * y / std::max(s.height - 1, 1);
        return std::array{across, down, 255 - (across + down) / 2}.at(
            (static_cast<std::uint64_t>(c) + s.seed) % 3);
    }
    if (kind == "disc") {
        const int dx = 2 * x + 1 - s.width;
        const int dy = 2 * y + 1 - s.height;
        const int radius = std::min(s.width, s.height) * 3 / 4;
        return dx * dx + dy * dy <= radius * radius ? mixIn(c) : colourAt(s, "waves", x, y, c);
    }
    BIFOCAL_ASSERT(kind == "mixed");
    return (3 * colourAt(s, "waves", x, y, c) + colourAt(s, "noise", x, y, c)) / 4;
}

inline int alphaAt(const PictureSpec& s, int x, int y) {
    if (s.alpha == "opaque") {
        return 255;
    }
    if (s.alpha == "stripes") {
        return std::array{0, 128, 255}.at(static_cast<std::size_t>((x + y) / 7 % 3));
    }
    if (s.alpha == "radial") {
        const int dx = 2 * x + 1 - s.width;
        const int dy = 2 * y + 1 - s.height;
        const int longest = std::max(s.width, s.height);
        return 255 - std::min(255, 255 * (dx * dx + dy * dy) / (longest * longest));
    }
    BIFOCAL_ASSERT(s.alpha == "clear");
    return 0;
}

/// RGBA, 8 bits, row after row without padding.
inline std::vector<std::uint8_t> picture(const PictureSpec& s) {
    std::vector<std::uint8_t> out;
    out.reserve(static_cast<std::size_t>(s.width) * static_cast<std::size_t>(s.height) * 4);
    for (int y = 0; y < s.height; ++y) {
        for (int x = 0; x < s.width; ++x) {
            for (int c = 0; c < 3; ++c) {
                out.push_back(static_cast<std::uint8_t>(colourAt(s, s.kind, x, y, c)));
            }
            out.push_back(static_cast<std::uint8_t>(alphaAt(s, x, y)));
        }
    }
    return out;
}

}  // namespace bifocal::golden
