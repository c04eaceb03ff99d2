// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/inference/safetensors.h"
#include "core/inference/torch/mkldnn_ops.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::torch_backend {

/// MiniLM: BERT with six layers, mean pooling, FP32 (a prompt is short; its cost is reading the
/// weights). Threads: compatible. Throws c10::Error; callers are inside guarded().
class TextTower {
public:
    /// The weights must have passed checkTensors().
    explicit TextTower(const Safetensors& weights);

    /// `ids` holds `count` sequences of one length, one after the other; no padding ever takes
    /// part. → [count, 384], FP32, unit length.
    at::Tensor embed(std::span<const std::int32_t> ids, std::size_t count) const;

private:
    struct Norm {
        at::Tensor weight;
        at::Tensor bias;

        at::Tensor run(const at::Tensor& input) const;
    };
    struct Layer {
        Linear queryKeyValue;
        Linear attentionOut;
        Norm attentionNorm;
        Linear inner;
        Linear outer;
        Norm outputNorm;
    };

    static Layer makeLayer(const Safetensors& weights, std::size_t index);
    at::Tensor embedTokens(std::span<const std::int32_t> ids, std::int64_t count) const;
    static at::Tensor runLayer(const Layer& layer, const at::Tensor& input);

    at::Tensor words_;      ///< [30522, 384]
    at::Tensor positions_;  ///< [512, 384], the token type's vector added
    Norm embeddingNorm_;
    std::vector<Layer> layers_;
};

}  // namespace bifocal::torch_backend
