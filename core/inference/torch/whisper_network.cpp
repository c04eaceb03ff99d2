// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/whisper_network.h"

#include "core/base/half.h"
#include "core/inference/log_mel.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace bifocal::torch_backend {
namespace {

constexpr double kNormEpsilon = 1e-5;
constexpr std::size_t kRowAlignment = 64;
constexpr auto kHeadWidth = static_cast<std::int64_t>(kWhisperHeadWidth);
constexpr auto kTextLength = static_cast<std::int64_t>(kWhisperTextPositions);
constexpr std::int64_t kTaps = 3;

/// A tensor of the file, FP16 or FP32 there, as FP32.
at::Tensor floatsOf(const Safetensors& file, const std::string& name) {
    const TensorView& view = file.tensors().at(name);
    if (view.type == TensorType::F32) {
        return toTensor(view);
    }
    BIFOCAL_ASSERT(view.type == TensorType::F16);
    const std::vector<std::int64_t> shape(view.shape.begin(), view.shape.end());
    at::Tensor halves = at::empty(shape, at::kHalf);
    std::memcpy(halves.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
    return halves.to(at::kFloat);
}

/// [n, width] with a row of zeros before and after it, as [n / stride, 3 · width]: what a
/// convolution of three taps reads for each of its outputs.
at::Tensor tapsOf(const at::Tensor& input, std::int64_t stride) {
    const std::int64_t length = input.size(0);
    const std::int64_t width = input.size(1);
    const at::Tensor padded = at::zeros({length + 2, width}, input.options());
    padded.narrow(0, 1, length).copy_(input);
    return padded.as_strided({length / stride, kTaps * width}, {stride * width, 1}).contiguous();
}

}  // namespace

// ---- vocabulary

void VocabularyRows::Free::operator()(std::byte* memory) const {
    ::operator delete (memory, std::align_val_t{kRowAlignment});
}

VocabularyRows::VocabularyRows(const TensorView& matrix) {
    const std::size_t count = matrix.shape[0];
    const std::size_t width = matrix.shape[1];
    const std::size_t stride =
        (width * sizeof(Half) + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    memory_.reset(
        static_cast<std::byte*>(::operator new (count* stride, std::align_val_t{kRowAlignment})));
    rows_ = {memory_.get(), count, stride, width};
    const std::size_t step = width * sizeOf(matrix.type);
    for (std::size_t i = 0; i < count; ++i) {
        std::byte* const to = memory_.get() + i * stride;
        const std::uint8_t* const from = matrix.bytes.data() + i * step;
        if (matrix.type == TensorType::F16) {
            std::memcpy(to, from, step);
            continue;
        }
        for (std::size_t k = 0; k < width; ++k) {
            float value = 0;
            std::memcpy(&value, from + k * sizeof(value), sizeof(value));
            const Half half = toHalf(value);
            std::memcpy(to + k * sizeof(half), &half, sizeof(half));
        }
    }
}

std::span<const Half> VocabularyRows::row(std::int32_t token) const {
    BIFOCAL_ASSERT(token >= 0 && static_cast<std::size_t>(token) < rows_.rowCount);
    return {reinterpret_cast<const Half*>(rows_.data +
                                          static_cast<std::size_t>(token) * rows_.strideBytes),
            rows_.dim};
}

at::Tensor VocabularyRows::embedding(std::int32_t token) const {
    const std::span<const Half> halves = row(token);
    at::Tensor out = at::empty({1, static_cast<std::int64_t>(rows_.dim)}, at::kFloat);
    float* const to = out.mutable_data_ptr<float>();
    for (std::size_t i = 0; i < halves.size(); ++i) {
        to[i] = toFloat(halves[i]);
    }
    return out;
}

Result<std::size_t> VocabularyRows::best(const at::Tensor& hidden,
                                         std::span<const std::uint64_t> allowed,
                                         std::span<kernels::RowScore> scores) const {
    BIFOCAL_TRY(
        const kernels::TopKResult found,
        kernels::dotTopK(rows_, {hidden.const_data_ptr<float>(), rows_.dim}, allowed, scores));
    return found.count;
}

float VocabularyRows::score(const at::Tensor& hidden, std::int32_t token) const {
    return kernels::dot(row(token), {hidden.const_data_ptr<float>(), rows_.dim});
}

// ---- weights

WhisperNetwork::Norm WhisperNetwork::normOf(const Safetensors& weights,
                                            const std::string& name) const {
    return {floatsOf(weights, name + ".weight"), floatsOf(weights, name + ".bias")};
}

/// One product for several projections reads its input once.
Linear WhisperNetwork::joinedOf(const Safetensors& weights,
                                const std::string& name,
                                std::initializer_list<const char*> parts) const {
    std::vector<at::Tensor> matrices;
    std::vector<at::Tensor> biases;
    for (const char* part : parts) {
        const std::string own = name + "." + part;
        matrices.push_back(floatsOf(weights, own + ".weight"));
        biases.push_back(weights.tensors().contains(own + ".bias")
                             ? floatsOf(weights, own + ".bias")
                             : at::zeros({matrices.back().size(0)}, at::kFloat));
    }
    return {at::cat(matrices).to(type_), at::cat(biases).to(type_)};
}

Linear WhisperNetwork::linearOf(const Safetensors& weights, const std::string& name) const {
    return {floatsOf(weights, name + ".weight").to(type_),
            floatsOf(weights, name + ".bias").to(type_)};
}

/// As a product with tapsOf().
Linear WhisperNetwork::convolutionOf(const Safetensors& weights, const std::string& name) const {
    const at::Tensor kernel = floatsOf(weights, name + ".weight");
    return {kernel.permute({0, 2, 1}).reshape({kernel.size(0), -1}).to(type_),
            floatsOf(weights, name + ".bias").to(type_)};
}

WhisperNetwork::Layer WhisperNetwork::layerOf(const Safetensors& weights,
                                              const std::string& name) const {
    return {{normOf(weights, name + ".self_attn_layer_norm"),
             joinedOf(weights, name + ".self_attn", {"q_proj", "k_proj", "v_proj"}),
             linearOf(weights, name + ".self_attn.out_proj")},
            normOf(weights, name + ".final_layer_norm"),
            linearOf(weights, name + ".fc1"),
            linearOf(weights, name + ".fc2")};
}

WhisperNetwork::WhisperNetwork(const Safetensors& weights,
                               const WhisperShape& shape,
                               at::ScalarType type)
    : shape_(shape),
      type_(type),
      conv1_(convolutionOf(weights, "model.encoder.conv1")),
      conv2_(convolutionOf(weights, "model.encoder.conv2")),
      audioPositions_(floatsOf(weights, "model.encoder.embed_positions.weight")),
      encoderNorm_(normOf(weights, "model.encoder.layer_norm")),
      textPositions_(floatsOf(weights, "model.decoder.embed_positions.weight")),
      decoderNorm_(normOf(weights, "model.decoder.layer_norm")),
      vocabulary_(weights.tensors().at("model.decoder.embed_tokens.weight")) {
    for (std::size_t i = 0; i < shape_.encoderLayers; ++i) {
        encoder_.push_back(layerOf(weights, "model.encoder.layers." + std::to_string(i)));
    }
    for (std::size_t i = 0; i < shape_.decoderLayers; ++i) {
        const std::string name = "model.decoder.layers." + std::to_string(i);
        decoder_.push_back({layerOf(weights, name),
                            {normOf(weights, name + ".encoder_attn_layer_norm"),
                             linearOf(weights, name + ".encoder_attn.q_proj"),
                             linearOf(weights, name + ".encoder_attn.out_proj")},
                            joinedOf(weights, name + ".encoder_attn", {"k_proj", "v_proj"})});
    }
    const std::vector<float> quiet(shape_.melCount * kMelsPerPosition * kWhisperAudioPositions,
                                   kSilentMel);
    silence_ = encode(quiet, kWhisperAudioPositions);
}

// ---- running

std::size_t WhisperNetwork::stateBytes() const {
    return 2 * shape_.decoderLayers * (kWhisperAudioPositions + kWhisperTextPositions) *
           shape_.width * c10::elementSize(type_);
}

WhisperState WhisperNetwork::makeState(std::size_t textCount) const {
    WhisperState state;
    const auto headCount = static_cast<std::int64_t>(shape_.heads());
    const auto texts = static_cast<std::int64_t>(textCount);
    for (const KeysValues& silence : silence_) {
        state.audio.push_back({silence.keys.clone(), silence.values.clone()});
        const auto empty = [&] {
            return at::empty({texts, headCount, kTextLength, kHeadWidth}, at::dtype(type_));
        };
        state.text.push_back({empty(), empty()});
    }
    return state;
}

/// FP32 in, the products' type out.
at::Tensor WhisperNetwork::normalize(const Norm& norm, const at::Tensor& input) const {
    return at::layer_norm(input,
                          {static_cast<std::int64_t>(shape_.width)},
                          norm.weight,
                          norm.bias,
                          kNormEpsilon)
        .to(type_);
}

/// [n, width] → [1, heads, n, 64], a view.
at::Tensor WhisperNetwork::heads(const at::Tensor& input) const {
    return input.unflatten(1, {static_cast<std::int64_t>(shape_.heads()), kHeadWidth})
        .transpose(0, 1)
        .unsqueeze(0);
}

/// [n, width] → [n, heads, 1, 64], a view: n texts instead of n places of one.
at::Tensor WhisperNetwork::eachItsHeads(const at::Tensor& input) const {
    return input.unflatten(1, {static_cast<std::int64_t>(shape_.heads()), kHeadWidth}).unsqueeze(2);
}

/// → [n, width].
at::Tensor WhisperNetwork::attend(const at::Tensor& query, const KeysValues& memory) const {
    return at::scaled_dot_product_attention(query, memory.keys, memory.values)
        .transpose(1, 2)
        .reshape({query.size(0) * query.size(2), static_cast<std::int64_t>(shape_.width)});
}

void WhisperNetwork::addInner(const Layer& layer, at::Tensor& stream) const {
    const at::Tensor inner = layer.inner.run(normalize(layer.norm, stream), LinearPost::Gelu);
    stream.add_(layer.outer.run(inner, LinearPost::None));
}

std::vector<KeysValues> WhisperNetwork::encode(std::span<const float> mel,
                                               std::size_t positions) const {
    BIFOCAL_ASSERT(positions > 0 && positions <= kWhisperAudioPositions);
    const auto frames = static_cast<std::int64_t>(positions * kMelsPerPosition);
    const auto melCount = static_cast<std::int64_t>(shape_.melCount);
    const auto width = static_cast<std::int64_t>(shape_.width);
    BIFOCAL_ASSERT(mel.size() == static_cast<std::size_t>(melCount * frames));
    // from_blob wants a pointer that it may write through; nothing here does.
    const at::Tensor bands =
        at::from_blob(const_cast<float*>(mel.data()), {melCount, frames}).t().to(type_);
    const at::Tensor first = conv1_.run(tapsOf(bands, 1), LinearPost::Gelu);
    at::Tensor stream =
        conv2_.run(tapsOf(first, kMelsPerPosition), LinearPost::Gelu)
            .to(at::kFloat)
            .add(audioPositions_.narrow(0, 0, static_cast<std::int64_t>(positions)));
    for (const Layer& layer : encoder_) {
        const at::Tensor joined =
            layer.self.in.run(normalize(layer.self.norm, stream), LinearPost::None);
        const at::Tensor mixed = attend(
            heads(joined.narrow(1, 0, width)),
            {heads(joined.narrow(1, width, width)), heads(joined.narrow(1, 2 * width, width))});
        stream.add_(layer.self.out.run(mixed, LinearPost::None));
        addInner(layer, stream);
    }
    const at::Tensor heard = normalize(encoderNorm_, stream);
    std::vector<KeysValues> memory;
    for (const DecoderLayer& layer : decoder_) {
        const at::Tensor joined = layer.audioKeysValues.run(heard, LinearPost::None);
        memory.push_back({heads(joined.narrow(1, 0, width)).contiguous(),
                          heads(joined.narrow(1, width, width)).contiguous()});
    }
    return memory;
}

void WhisperNetwork::listen(std::span<const float> mel,
                            std::size_t positions,
                            WhisperState& state) const {
    listen(encode(mel, positions), state);
}

void WhisperNetwork::listen(const std::vector<KeysValues>& clip, WhisperState& state) const {
    const std::int64_t length = clip.front().keys.size(2);
    // Behind this clip, where the last one was longer, silence comes back.
    const std::int64_t stale = std::max<std::int64_t>(0, state.clipLength - length);
    for (std::size_t i = 0; i < decoder_.size(); ++i) {
        const auto fill = [&](at::Tensor& to, const at::Tensor& heard, const at::Tensor& silence) {
            to.narrow(2, 0, length).copy_(heard);
            to.narrow(2, length, stale).copy_(silence.narrow(2, length, stale));
        };
        fill(state.audio[i].keys, clip[i].keys, silence_[i].keys);
        fill(state.audio[i].values, clip[i].values, silence_[i].values);
    }
    state.clipLength = length;
    state.textLength = 0;
}

at::Tensor WhisperNetwork::append(std::span<const std::int32_t> tokens, WhisperState& state) const {
    const auto count = static_cast<std::int64_t>(tokens.size());
    BIFOCAL_ASSERT(state.textLength < kTextLength && count <= state.text.front().keys.size(0));
    const auto width = static_cast<std::int64_t>(shape_.width);
    const std::int64_t position = state.textLength++;
    at::Tensor stream = at::empty({count, width}, at::kFloat);
    for (std::int64_t i = 0; i < count; ++i) {
        stream.narrow(0, i, 1).copy_(vocabulary_.embedding(tokens[static_cast<std::size_t>(i)]));
    }
    stream.add_(textPositions_.narrow(0, position, 1));
    for (std::size_t i = 0; i < decoder_.size(); ++i) {
        const Layer& layer = decoder_[i].layer;
        const at::Tensor joined =
            layer.self.in.run(normalize(layer.self.norm, stream), LinearPost::None);
        const at::Tensor keys = state.text[i].keys.narrow(0, 0, count);
        const at::Tensor values = state.text[i].values.narrow(0, 0, count);
        keys.narrow(2, position, 1).copy_(eachItsHeads(joined.narrow(1, width, width)));
        values.narrow(2, position, 1).copy_(eachItsHeads(joined.narrow(1, 2 * width, width)));
        const at::Tensor mixed =
            attend(eachItsHeads(joined.narrow(1, 0, width)),
                   {keys.narrow(2, 0, state.textLength), values.narrow(2, 0, state.textLength)});
        stream.add_(layer.self.out.run(mixed, LinearPost::None));

        const Attention& audio = decoder_[i].audio;
        const at::Tensor query = audio.in.run(normalize(audio.norm, stream), LinearPost::None);
        stream.add_(audio.out.run(attend(heads(query), state.audio[i]), LinearPost::None));
        addInner(layer, stream);
    }
    return at::layer_norm(stream, {width}, decoderNorm_.weight, decoderNorm_.bias, kNormEpsilon);
}

void WhisperNetwork::reorder(std::span<const std::size_t> parents, WhisperState& state) {
    bool isSame = true;
    for (std::size_t i = 0; i < parents.size(); ++i) {
        isSame = isSame && parents[i] == i;
    }
    if (isSame) {
        return;
    }
    const std::vector<std::int64_t> rows(parents.begin(), parents.end());
    const auto count = static_cast<std::int64_t>(rows.size());
    const at::Tensor from = at::tensor(rows, at::kLong);
    for (KeysValues& layer : state.text) {
        for (at::Tensor* memory : {&layer.keys, &layer.values}) {
            const at::Tensor used = memory->narrow(2, 0, state.textLength);
            used.narrow(0, 0, count).copy_(used.index_select(0, from));
        }
    }
}

}  // namespace bifocal::torch_backend
