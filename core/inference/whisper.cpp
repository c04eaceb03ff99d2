// SPDX-License-Identifier: Apache-2.0
#include "core/inference/whisper.h"

#include <nlohmann/json.hpp>

namespace bifocal {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxWidth = 4096;
constexpr std::size_t kMaxLayers = 128;
constexpr std::size_t kMaxPromptTokens = 16;
constexpr const char* kEmbedding = "model.decoder.embed_tokens.weight";

Error broken(const std::string& message) {
    return {ErrorCode::Corruption, std::string(kSpeechTensors) + ": " + message};
}

std::size_t layerCount(const Safetensors& tensors, const std::string& side) {
    std::size_t count = 0;
    while (count < kMaxLayers &&
           tensors.tensors().contains("model." + side + ".layers." + std::to_string(count) +
                                      ".fc1.weight")) {
        ++count;
    }
    return count;
}

/// Collects the specs of one file.
class SpecList {
public:
    SpecList(std::size_t width, TensorType type) : width_(width), type_(type) {}

    void add(const std::string& name, std::vector<std::size_t> shape) {
        specs_.push_back({name, std::move(shape), type_});
    }
    void addNorm(const std::string& name) {
        add(name + ".weight", {width_});
        add(name + ".bias", {width_});
    }
    void addLinear(const std::string& name, std::size_t out, std::size_t in) {
        add(name + ".weight", {out, in});
        add(name + ".bias", {out});
    }
    void addAttention(const std::string& name) {
        addLinear(name + ".q_proj", width_, width_);
        add(name + ".k_proj.weight", {width_, width_});
        addLinear(name + ".v_proj", width_, width_);
        addLinear(name + ".out_proj", width_, width_);
        addNorm(name + "_layer_norm");
    }
    void addLayer(const std::string& name) {
        addAttention(name + ".self_attn");
        addLinear(name + ".fc1", 4 * width_, width_);
        addLinear(name + ".fc2", width_, 4 * width_);
        addNorm(name + ".final_layer_norm");
    }
    std::vector<TensorSpec> take() && { return std::move(specs_); }

private:
    std::size_t width_;
    TensorType type_;
    std::vector<TensorSpec> specs_;
};

Result<std::int32_t> idOf(const Json& value, const char* field, std::size_t vocabularySize) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= vocabularySize) {
        return Error{ErrorCode::Corruption,
                     std::string(kSpeechTokens) + ": '" + field + "' is no token"};
    }
    return static_cast<std::int32_t>(value.get<std::uint64_t>());
}

Result<std::int32_t> idOfField(const Json& root, const char* field, std::size_t vocabularySize) {
    return idOf(root.contains(field) ? root[field] : Json(), field, vocabularySize);
}

Result<std::vector<std::int32_t>> idsOfField(const Json& root,
                                             const char* field,
                                             std::size_t vocabularySize) {
    if (!root.contains(field) || !root[field].is_array()) {
        return Error{ErrorCode::Corruption,
                     std::string(kSpeechTokens) + ": '" + field + "' is no list"};
    }
    std::vector<std::int32_t> ids;
    for (const Json& entry : root[field]) {
        BIFOCAL_TRY(const std::int32_t id, idOf(entry, field, vocabularySize));
        ids.push_back(id);
    }
    return ids;
}

}  // namespace

Result<WhisperShape> whisperShape(const Safetensors& tensors) {
    const auto& all = tensors.tensors();
    const auto embedding = all.find(kEmbedding);
    const auto conv = all.find("model.encoder.conv1.weight");
    if (embedding == all.end() || embedding->second.shape.size() != 2 || conv == all.end() ||
        conv->second.shape.size() != 3) {
        return broken(std::string("no '") + kEmbedding + "' or 'model.encoder.conv1.weight'");
    }
    WhisperShape shape;
    shape.vocabularySize = embedding->second.shape[0];
    shape.width = embedding->second.shape[1];
    shape.melCount = conv->second.shape[1];
    shape.encoderLayers = layerCount(tensors, "encoder");
    shape.decoderLayers = layerCount(tensors, "decoder");
    if (shape.width == 0 || shape.width > kMaxWidth || shape.width % kWhisperHeadWidth != 0 ||
        shape.encoderLayers == 0 || shape.decoderLayers == 0 || shape.vocabularySize < 2 ||
        shape.melCount == 0) {
        return broken("the tensors have no shape of a Whisper");
    }
    const TensorType type = embedding->second.type;
    if (type != TensorType::F16 && type != TensorType::F32) {
        return broken("the tensors are neither FP16 nor FP32");
    }
    BIFOCAL_CHECK(checkTensors(kSpeechTensors, tensors, whisperTensors(shape, type)));
    return shape;
}

std::vector<TensorSpec> whisperTensors(const WhisperShape& shape, TensorType type) {
    const std::size_t width = shape.width;
    SpecList list(width, type);
    list.add("model.encoder.conv1.weight", {width, shape.melCount, 3});
    list.add("model.encoder.conv1.bias", {width});
    list.add("model.encoder.conv2.weight", {width, width, 3});
    list.add("model.encoder.conv2.bias", {width});
    list.add("model.encoder.embed_positions.weight", {kWhisperAudioPositions, width});
    for (std::size_t i = 0; i < shape.encoderLayers; ++i) {
        list.addLayer("model.encoder.layers." + std::to_string(i));
    }
    list.addNorm("model.encoder.layer_norm");
    list.add(kEmbedding, {shape.vocabularySize, width});
    list.add("model.decoder.embed_positions.weight", {kWhisperTextPositions, width});
    for (std::size_t i = 0; i < shape.decoderLayers; ++i) {
        const std::string name = "model.decoder.layers." + std::to_string(i);
        list.addLayer(name);
        list.addAttention(name + ".encoder_attn");
    }
    list.addNorm("model.decoder.layer_norm");
    return std::move(list).take();
}

Result<WhisperTokens> parseWhisperTokens(std::string_view json, std::size_t vocabularySize) {
    const Json root = Json::parse(json, nullptr, false);
    if (!root.is_object()) {
        return Error{ErrorCode::Corruption, std::string(kSpeechTokens) + ": no JSON object"};
    }
    WhisperTokens tokens;
    BIFOCAL_TRY(tokens.end, idOfField(root, "end", vocabularySize));
    BIFOCAL_TRY(tokens.noSpeech, idOfField(root, "noSpeech", vocabularySize));
    BIFOCAL_TRY(tokens.firstTimestamp, idOfField(root, "firstTimestamp", vocabularySize));
    BIFOCAL_TRY(tokens.prompt, idsOfField(root, "prompt", vocabularySize));
    BIFOCAL_TRY(tokens.suppressed, idsOfField(root, "suppressed", vocabularySize));
    BIFOCAL_TRY(tokens.suppressedFirst, idsOfField(root, "suppressedFirst", vocabularySize));
    if (tokens.prompt.empty() || tokens.prompt.size() > kMaxPromptTokens) {
        return Error{ErrorCode::Corruption,
                     std::string(kSpeechTokens) + ": 'prompt' has no tokens, or more than 16"};
    }
    return tokens;
}

std::string toJson(const WhisperTokens& tokens) {
    const Json root{{"end", tokens.end},
                    {"noSpeech", tokens.noSpeech},
                    {"firstTimestamp", tokens.firstTimestamp},
                    {"prompt", tokens.prompt},
                    {"suppressed", tokens.suppressed},
                    {"suppressedFirst", tokens.suppressedFirst}};
    return root.dump() + "\n";
}

}  // namespace bifocal
