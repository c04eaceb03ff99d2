// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/inference/safetensors.h"
#include "core/inference/torch/mkldnn_ops.h"
#include "core/inference/whisper.h"
#include "kernels/dot_top_k.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace bifocal::torch_backend {

/// Keys and values of one attention layer, [1, heads, positions, 64] each.
struct KeysValues {
    at::Tensor keys;
    at::Tensor values;
};

/// What a decoder remembers of a clip and of the text so far; one per recogniser, used again for
/// each clip. Threads: compatible.
struct WhisperState {
    std::vector<KeysValues> audio;  ///< by layer, kWhisperAudioPositions long
    std::vector<KeysValues> text;   ///< by layer, a batch of texts, kWhisperTextPositions long
    std::int64_t clipLength = 0;    ///< positions of `audio` that are the clip's; silence behind
    std::int64_t textLength = 0;    ///< positions of `text` in use
};

/// The vocabulary: FP16 rows that are both the embedding of a token and what decides for the next
/// one. Threads: compatible.
class VocabularyRows {
public:
    /// An FP16 or FP32 matrix [tokens, width].
    explicit VocabularyRows(const TensorView& matrix);

    at::Tensor embedding(std::int32_t token) const;  ///< [1, width], FP32
    /// Products with `hidden`, best first, among the tokens whose bits in `allowed` are set (empty:
    /// all). Sums in FP32.
    Result<std::size_t> best(const at::Tensor& hidden,
                             std::span<const std::uint64_t> allowed,
                             std::span<kernels::RowScore> scores) const;
    float score(const at::Tensor& hidden, std::int32_t token) const;
    std::size_t size() const { return rows_.rowCount; }

private:
    struct Free {
        void operator()(std::byte* memory) const;
    };

    std::span<const Half> row(std::int32_t token) const;

    std::unique_ptr<std::byte, Free> memory_;
    kernels::HalfRows rows_;
};

/// Whisper's encoder and decoder, one thread. Sums of the residual stream, layer norms and the
/// vocabulary are FP32; the other products are in the precision it is made with.
/// Threads: compatible. Throws c10::Error; callers are inside guarded().
class WhisperNetwork {
public:
    /// The weights must have passed whisperShape(). Computes the silence that follows every clip:
    /// one full window, some hundred milliseconds.
    WhisperNetwork(const Safetensors& weights, const WhisperShape& shape, at::ScalarType type);

    const WhisperShape& shape() const { return shape_; }
    const VocabularyRows& vocabulary() const { return vocabulary_; }
    /// Memory of a state for one text.
    std::size_t stateBytes() const;

    /// For as many texts at once.
    WhisperState makeState(std::size_t textCount = 1) const;

    /// Puts a clip into the state and forgets the text: a log-mel spectrogram of melCount ×
    /// (2 · positions) numbers, one band after the other, at most kWhisperAudioPositions positions.
    /// What follows the clip is silence to the end of 30 seconds: cut off there, the decoder does
    /// not find the end and repeats itself.
    void listen(std::span<const float> mel, std::size_t positions, WhisperState& state) const;

    /// The same with what listen() once left in a state, the clip's positions alone.
    void listen(const std::vector<KeysValues>& clip, WhisperState& state) const;

    /// Appends a token to each of the first texts; → what they mean to the vocabulary,
    /// [tokens, width], FP32. Requires: fewer than kWhisperTextPositions tokens so far.
    at::Tensor append(std::span<const std::int32_t> tokens, WhisperState& state) const;

    /// Text i is from now on what text parents[i] was.
    static void reorder(std::span<const std::size_t> parents, WhisperState& state);

private:
    struct Norm {
        at::Tensor weight;
        at::Tensor bias;
    };
    struct Attention {
        Norm norm;
        Linear in;  ///< query, key and value; of a decoder's attention to the clip the query alone
        Linear out;
    };
    struct Layer {
        Attention self;
        Norm norm;
        Linear inner;
        Linear outer;
    };
    struct DecoderLayer {
        Layer layer;
        Attention audio;
        Linear audioKeysValues;
    };

    Norm normOf(const Safetensors& weights, const std::string& name) const;
    Linear joinedOf(const Safetensors& weights,
                    const std::string& name,
                    std::initializer_list<const char*> parts) const;
    Linear linearOf(const Safetensors& weights, const std::string& name) const;
    Linear convolutionOf(const Safetensors& weights, const std::string& name) const;
    Layer layerOf(const Safetensors& weights, const std::string& name) const;

    at::Tensor normalize(const Norm& norm, const at::Tensor& input) const;
    at::Tensor heads(const at::Tensor& input) const;
    at::Tensor eachItsHeads(const at::Tensor& input) const;
    at::Tensor attend(const at::Tensor& query, const KeysValues& memory) const;
    void addInner(const Layer& layer, at::Tensor& stream) const;
    std::vector<KeysValues> encode(std::span<const float> mel, std::size_t positions) const;

    WhisperShape shape_;
    at::ScalarType type_;
    Linear conv1_;
    Linear conv2_;
    at::Tensor audioPositions_;  ///< [1500, width], FP32
    std::vector<Layer> encoder_;
    Norm encoderNorm_;
    at::Tensor textPositions_;  ///< [448, width], FP32
    std::vector<DecoderLayer> decoder_;
    Norm decoderNorm_;
    VocabularyRows vocabulary_;
    std::vector<KeysValues> silence_;  ///< by decoder layer
};

}  // namespace bifocal::torch_backend
