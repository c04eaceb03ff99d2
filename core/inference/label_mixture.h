// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/image_buffer.h"
#include "core/base/result.h"
#include "core/inference/row_layout.h"
#include "core/inference/safetensors.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal {

// The label-mixture architecture: an image tower with a closed set of classes, a text tower, and a
// table that gives every class a place in the text tower's space. Everything about it that needs no
// LibTorch is here; core/inference/torch runs it, models/convert writes its files.

/// PackManifest::architecture of such a pack.
inline constexpr const char* kLabelMixture = "label-mixture-1";

inline constexpr const char* kImageTensors = "image.safetensors";
inline constexpr const char* kTextTensors = "text.safetensors";
inline constexpr const char* kHeadTensors = "heads.safetensors";
inline constexpr const char* kVocabulary = "vocab.txt";

inline constexpr std::size_t kClassCount = 1000;
inline constexpr std::size_t kFeatureCount = 1280;
inline constexpr std::size_t kTextWidth = 384;
inline constexpr std::size_t kTextLayers = 6;
inline constexpr std::size_t kTextHeads = 12;
inline constexpr std::size_t kTextInner = 1536;
inline constexpr std::size_t kTextPositions = 512;
inline constexpr std::size_t kVocabularySize = 30'522;
inline constexpr std::size_t kMaxTextTokens = 128;
inline constexpr std::size_t kLooksWidth = 128;
inline constexpr int kImageSide = 224;

/// Share of a text's score that its colour words add.
inline constexpr float kColourWeight = 0.2F;

/// words 384, looks 128, colours 11, padded to 544 numbers and 1,088 bytes.
RowLayout labelMixtureLayout();

/// One inverted bottleneck of EfficientNet-Lite0. Threads: value.
struct MbConv {
    std::size_t kernel = 3;
    std::size_t stride = 1;
    std::size_t in = 0;
    std::size_t expanded = 0;  ///< in · expansion; equal to `in` where nothing is expanded
    std::size_t out = 0;

    bool expands() const { return expanded != in; }
    bool hasResidual() const { return stride == 1 && in == out; }
};

/// The sixteen blocks between the stem (3 → 32, stride 2) and the head (320 → 1,280). Tan and Le,
/// EfficientNet, 2019, table 1, without squeeze-excite, ReLU6 throughout.
std::vector<MbConv> efficientNetLite0();

/// A tensor that a file must hold. Threads: value.
struct TensorSpec {
    std::string name;
    std::vector<std::size_t> shape;
    TensorType type = TensorType::F32;
};

/// Contents of kImageTensors: batch norms folded, so every convolution has a weight and a bias.
std::vector<TensorSpec> imageTowerTensors();
/// Contents of kTextTensors, BERT's names.
std::vector<TensorSpec> textTowerTensors();
/// Contents of kHeadTensors: "classes" C [1000, 384], "mean" mu [384], "looks" V [1280, 128].
std::vector<TensorSpec> headTensors();

/// Corruption, naming the file and the tensor, when one is missing, misshapen or unexpected.
Result<void> checkTensors(const std::string& file,
                          const Safetensors& tensors,
                          std::span<const TensorSpec> expected);

/// A prompt as the text tower gets it: white space trimmed, one final "." or "!" dropped, ASCII
/// letters lower-cased (the tokenizer lower-cases the rest).
std::string cleanPrompt(std::string_view text);

/// The colours block of a text's row: kColourWeight / n at each of the n colours it names.
std::vector<float> colourWeights(const std::string& text);

/// The colours block of a picture's row: square roots of kernels::colourShares() of a thumbnail
/// with a long side of at most 96 pixels, made by averaging areas weighted with alpha.
/// Threads: value.
std::vector<float> colourBlock(ImageView image);

}  // namespace bifocal
