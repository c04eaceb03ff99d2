// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/starter_pack.h"

#include "core/inference/label_mixture.h"
#include "core/inference/query.h"
#include "core/inference/torch/counted_memory.h"
#include "core/inference/torch/image_tower.h"
#include "core/inference/torch/precision_choice.h"
#include "core/inference/torch/run_guard.h"
#include "core/inference/torch/text_tower.h"
#include "core/prompt/word_piece.h"
#include "kernels/normalize.h"
#include "kernels/preprocess.h"

#include <ATen/ops/_softmax.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace bifocal::torch_backend {
namespace {

constexpr std::size_t kPreferredBatch = 8;
constexpr std::size_t kPlanarSize = std::size_t{3} * kImageSide * kImageSide;

/// What the encoders of a pack share, except the image tower. Threads: value.
struct Weights {
    TextTower text;
    WordPieceTokenizer tokenizer;
    at::Tensor classes;       ///< C [1000, 384]
    at::Tensor looks;         ///< V [1280, 128]
    std::vector<float> mean;  ///< mu [384]
    RowLayout layout;
    std::vector<Script> scripts;
    std::size_t maxTokens;
};

std::span<float> blockOf(std::span<float> row, const RowLayout& layout, const char* name) {
    const RowBlock* block = layout.find(name);
    BIFOCAL_ASSERT(block != nullptr);
    return row.subspan(block->offset, block->dim);
}

Error notFinite(const char* what) {
    return {ErrorCode::Internal,
            std::string(what) + ": the tower gave a vector that is zero or not finite"};
}

bool isFinite(std::span<const float> values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

/// Copies row `index` of a [count, block] matrix into the block, at unit length.
bool copyUnit(const at::Tensor& matrix, std::size_t index, std::span<float> block) {
    const float* from = matrix.const_data_ptr<float>() + index * block.size();
    std::copy_n(from, block.size(), block.begin());
    return kernels::l2Normalize(block);
}

/// Threads: lane(its executor). Owns: its workspace only.
class StarterImageEncoder final : public ImageEncoder {
public:
    StarterImageEncoder(std::shared_ptr<const ImageTower> tower,
                        std::shared_ptr<const Weights> weights,
                        int threadCount)
        : tower_(std::move(tower)),
          weights_(std::move(weights)),
          threadCount_(threadCount),
          planar_(kPlanarSize) {}

    std::size_t preferredBatch() const override { return kPreferredBatch; }
    std::uint64_t peakBytes() const override { return peakBytes_; }

    Result<void> encode(std::span<const ImageView> images,
                        std::span<float> rows,
                        std::stop_token stop) override {
        const std::size_t dim = weights_->layout.dim;
        BIFOCAL_ASSERT(rows.size() == images.size() * dim);
        if (images.empty()) {
            return {};
        }
        for (const ImageView& image : images) {
            if (image.isEmpty()) {
                return Error{ErrorCode::InvalidArgument, "encode image: an empty picture"};
            }
        }
        return guarded("encode image", [&]() -> Result<void> {
            const RunGuard guard(threadCount_);
            const PeakMeter meter(peakBytes_);
            BIFOCAL_TRY(const at::Tensor input, preprocess(images, stop));
            if (stop.stop_requested()) {
                return Error{ErrorCode::Cancelled, "encode image"};
            }
            const at::Tensor features = tower_->features(input);
            const at::Tensor shares = at::_softmax(tower_->logits(features), 1, false);
            const at::Tensor words = at::mm(shares, weights_->classes);
            const at::Tensor looks = at::mm(features, weights_->looks);
            for (std::size_t i = 0; i < images.size(); ++i) {
                BIFOCAL_CHECK(fillRow(images[i], words, looks, i, rows.subspan(i * dim, dim)));
            }
            return {};
        });
    }

private:
    Result<at::Tensor> preprocess(std::span<const ImageView> images, const std::stop_token& stop) {
        const at::Tensor input = ImageTower::makeInput(images.size());
        const at::Tensor planar = at::from_blob(planar_.data(), {3, kImageSide, kImageSide});
        for (std::size_t i = 0; i < images.size(); ++i) {
            if (stop.stop_requested()) {
                return Error{ErrorCode::Cancelled, "encode image"};
            }
            BIFOCAL_CHECK(kernels::preprocess(images[i], spec_, workspace_, planar_));
            input[static_cast<std::int64_t>(i)]
                .narrow(1, 0, kImageSide)
                .narrow(2, 0, kImageSide)
                .copy_(planar);
        }
        return input;
    }

    Result<void> fillRow(ImageView image,
                         const at::Tensor& words,
                         const at::Tensor& looks,
                         std::size_t index,
                         std::span<float> row) const {
        std::fill(row.begin(), row.end(), 0.0F);
        if (!copyUnit(words, index, blockOf(row, weights_->layout, "words")) ||
            !copyUnit(looks, index, blockOf(row, weights_->layout, "looks"))) {
            return notFinite("encode image");
        }
        const std::vector<float> colours = colourBlock(image);
        std::copy(
            colours.begin(), colours.end(), blockOf(row, weights_->layout, "colours").begin());
        return isFinite(row) ? Result<void>() : notFinite("encode image");
    }

    std::shared_ptr<const ImageTower> tower_;
    std::shared_ptr<const Weights> weights_;
    int threadCount_;
    kernels::PreprocessSpec spec_;  // its defaults are this tower's input
    kernels::PreprocessWorkspace workspace_;
    std::vector<float> planar_;
    std::uint64_t peakBytes_ = 0;
};

/// Whether all letters are in scripts the pack reads. Unsupported, naming both sides, when none is.
Result<bool> readsAll(const std::string& text, const std::vector<Script>& readable) {
    const std::vector<Script> used = scriptsOf(text);
    const auto count = std::count_if(used.begin(), used.end(), [&](Script script) {
        return std::find(readable.begin(), readable.end(), script) != readable.end();
    });
    if (used.empty() || count > 0) {
        return static_cast<std::size_t>(count) == used.size();
    }
    std::string names;
    for (const Script script : readable) {
        names += (names.empty() ? "" : ", ") + std::string(toString(script));
    }
    return Error{ErrorCode::Unsupported,
                 "the text is in " + std::string(toString(used.front())) +
                     " letters; this pack reads " + names};
}

/// Threads: lane(its executor).
class StarterTextEncoder final : public TextEncoder {
public:
    StarterTextEncoder(std::shared_ptr<const Weights> weights, int threadCount)
        : weights_(std::move(weights)), threadCount_(threadCount) {}

    Result<EncodedText> encode(std::string_view text, std::stop_token stop) override {
        const std::string clean = cleanPrompt(text);
        BIFOCAL_TRY(const bool readsAllScripts, readsAll(clean, weights_->scripts));
        const TokenSequence tokens = weights_->tokenizer.encode(clean, weights_->maxTokens);
        if (tokens.knownCount == 0) {
            // Every such text has the same vector: the answer would be the same arbitrary list.
            return Error{ErrorCode::Unsupported, "this pack knows no word of the text"};
        }
        if (stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, "encode text"};
        }
        return guarded("encode text", [&]() -> Result<EncodedText> {
            const RunGuard guard(threadCount_);
            const PeakMeter meter(peakBytes_);
            const at::Tensor embedded = weights_->text.embed(tokens.ids, 1);
            EncodedText out{std::vector<float>(weights_->layout.dim, 0.0F),
                            tokens.truncated,
                            !readsAllScripts || tokens.unknownCount > 0};
            const std::span<float> words = blockOf(out.row, weights_->layout, "words");
            std::transform(weights_->mean.begin(),
                           weights_->mean.end(),
                           embedded.const_data_ptr<float>(),
                           words.begin(),
                           [](float mean, float value) { return value - mean; });
            if (!kernels::l2Normalize(words)) {
                return notFinite("encode text");
            }
            const std::vector<float> colours = colourWeights(clean);
            std::copy(colours.begin(),
                      colours.end(),
                      blockOf(out.row, weights_->layout, "colours").begin());
            return out;
        });
    }

    std::uint64_t peakBytes() const override { return peakBytes_; }

private:
    std::shared_ptr<const Weights> weights_;
    int threadCount_;
    std::uint64_t peakBytes_ = 0;
};

Result<Safetensors> readTensors(const std::filesystem::path& folder,
                                const PackManifest& manifest,
                                const char* name,
                                std::span<const TensorSpec> expected) {
    BIFOCAL_TRY(auto bytes, readPackFile(folder, manifest, name));
    auto tensors = Safetensors::parse(std::move(bytes));
    if (!tensors) {
        return tensors.error().withContext(name);
    }
    BIFOCAL_CHECK(checkTensors(name, *tensors, expected));
    return tensors;
}

Result<WordPieceTokenizer> readTokenizer(const std::filesystem::path& folder,
                                         const PackManifest& manifest) {
    BIFOCAL_TRY(const auto bytes, readPackFile(folder, manifest, kVocabulary));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) +
                       (text.empty() || text.back() == '\n' ? 0U : 1U);
    if (lines != kVocabularySize) {
        return Error{ErrorCode::Corruption,
                     std::string(kVocabulary) + ": " + std::to_string(lines) +
                         " tokens, the text tower has " + std::to_string(kVocabularySize)};
    }
    return WordPieceTokenizer::load(text);
}

Result<void> checkManifest(const PackManifest& manifest) {
    if (manifest.layout != labelMixtureLayout()) {
        return Error{ErrorCode::Corruption,
                     manifest.id + ": the layout is not this architecture's"};
    }
    if (manifest.maxTokens < 2 || manifest.maxTokens > kTextPositions) {
        return Error{ErrorCode::Corruption, manifest.id + ": maxTokens is outside 2…512"};
    }
    return {};
}

std::size_t weightBytes(const PackManifest& manifest) {
    std::size_t total = 0;
    for (const PackFile& file : manifest.files) {
        if (file.name == kImageTensors || file.name == kTextTensors || file.name == kHeadTensors) {
            total += file.bytes;
        }
    }
    return total;
}

PackInfo makeInfo(const PackManifest& manifest, const PrecisionChoice& precision) {
    PackInfo info = makePackInfo(manifest, precision, "The starter pack");
    info.weightBytes = weightBytes(manifest);
    return info;
}

/// The image tower by number of threads: oneDNN wants its weights in another order for each.
/// Threads: safe.
class ImageTowers {
public:
    ImageTowers(std::filesystem::path folder, PackManifest manifest, TowerPrecision precision)
        : folder_(std::move(folder)), manifest_(std::move(manifest)), precision_(precision) {}

    /// Reads the file again for a number that no encoder had before.
    Result<std::shared_ptr<const ImageTower>> get(int threadCount) const {
        const std::lock_guard lock(mutex_);
        if (const auto found = towers_.find(threadCount); found != towers_.end()) {
            return found->second;
        }
        BIFOCAL_TRY(const Safetensors tensors,
                    readTensors(folder_, manifest_, kImageTensors, imageTowerTensors()));
        return guarded("load image tower", [&]() -> Result<std::shared_ptr<const ImageTower>> {
            const c10::InferenceMode inference;
            const ThreadCountScope threads(threadCount);
            auto tower = std::make_shared<const ImageTower>(tensors, precision_);
            towers_.emplace(threadCount, tower);
            return tower;
        });
    }

private:
    std::filesystem::path folder_;
    PackManifest manifest_;
    TowerPrecision precision_;
    mutable std::mutex mutex_;
    mutable std::map<int, std::shared_ptr<const ImageTower>> towers_;  // guarded by mutex_
};

/// Threads: safe.
class StarterPack final : public ModelPack {
public:
    StarterPack(PackInfo info,
                std::unique_ptr<const ImageTowers> towers,
                std::shared_ptr<const Weights> weights)
        : info_(std::move(info)), towers_(std::move(towers)), weights_(std::move(weights)) {}

    const PackInfo& info() const override { return info_; }

    Result<std::unique_ptr<ImageEncoder>> makeImageEncoder(EncoderOptions options) const override {
        BIFOCAL_ASSERT(options.threadCount > 0);
        BIFOCAL_TRY(auto tower, towers_->get(options.threadCount));
        return std::unique_ptr<ImageEncoder>(
            std::make_unique<StarterImageEncoder>(std::move(tower), weights_, options.threadCount));
    }

    Result<std::unique_ptr<TextEncoder>> makeTextEncoder(EncoderOptions options) const override {
        BIFOCAL_ASSERT(options.threadCount > 0);
        return std::unique_ptr<TextEncoder>(
            std::make_unique<StarterTextEncoder>(weights_, options.threadCount));
    }

    Result<std::vector<float>> makeQuery(const QueryParts& parts) const override {
        return foldQuery(info_.layout, parts);
    }

private:
    PackInfo info_;
    std::unique_ptr<const ImageTowers> towers_;
    std::shared_ptr<const Weights> weights_;
};

}  // namespace

Result<std::shared_ptr<const ModelPack>> loadStarterPack(const std::filesystem::path& folder,
                                                         const PackManifest& manifest,
                                                         PackOptions options) {
    BIFOCAL_CHECK(checkManifest(manifest));
    BIFOCAL_TRY(const PrecisionChoice precision, choosePrecision(options.precision));
    auto towers = std::make_unique<const ImageTowers>(folder, manifest, precision.tower);
    BIFOCAL_CHECK(towers->get(EncoderOptions{}.threadCount));
    BIFOCAL_TRY(const Safetensors text,
                readTensors(folder, manifest, kTextTensors, textTowerTensors()));
    BIFOCAL_TRY(const Safetensors heads,
                readTensors(folder, manifest, kHeadTensors, headTensors()));
    BIFOCAL_TRY(WordPieceTokenizer tokenizer, readTokenizer(folder, manifest));
    return guarded("load pack", [&]() -> Result<std::shared_ptr<const ModelPack>> {
        const c10::InferenceMode inference;
        const ThreadCountScope threads(1);
        auto weights =
            std::make_shared<const Weights>(Weights{TextTower(text),
                                                    std::move(tokenizer),
                                                    tensorOf(heads, "classes"),
                                                    tensorOf(heads, "looks"),
                                                    heads.tensors().at("mean").toFloats(),
                                                    manifest.layout,
                                                    manifest.scripts,
                                                    manifest.maxTokens});
        return std::shared_ptr<const ModelPack>(std::make_shared<const StarterPack>(
            makeInfo(manifest, precision), std::move(towers), std::move(weights)));
    });
}

}  // namespace bifocal::torch_backend
