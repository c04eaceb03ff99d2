// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace bifocal::kernels {

enum class ResizeFilter : std::uint8_t { Bilinear = 1, Bicubic };

/// How a picture that is not square meets a square input.
enum class Fit : std::uint8_t {
    PadToSquare = 1,  ///< centred on `background`; nothing is lost
    CropToSquare,     ///< short side fills the input, the middle is kept
    Squash,           ///< both sides scaled independently
};

/// A tower's input, as its reference pipeline makes it.
struct PreprocessSpec {
    int size = 224;  ///< output is size × size
    ResizeFilter filter = ResizeFilter::Bicubic;
    Fit fit = Fit::PadToSquare;
    std::array<std::uint8_t, 3> background{255, 255, 255};  ///< behind alpha and in the padding
    std::array<float, 3> mean{127, 127, 127};               ///< in 8-bit units, R G B
    std::array<float, 3> scale{128, 128, 128};              ///< out = (value − mean) / scale
};

/// Reused between calls so that the steady state allocates nothing.
/// Threads: compatible. Owns: scratch memory that grows to the largest picture it met, about
/// 64 bytes per pixel of that picture's longer side, never a copy of the picture.
class PreprocessWorkspace {
public:
    struct Buffers;

    PreprocessWorkspace();
    PreprocessWorkspace(PreprocessWorkspace&& other) noexcept;
    PreprocessWorkspace& operator=(PreprocessWorkspace&& other) noexcept;
    PreprocessWorkspace(const PreprocessWorkspace&) = delete;
    PreprocessWorkspace& operator=(const PreprocessWorkspace&) = delete;
    ~PreprocessWorkspace();

    /// For the kernels alone.
    Buffers& buffers() { return *buffers_; }

private:
    std::unique_ptr<Buffers> buffers_;
};

/// 8-bit RGBA of any size → alpha over background → fit → antialiased resize (support scaled by the
/// reduction, coefficients and 8-bit rounding as Pillow's) → (v − mean) / scale → planar R, G, B.
/// `out` has 3 · size · size floats. At most 1/255 mean and 3/255 maximum from the reference.
/// The padded square is never built: padding costs one multiplication per output.
/// InvalidArgument when the picture is empty, `out` has another size or a scale is zero;
/// ResourceExhausted.
/// Threads: compatible; one workspace per thread.
Result<void> preprocess(ImageView image,
                        const PreprocessSpec& spec,
                        PreprocessWorkspace& workspace,
                        std::span<float> out);

/// Antialiased bicubic to width × height, RGBA in premultiplied arithmetic, straight alpha out.
/// InvalidArgument when a side is not positive; ResourceExhausted.
/// Threads: compatible.
Result<ImageBuffer> resize(ImageView image, int width, int height);

}  // namespace bifocal::kernels
