// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/inference/safetensors.h"
#include "core/inference/torch/mkldnn_ops.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace bifocal::torch_backend {

/// EfficientNet-Lite0 over weights with folded batch norms (label_mixture.h names them).
/// Threads: compatible. Throws c10::Error; callers are inside guarded().
class ImageTower {
public:
    /// `type` is kFloat or kBFloat16; the weights must have passed checkTensors().
    ImageTower(const Safetensors& weights, at::ScalarType type);

    /// Zeros for `count` pictures: [count, 3, 225, 225], channels-last, of the tower's type. The
    /// last row and column are the stem's padding and stay zero; pictures go to the rest.
    at::Tensor makeInput(std::size_t count) const;

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

        at::Tensor run(const at::Tensor& input) const;
    };

    at::ScalarType type_;
    std::vector<Convolution> ends_;  ///< stem, head
    std::vector<Block> blocks_;
    at::Tensor classifierWeight_;  ///< transposed: [1280, 1000]
    at::Tensor classifierBias_;
};

}  // namespace bifocal::torch_backend
