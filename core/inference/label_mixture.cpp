// SPDX-License-Identifier: Apache-2.0
#include "core/inference/label_mixture.h"

#include "core/prompt/prompt.h"
#include "kernels/colours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace bifocal {
namespace {

constexpr std::size_t kPaddedDim = 544;
constexpr int kColourSide = 96;

void addConvolution(std::vector<TensorSpec>& specs,
                    const std::string& name,
                    std::size_t out,
                    std::size_t in,
                    std::size_t kernel) {
    specs.push_back({name + ".weight", {out, in, kernel, kernel}});
    specs.push_back({name + ".bias", {out}});
}

void addLinear(std::vector<TensorSpec>& specs,
               const std::string& name,
               std::size_t out,
               std::size_t in) {
    specs.push_back({name + ".weight", {out, in}});
    specs.push_back({name + ".bias", {out}});
}

void addNorm(std::vector<TensorSpec>& specs, const std::string& name) {
    specs.push_back({name + ".weight", {kTextWidth}});
    specs.push_back({name + ".bias", {kTextWidth}});
}

bool isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// First input sample of output `i` when `in` samples are averaged into `out`: i · in / out rounded
/// half up, so that the areas tile the input.
int areaBegin(int i, int in, int out) {
    const std::int64_t doubled = 2 * static_cast<std::int64_t>(i) * in + out;
    return static_cast<int>(doubled / (2 * static_cast<std::int64_t>(out)));
}

int thumbnailSide(int side, int longest) {
    const std::int64_t doubled = 2 * static_cast<std::int64_t>(side) * kColourSide + longest;
    return std::max(1, static_cast<int>(doubled / (2 * static_cast<std::int64_t>(longest))));
}

/// Sums of a column's red, green, blue (each times alpha) and alpha.
using Sums = std::array<std::uint32_t, 4>;

std::uint32_t timesAlpha(std::uint32_t colour, std::uint32_t alpha) {
    return (colour * alpha + 127) / 255;
}

std::uint32_t roundedMean(std::uint32_t sum, std::uint32_t count) {
    return (sum + count / 2) / count;
}

/// Adds the averages of one line's areas, rounded to 8 bits as the reference rounds after each
/// pass, to the sums of its columns.
void addLine(const std::uint8_t* line, const std::vector<int>& borders, std::vector<Sums>& sums) {
    for (std::size_t column = 0; column < sums.size(); ++column) {
        Sums area{};
        for (int x = borders[column]; x < borders[column + 1]; ++x) {
            const std::uint8_t* pixel = line + 4 * static_cast<std::ptrdiff_t>(x);
            const std::uint32_t alpha = pixel[3];
            for (std::size_t c = 0; c < 3; ++c) {
                area[c] += timesAlpha(pixel[c], alpha);
            }
            area[3] += alpha;
        }
        const auto count = static_cast<std::uint32_t>(borders[column + 1] - borders[column]);
        for (std::size_t c = 0; c < 4; ++c) {
            sums[column][c] += roundedMean(area[c], count);
        }
    }
}

void appendPixel(const Sums& sums, std::uint32_t lineCount, std::vector<std::uint8_t>& rgba) {
    const std::uint32_t alpha = roundedMean(sums[3], lineCount);
    for (std::size_t c = 0; c < 3; ++c) {
        const std::uint32_t colour = roundedMean(sums[c], lineCount);
        rgba.push_back(
            static_cast<std::uint8_t>(alpha == 0 ? 0U : std::min(255U, 255U * colour / alpha)));
    }
    rgba.push_back(static_cast<std::uint8_t>(alpha));
}

std::vector<int> bordersOf(int in, int out) {
    std::vector<int> borders;
    for (int i = 0; i <= out; ++i) {
        borders.push_back(areaBegin(i, in, out));
    }
    return borders;
}

ImageBuffer areaThumbnail(ImageView image, int width, int height) {
    ImageBuffer out{width, height, {}};
    out.rgba.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
    const std::vector<int> columns = bordersOf(image.width, width);
    const std::vector<int> lines = bordersOf(image.height, height);
    std::vector<Sums> sums(static_cast<std::size_t>(width));
    for (std::size_t y = 0; y + 1 < lines.size(); ++y) {
        std::fill(sums.begin(), sums.end(), Sums{});
        for (int line = lines[y]; line < lines[y + 1]; ++line) {
            addLine(image.row(line), columns, sums);
        }
        for (const Sums& sum : sums) {
            appendPixel(sum, static_cast<std::uint32_t>(lines[y + 1] - lines[y]), out.rgba);
        }
    }
    return out;
}

}  // namespace

RowLayout labelMixtureLayout() {
    const std::size_t colours = kTextWidth + kLooksWidth;
    return {kPaddedDim,
            2 * kPaddedDim,
            {{"words", 0, kTextWidth, Lens::Words},
             {"looks", kTextWidth, kLooksWidth, Lens::Looks},
             {"colours", colours, kernels::kColourCount, Lens::Words}}};
}

std::vector<MbConv> efficientNetLite0() {
    struct Stage {
        std::size_t repeat, kernel, stride, expansion, out;
    };
    constexpr std::array<Stage, 7> kStages{{{1, 3, 1, 1, 16},
                                            {2, 3, 2, 6, 24},
                                            {2, 5, 2, 6, 40},
                                            {3, 3, 2, 6, 80},
                                            {3, 5, 1, 6, 112},
                                            {4, 5, 2, 6, 192},
                                            {1, 3, 1, 6, 320}}};
    std::vector<MbConv> blocks;
    std::size_t in = 32;
    for (const Stage& stage : kStages) {
        for (std::size_t r = 0; r < stage.repeat; ++r) {
            blocks.push_back(
                {stage.kernel, r == 0 ? stage.stride : 1, in, in * stage.expansion, stage.out});
            in = stage.out;
        }
    }
    return blocks;
}

std::vector<TensorSpec> imageTowerTensors() {
    std::vector<TensorSpec> specs;
    addConvolution(specs, "stem", 32, 3, 3);
    const std::vector<MbConv> blocks = efficientNetLite0();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const MbConv& block = blocks[i];
        const std::string prefix = "blocks." + std::to_string(i) + ".";
        if (block.expands()) {
            addConvolution(specs, prefix + "expand", block.expanded, block.in, 1);
        }
        addConvolution(specs, prefix + "depthwise", block.expanded, 1, block.kernel);
        addConvolution(specs, prefix + "project", block.out, block.expanded, 1);
    }
    addConvolution(specs, "head", kFeatureCount, blocks.back().out, 1);
    addLinear(specs, "classifier", kClassCount, kFeatureCount);
    return specs;
}

std::vector<TensorSpec> textTowerTensors() {
    std::vector<TensorSpec> specs;
    specs.push_back({"embeddings.word_embeddings.weight", {kVocabularySize, kTextWidth}});
    specs.push_back({"embeddings.position_embeddings.weight", {kTextPositions, kTextWidth}});
    specs.push_back({"embeddings.token_type_embeddings.weight", {2, kTextWidth}});
    specs.push_back({"embeddings.position_ids", {1, kTextPositions}, TensorType::I64});
    addNorm(specs, "embeddings.LayerNorm");
    for (std::size_t i = 0; i < kTextLayers; ++i) {
        const std::string prefix = "encoder.layer." + std::to_string(i) + ".";
        for (const char* part : {"query", "key", "value"}) {
            addLinear(specs, prefix + "attention.self." + part, kTextWidth, kTextWidth);
        }
        addLinear(specs, prefix + "attention.output.dense", kTextWidth, kTextWidth);
        addNorm(specs, prefix + "attention.output.LayerNorm");
        addLinear(specs, prefix + "intermediate.dense", kTextInner, kTextWidth);
        addLinear(specs, prefix + "output.dense", kTextWidth, kTextInner);
        addNorm(specs, prefix + "output.LayerNorm");
    }
    addLinear(specs, "pooler.dense", kTextWidth, kTextWidth);
    return specs;
}

std::vector<TensorSpec> headTensors() {
    return {{"classes", {kClassCount, kTextWidth}},
            {"mean", {kTextWidth}},
            {"looks", {kFeatureCount, kLooksWidth}}};
}

Result<void> checkTensors(const std::string& file,
                          const Safetensors& tensors,
                          std::span<const TensorSpec> expected) {
    std::set<std::string> known;
    for (const TensorSpec& spec : expected) {
        known.insert(spec.name);
        auto found = tensors.find(spec.name, spec.type, spec.shape);
        if (!found) {
            return Error{ErrorCode::Corruption, file + ": " + found.error().message};
        }
    }
    for (const auto& [name, view] : tensors.tensors()) {
        if (!known.contains(name)) {
            std::string message = file;
            message.append(": tensor '").append(name).append("' is unexpected");
            return Error{ErrorCode::Corruption, std::move(message)};
        }
    }
    return {};
}

std::string cleanPrompt(std::string_view text) {
    while (!text.empty() && isSpace(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && isSpace(text.back())) {
        text.remove_suffix(1);
    }
    if (!text.empty() && (text.back() == '.' || text.back() == '!')) {
        text.remove_suffix(1);
    }
    std::string clean(text);
    for (char& c : clean) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
    return clean;
}

std::vector<float> colourWeights(const std::string& text) {
    std::vector<float> weights(kernels::kColourCount, 0.0F);
    const std::vector<std::size_t> named = namedColours(text);
    for (const std::size_t index : named) {
        weights[index] = kColourWeight / static_cast<float>(named.size());
    }
    return weights;
}

std::vector<float> colourBlock(ImageView image) {
    BIFOCAL_ASSERT(!image.isEmpty());
    const int longest = std::max(image.width, image.height);
    std::array<float, kernels::kColourCount> shares{};
    if (longest <= kColourSide) {
        shares = kernels::colourShares(image);
    } else {
        const ImageBuffer small = areaThumbnail(
            image, thumbnailSide(image.width, longest), thumbnailSide(image.height, longest));
        shares = kernels::colourShares(small.view());
    }
    std::vector<float> block(shares.size());
    std::transform(
        shares.begin(), shares.end(), block.begin(), [](float share) { return std::sqrt(share); });
    return block;
}

}  // namespace bifocal
