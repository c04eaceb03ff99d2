// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/looks_query.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

namespace bifocal::cli {
namespace {

constexpr std::string_view kHead = "picture,crop,left,top,flip,brightness";
constexpr std::size_t kNumberCount = 5;

Error badLine(std::size_t line, const char* what) {
    return {ErrorCode::InvalidArgument, "looks, line " + std::to_string(line) + ": " + what};
}

/// Takes the name off the front of `line`, with the comma behind it.
std::optional<std::string> takeName(std::string_view& line) {
    const bool isQuoted = line.starts_with('"');
    const std::size_t end = line.find(isQuoted ? "\"," : ",", isQuoted ? 1 : 0);
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t first = isQuoted ? 1 : 0;
    std::string name(line.substr(first, end - first));
    line.remove_prefix(end + (isQuoted ? 2 : 1));
    return name;
}

std::optional<std::array<double, kNumberCount>> parseNumbers(std::string_view text) {
    std::array<double, kNumberCount> numbers{};
    const char* place = text.data();
    const char* const end = text.data() + text.size();
    for (std::size_t i = 0; i < kNumberCount; ++i) {
        const auto [rest, code] = std::from_chars(place, end, numbers[i]);
        const bool isLast = i + 1 == kNumberCount;
        if (code != std::errc{} || !std::isfinite(numbers[i]) ||
            (isLast ? rest != end : (rest == end || *rest != ','))) {
            return std::nullopt;
        }
        place = rest + 1;
    }
    return numbers;
}

/// Half to even, as the recipe's reference rounds.
int roundedShare(double share, int side) {
    return static_cast<int>(std::nearbyint(share * side));
}

/// The picture over white on its padded square. Threads: value; borrows the pixels.
class PaddedSquare {
public:
    explicit PaddedSquare(ImageView image)
        : image_(image),
          side_(std::max(image.width, image.height)),
          left_((side_ - image.width) / 2),
          top_((side_ - image.height) / 2) {}

    int side() const { return side_; }

    int value(int x, int y, int channel) const {
        const int column = x - left_;
        const int line = y - top_;
        if (column < 0 || line < 0 || column >= image_.width || line >= image_.height) {
            return 255;
        }
        const std::uint8_t* pixel = image_.row(line) + static_cast<std::ptrdiff_t>(column) * 4;
        const int alpha = pixel[3];
        return (pixel[channel] * alpha + 255 * (255 - alpha) + 127) / 255;
    }

private:
    ImageView image_;
    int side_;
    int left_;
    int top_;
};

}  // namespace

Result<std::vector<LooksQuery>> parseLooksQueries(std::string_view text) {
    std::vector<LooksQuery> queries;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (number == 1) {
            if (line != kHead) {
                return badLine(number, "the head is not picture,crop,left,top,flip,brightness");
            }
            continue;
        }
        if (line.empty()) {
            continue;
        }
        LooksQuery query;
        const std::optional<std::string> name = takeName(line);
        const auto numbers = name ? parseNumbers(line) : std::nullopt;
        if (!numbers) {
            return badLine(number, "not a name and five numbers");
        }
        query.picture = *name;
        query.crop = (*numbers)[0];
        query.left = (*numbers)[1];
        query.top = (*numbers)[2];
        query.isFlipped = (*numbers)[3] != 0;
        query.brightness = (*numbers)[4];
        const auto isShare = [](double value) { return value >= 0 && value <= 1; };
        if (!isShare(query.crop) || !isShare(query.left) || !isShare(query.top) ||
            query.brightness < 0) {
            return badLine(number, "a share outside [0, 1] or a brightness below 0");
        }
        queries.push_back(std::move(query));
    }
    return queries;
}

Result<ImageBuffer> looksPicture(ImageView image, const LooksQuery& query) {
    if (image.isEmpty()) {
        return Error{ErrorCode::InvalidArgument, query.picture + ": an empty picture"};
    }
    const PaddedSquare square(image);
    const int left = roundedShare(query.left, square.side());
    const int top = roundedShare(query.top, square.side());
    const int edge = std::max(1, roundedShare(query.crop, square.side()));
    ImageBuffer part;
    part.width = std::min(edge, square.side() - left);
    part.height = std::min(edge, square.side() - top);
    if (part.width <= 0 || part.height <= 0) {
        return Error{ErrorCode::InvalidArgument, query.picture + ": the part lies outside"};
    }
    part.rgba.reserve(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height) *
                      4);
    for (int y = 0; y < part.height; ++y) {
        for (int x = 0; x < part.width; ++x) {
            const int column = left + (query.isFlipped ? part.width - 1 - x : x);
            for (int channel = 0; channel < 3; ++channel) {
                const double lit =
                    std::floor(square.value(column, top + y, channel) * query.brightness + 0.5);
                part.rgba.push_back(static_cast<std::uint8_t>(std::clamp(lit, 0.0, 255.0)));
            }
            part.rgba.push_back(255);
        }
    }
    return part;
}

bool isLooksHit(const LooksQuery& query, std::string_view path) {
    if (path == query.picture) {
        return true;
    }
    const std::filesystem::path original(query.picture);
    std::filesystem::path twin = original.parent_path() / original.stem();
    twin += "_mirror";
    twin += original.extension();
    return path == twin.native();
}

}  // namespace bifocal::cli
