// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/inference/safetensors.h"
#include "core/inference/torch/mkldnn_ops.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bifocal::torch_backend {

/// Which numbers the tower computes with.
enum class TowerPrecision : std::uint8_t {
    Fp32 = 1,
    /// BF16 from block 3 on; the stem and blocks 0–2 stay in FP32. On smooth areas the rounding
    /// error of the early depthwise weights adds up over the taps: all-BF16 falls to a cosine of
    /// 0.970 on a gradient, this stays above 0.9998 (tests/golden/README.md, "BF16 in the image
    /// tower").
    Bf16,
};

/// Rounds the taps of depthwise kernels [channels, 1, k, k] to BF16, the largest first, and carries
/// each rounding error to the next tap, so that a kernel's sum is kept. Returns FP32 numbers that
/// BF16 holds exactly.
at::Tensor roundKeepingSums(const at::Tensor& kernels);

/// EfficientNet-Lite0 over weights with folded batch norms (label_mixture.h names them).
/// Threads: compatible. Throws c10::Error; callers are inside guarded().
class ImageTower {
public:
    /// The weights must have passed checkTensors().
    ImageTower(const Safetensors& weights, TowerPrecision precision);

    /// Zeros for `count` pictures: [count, 3, 225, 225], channels-last, FP32. The last row and
    /// column are the stem's padding and stay zero; pictures go to the rest.
    static at::Tensor makeInput(std::size_t count);

    /// makeInput()'s tensor → features [count, 1280], FP32.
    at::Tensor features(const at::Tensor& input) const;
    /// features → logits [count, 1000], FP32.
    at::Tensor logits(const at::Tensor& features) const;

private:
    struct Block {
        std::optional<Convolution> expand;
        Convolution depthwise;
        Convolution project;
        bool hasResidual = false;
        at::ScalarType type = at::kFloat;

        at::Tensor run(const at::Tensor& input) const;
    };

    std::vector<Convolution> ends_;  ///< stem, head
    std::vector<Block> blocks_;
    at::Tensor classifierWeight_;  ///< transposed: [1280, 1000]
    at::Tensor classifierBias_;
};

}  // namespace bifocal::torch_backend
