// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/text_tower.h"

#include "core/inference/label_mixture.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <algorithm>
#include <string>

namespace bifocal::torch_backend {
namespace {

constexpr auto kWidth = static_cast<std::int64_t>(kTextWidth);
constexpr auto kHeads = static_cast<std::int64_t>(kTextHeads);
constexpr double kNormEpsilon = 1e-12;

Linear linearOf(const Safetensors& weights, const std::string& name) {
    return {tensorOf(weights, name + ".weight"), tensorOf(weights, name + ".bias")};
}

}  // namespace

TextTower::TextTower(const Safetensors& weights)
    : words_(tensorOf(weights, "embeddings.word_embeddings.weight")),
      positions_(tensorOf(weights, "embeddings.position_embeddings.weight")
                     .add(tensorOf(weights, "embeddings.token_type_embeddings.weight")[0])),
      embeddingNorm_{tensorOf(weights, "embeddings.LayerNorm.weight"),
                     tensorOf(weights, "embeddings.LayerNorm.bias")} {
    for (std::size_t i = 0; i < kTextLayers; ++i) {
        layers_.push_back(makeLayer(weights, i));
    }
}

TextTower::Layer TextTower::makeLayer(const Safetensors& weights, std::size_t index) {
    const std::string prefix = "encoder.layer." + std::to_string(index) + ".";
    const auto norm = [&](const std::string& name) {
        return Norm{tensorOf(weights, prefix + name + ".weight"),
                    tensorOf(weights, prefix + name + ".bias")};
    };
    // One product for query, key and value reads the input once.
    std::vector<at::Tensor> matrices;
    std::vector<at::Tensor> biases;
    for (const char* part : {"query", "key", "value"}) {
        matrices.push_back(tensorOf(weights, prefix + "attention.self." + part + ".weight"));
        biases.push_back(tensorOf(weights, prefix + "attention.self." + part + ".bias"));
    }
    return {Linear(at::cat(matrices), at::cat(biases)),
            linearOf(weights, prefix + "attention.output.dense"),
            norm("attention.output.LayerNorm"),
            linearOf(weights, prefix + "intermediate.dense"),
            linearOf(weights, prefix + "output.dense"),
            norm("output.LayerNorm")};
}

at::Tensor TextTower::Norm::run(const at::Tensor& input) const {
    return at::layer_norm(input, {kWidth}, weight, bias, kNormEpsilon);
}

at::Tensor TextTower::embedTokens(std::span<const std::int32_t> ids, std::int64_t count) const {
    const std::int64_t length = static_cast<std::int64_t>(ids.size()) / count;
    at::Tensor out = at::empty({count, length, kWidth}, at::kFloat);
    const float* words = words_.const_data_ptr<float>();
    const float* positions = positions_.const_data_ptr<float>();
    float* to = out.mutable_data_ptr<float>();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::int64_t position = static_cast<std::int64_t>(i) % length;
        std::transform(words + ids[i] * kWidth,
                       words + (ids[i] + 1) * kWidth,
                       positions + position * kWidth,
                       to + static_cast<std::int64_t>(i) * kWidth,
                       std::plus<>());
    }
    return out;
}

at::Tensor TextTower::runLayer(const Layer& layer, const at::Tensor& input) {
    const std::int64_t count = input.size(0);
    const std::int64_t length = input.size(1);
    const at::Tensor joined = layer.queryKeyValue.run(input, LinearPost::None)
                                  .view({count, length, 3, kHeads, kWidth / kHeads})
                                  .permute({2, 0, 3, 1, 4});
    const at::Tensor mixed = at::scaled_dot_product_attention(joined[0], joined[1], joined[2])
                                 .transpose(1, 2)
                                 .reshape({count, length, kWidth});
    const at::Tensor attended = layer.attentionNorm.run(layer.attentionOut.runAndAdd(mixed, input));
    const at::Tensor inner = layer.inner.run(attended, LinearPost::Gelu);
    return layer.outputNorm.run(layer.outer.runAndAdd(inner, attended));
}

at::Tensor TextTower::embed(std::span<const std::int32_t> ids, std::size_t count) const {
    BIFOCAL_ASSERT(count > 0 && !ids.empty() && ids.size() % count == 0 &&
                   ids.size() / count <= kTextPositions);
    for (const std::int32_t id : ids) {
        BIFOCAL_ASSERT(id >= 0 && static_cast<std::size_t>(id) < kVocabularySize);
    }
    at::Tensor x = embeddingNorm_.run(embedTokens(ids, static_cast<std::int64_t>(count)));
    for (const Layer& layer : layers_) {
        x = runLayer(layer, x);
    }
    const at::Tensor mean = x.mean(1);
    return mean.div(mean.norm(2, 1, true));
}

}  // namespace bifocal::torch_backend
