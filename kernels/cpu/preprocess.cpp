// SPDX-License-Identifier: Apache-2.0
#include "kernels/preprocess.h"

#include "kernels/internal/resample.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

namespace bifocal::kernels {
namespace {

constexpr std::size_t kPlanes = 3;
constexpr std::size_t kLevels = 256;

TapFilter tapFilterOf(ResizeFilter filter) {
    return filter == ResizeFilter::Bilinear ? TapFilter::Bilinear : TapFilter::Bicubic;
}

Result<void> checkArguments(Isa isa,
                            ImageView image,
                            const PreprocessSpec& spec,
                            std::span<float> out) {
    if (isa > bestIsa()) {
        return Error{ErrorCode::Unsupported,
                     std::string("preprocess: this machine has no ") + toString(isa)};
    }
    if (image.isEmpty()) {
        return Error{ErrorCode::InvalidArgument, "preprocess: the picture is empty"};
    }
    const auto size = static_cast<std::size_t>(std::max(spec.size, 0));
    if (size == 0 || out.size() != kPlanes * size * size) {
        return Error{ErrorCode::InvalidArgument,
                     "preprocess: " + std::to_string(out.size()) + " numbers for an input of " +
                         std::to_string(spec.size) + " pixels a side"};
    }
    if (std::find(spec.scale.begin(), spec.scale.end(), 0.0F) != spec.scale.end()) {
        return Error{ErrorCode::InvalidArgument, "preprocess: a scale is zero"};
    }
    return {};
}

/// One side of a picture on a square input of `size`; `other` is the length of the other side.
AxisSpec axisOf(int length, int other, const PreprocessSpec& spec) {
    AxisSpec axis{length, 0, length, spec.size, 0, spec.size, tapFilterOf(spec.filter)};
    if (spec.fit == Fit::PadToSquare && length < other) {
        axis.virtualSize = other;
        axis.padBefore = (other - length) / 2;  // the odd pixel goes right or below
    }
    if (spec.fit == Fit::CropToSquare && length > other) {
        axis.outTotal = std::int64_t{spec.size} * length / other;
        const std::int64_t spare = axis.outTotal - spec.size;
        // Half of an odd number goes to the even neighbour, as in the reference pipelines of CLIP.
        axis.outFirst = spare / 2 + (spare % 2 != 0 && spare / 2 % 2 != 0 ? 1 : 0);
    }
    return axis;
}

void fillLevels(const PreprocessSpec& spec, std::vector<float>& levels) {
    levels.resize(kPlanes * kLevels);
    for (std::size_t c = 0; c < kPlanes; ++c) {
        for (std::size_t v = 0; v < kLevels; ++v) {
            levels[c * kLevels + v] = (static_cast<float>(v) - spec.mean[c]) / spec.scale[c];
        }
    }
}

void writePlanes(const std::uint8_t* row,
                 std::size_t size,
                 std::size_t y,
                 const std::vector<float>& levels,
                 std::span<float> out) {
    for (std::size_t c = 0; c < kPlanes; ++c) {
        float* to = out.data() + (c * size + y) * size;
        const float* level = levels.data() + c * kLevels;
        for (std::size_t x = 0; x < size; ++x) {
            to[x] = level[row[x * kChannels + c]];
        }
    }
}

/// Back from premultiplied; where nothing or everything is opaque there is nothing to divide by.
void writeStraight(const std::uint8_t* row, std::size_t pixels, std::uint8_t* to) {
    for (std::size_t i = 0; i < pixels * kChannels; i += kChannels) {
        const int alpha = row[i + 3];
        for (std::size_t c = 0; c < 3; ++c) {
            const int colour = row[i + c];
            const bool isAsItIs = alpha == 0 || alpha == 255;
            to[i + c] =
                static_cast<std::uint8_t>(isAsItIs ? colour : std::min(255, 255 * colour / alpha));
        }
        to[i + 3] = row[i + 3];
    }
}

template <typename Work>
auto withoutExceptions(const char* name, Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::ResourceExhausted, std::string(name) + ": out of memory"};
    } catch (const std::length_error&) {
        return Error{ErrorCode::ResourceExhausted, std::string(name) + ": picture too large"};
    }
}

}  // namespace

struct PreprocessWorkspace::Buffers {
    ResampleBuffers resample;
    std::vector<float> levels;
};

PreprocessWorkspace::PreprocessWorkspace() : buffers_(std::make_unique<Buffers>()) {}
PreprocessWorkspace::PreprocessWorkspace(PreprocessWorkspace&&) noexcept = default;
PreprocessWorkspace& PreprocessWorkspace::operator=(PreprocessWorkspace&&) noexcept = default;
PreprocessWorkspace::~PreprocessWorkspace() = default;

Result<void> preprocessOn(Isa isa,
                          ImageView image,
                          const PreprocessSpec& spec,
                          PreprocessWorkspace& workspace,
                          std::span<float> out) {
    BIFOCAL_CHECK(checkArguments(isa, image, spec, out));
    return withoutExceptions("preprocess", [&]() -> Result<void> {
        PreprocessWorkspace::Buffers& buffers = workspace.buffers();
        fillLevels(spec, buffers.levels);
        const ResampleRequest request{
            image,
            axisOf(image.width, image.height, spec),
            axisOf(image.height, image.width, spec),
            AlphaRule::OverBackground,
            {spec.background[0], spec.background[1], spec.background[2], 255}};
        const auto size = static_cast<std::size_t>(spec.size);
        resample(isa, request, buffers.resample, [&](int y, const std::uint8_t* row) {
            writePlanes(row, size, static_cast<std::size_t>(y), buffers.levels, out);
        });
        return {};
    });
}

Result<void> preprocess(ImageView image,
                        const PreprocessSpec& spec,
                        PreprocessWorkspace& workspace,
                        std::span<float> out) {
    return preprocessOn(activeIsa(), image, spec, workspace, out);
}

Result<ImageBuffer> resizeOn(Isa isa, ImageView image, int width, int height, TapFilter filter) {
    if (isa > bestIsa()) {
        return Error{ErrorCode::Unsupported,
                     std::string("resize: this machine has no ") + toString(isa)};
    }
    if (image.isEmpty() || width <= 0 || height <= 0) {
        return Error{ErrorCode::InvalidArgument,
                     "resize: from " + std::to_string(image.width) + "x" +
                         std::to_string(image.height) + " to " + std::to_string(width) + "x" +
                         std::to_string(height)};
    }
    return withoutExceptions("resize", [&]() -> Result<ImageBuffer> {
        if (width == image.width && height == image.height) {
            return copyOf(image);
        }
        ImageBuffer result;
        result.width = width;
        result.height = height;
        const std::size_t rowBytes = static_cast<std::size_t>(width) * kChannels;
        result.rgba.resize(rowBytes * static_cast<std::size_t>(height));
        const ResampleRequest request{image,
                                      {image.width, 0, image.width, width, 0, width, filter},
                                      {image.height, 0, image.height, height, 0, height, filter},
                                      AlphaRule::Premultiply,
                                      {0, 0, 0, 0}};
        ResampleBuffers buffers;
        resample(isa, request, buffers, [&](int y, const std::uint8_t* row) {
            writeStraight(row,
                          static_cast<std::size_t>(width),
                          result.rgba.data() + static_cast<std::size_t>(y) * rowBytes);
        });
        return result;
    });
}

Result<ImageBuffer> resize(ImageView image, int width, int height) {
    return resizeOn(activeIsa(), image, width, height, TapFilter::Bicubic);
}

}  // namespace bifocal::kernels
