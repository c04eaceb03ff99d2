// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "kernels/internal/isa.h"
#include "kernels/internal/resample_paths.h"
#include "kernels/preprocess.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace bifocal::kernels {

enum class TapFilter : std::uint8_t { Bilinear = 1, Bicubic, Box };

/// One axis of a resize: of `virtualSize` input places, those from `padBefore` on hold the
/// `inSize` pixels there are, the others hold the background; of `outTotal` outputs that cover
/// them, the `outCount` from `outFirst` on are wanted.
struct AxisSpec {
    int inSize = 0;
    int padBefore = 0;
    int virtualSize = 0;
    std::int64_t outTotal = 0;
    std::int64_t outFirst = 0;
    int outCount = 0;
    TapFilter filter = TapFilter::Bicubic;
};

/// The taps of every output of an axis. `first` of a span is a pixel's number.
struct Axis {
    std::vector<TapSpan> spans;
    std::vector<std::int16_t> weights;
    std::vector<std::int32_t> ends;  ///< per output, one past its last pixel
    int inFirst = 0;                 ///< the pixels that any output needs: [inFirst, inEnd)
    int inEnd = 0;
    std::size_t maxGroups = 0;
};

/// What makes the sums of pixels meaningful when they are not opaque.
enum class AlphaRule : std::uint8_t { OverBackground = 1, Premultiply };

struct ResampleRequest {
    ImageView image;
    AxisSpec across;
    AxisSpec down;
    AlphaRule alphaRule = AlphaRule::OverBackground;
    std::array<std::uint8_t, kChannels> background{255, 255, 255, 255};
};

/// All memory of a resample; grows to the largest picture it met.
struct ResampleBuffers {
    Axis across;
    Axis down;
    std::vector<double> taps;
    std::vector<std::uint8_t> source;  ///< kMaxRows rows after the alpha rule
    std::vector<std::uint8_t> ring;  ///< rows after the horizontal pass, as many as a window needs
    std::vector<std::uint8_t> padRow;  ///< the same of a row of background
    std::vector<std::uint8_t> out;
    std::vector<std::int32_t> start;
    std::vector<const std::uint8_t*> rows;
};

/// Resamples in two passes, across then down, with 8-bit rounding after each; `sink` gets the
/// output rows from top to bottom, outCount · 4 bytes each. The picture is read once, from top to
/// bottom, and no more of it is held than the rows one output needs. Requires: sizes ≥ 1; isa ≤
/// bestIsa(). Throws std::bad_alloc.
void resample(Isa isa,
              const ResampleRequest& request,
              ResampleBuffers& buffers,
              const std::function<void(int y, const std::uint8_t* row)>& sink);

/// preprocess and resize on a path of the caller's choice; Unsupported when this machine lacks it.
Result<void> preprocessOn(Isa isa,
                          ImageView image,
                          const PreprocessSpec& spec,
                          PreprocessWorkspace& workspace,
                          std::span<float> out);
Result<ImageBuffer> resizeOn(Isa isa, ImageView image, int width, int height, TapFilter filter);

}  // namespace bifocal::kernels
