// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/same_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bifocal {
namespace {

constexpr int kMostCells = 32;
constexpr std::size_t kChannels = 3;

using Cell = std::array<double, kChannels>;

/// Where `cell` of `cellCount` lies among `pixelCount` pixels.
struct Stretch {
    Stretch(int pixelCount, int cellCount, int cell)
        : begin(static_cast<double>(pixelCount) * cell / cellCount),
          end(static_cast<double>(pixelCount) * (cell + 1) / cellCount),
          first(static_cast<int>(begin)),
          last(std::min(pixelCount, static_cast<int>(std::ceil(end)))) {}

    double shareOf(int pixel) const {
        return std::max(0.0,
                        std::min(end, static_cast<double>(pixel) + 1) -
                            std::max(begin, static_cast<double>(pixel)));
    }

    double begin;
    double end;
    int first;
    int last;  ///< exclusive
};

Cell meanOver(ImageView image, const Stretch& rows, const Stretch& columns) {
    Cell sum{};
    for (int y = rows.first; y < rows.last; ++y) {
        const std::uint8_t* row = image.row(y);
        for (int x = columns.first; x < columns.last; ++x) {
            const std::uint8_t* pixel = row + 4 * static_cast<std::ptrdiff_t>(x);
            const double share = rows.shareOf(y) * columns.shareOf(x);
            const double alpha = pixel[3] / 255.0;
            for (std::size_t c = 0; c < kChannels; ++c) {
                sum[c] += share * (pixel[c] * alpha + 255.0 * (1.0 - alpha));
            }
        }
    }
    const double area = (rows.end - rows.begin) * (columns.end - columns.begin);
    for (double& value : sum) {
        value /= area;
    }
    return sum;
}

std::vector<Cell> gridOf(ImageView image, int side) {
    std::vector<Cell> grid;
    grid.reserve(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    for (int row = 0; row < side; ++row) {
        for (int column = 0; column < side; ++column) {
            grid.push_back(meanOver(
                image, Stretch(image.height, side, row), Stretch(image.width, side, column)));
        }
    }
    return grid;
}

}  // namespace

double pictureDistance(ImageView a, ImageView b) {
    if (a.isEmpty() || b.isEmpty()) {
        return std::numeric_limits<double>::infinity();
    }
    const int side = std::min({a.width, a.height, b.width, b.height, kMostCells});
    const std::vector<Cell> first = gridOf(a, side);
    const std::vector<Cell> second = gridOf(b, side);
    double squares = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t c = 0; c < kChannels; ++c) {
            const double difference = first[i][c] - second[i][c];
            squares += difference * difference;
        }
    }
    return std::sqrt(squares / static_cast<double>(first.size() * kChannels));
}

}  // namespace bifocal
