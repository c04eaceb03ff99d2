// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/whisper_model.h"

#include "core/base/clock.h"
#include "core/inference/beam_search.h"
#include "core/inference/log_mel.h"
#include "core/inference/prompt_state.h"
#include "core/inference/speech_gate.h"
#include "core/inference/torch/counted_memory.h"
#include "core/inference/torch/precision_choice.h"
#include "core/inference/torch/run_guard.h"
#include "core/inference/torch/whisper_network.h"
#include "core/inference/whisper.h"
#include "core/prompt/byte_vocabulary.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <utility>

namespace bifocal::torch_backend {
namespace {

constexpr double kLeastWindowSeconds = 6.0;
/// Above this the trimmed window wins nothing that it does not lose in accuracy.
constexpr double kTrimmedSeconds = 15.0;
constexpr std::size_t kWindowSamples = 30 * kSpeechSampleRate;
/// Nobody speaks faster; a decoder that repeats itself ends here.
constexpr double kFirstTokens = 10.0;
constexpr double kTokensPerSecond = 7.0;
/// Radford et al., section 4.5, name 0.6 together with a threshold for the text's own probability,
/// which does not help here: clicks, hums and beeps become a confident "you". By itself it tells
/// them apart: 147 clips of single words, sentences and sounds gave 0.24 at most for speech and
/// 0.73 at least for anything else.
constexpr double kNoSpeechThreshold = 0.6;
/// A decoder that goes round in circles has heard no words.
constexpr std::size_t kLeastTokensOfCircle = 16;
constexpr std::size_t kMostRepetition = 4;  ///< tokens for each different one
/// The tail of a distribution behind so many tokens weighs nothing in a sum of exponentials.
constexpr std::size_t kConsideredTokens = 64;

/// What the recognisers of a model share. Threads: value.
struct WhisperParts {
    std::string id;  ///< of the pack
    WhisperNetwork network;
    LogMel mel;
    WhisperTokens tokens;
    ByteVocabulary vocabulary;
    std::vector<std::uint64_t> allowed;       ///< by token, one bit
    std::vector<std::uint64_t> allowedFirst;  ///< as the first token of the text
    std::size_t maxTokens = 0;
};

/// Text and its end are allowed; what is suppressed, and languages, tasks and times are not.
std::vector<std::uint64_t> allowedTokens(const WhisperTokens& tokens,
                                         std::size_t vocabularySize,
                                         bool isFirst) {
    std::vector<std::uint64_t> bits((vocabularySize + 63) / 64, 0);
    for (std::size_t id = 0; id <= static_cast<std::size_t>(tokens.end); ++id) {
        bits[id / 64] |= std::uint64_t{1} << (id % 64);
    }
    const auto clear = [&](const std::vector<std::int32_t>& ids) {
        for (const std::int32_t id : ids) {
            const auto index = static_cast<std::size_t>(id);
            bits[index / 64] &= ~(std::uint64_t{1} << (index % 64));
        }
    };
    clear(tokens.suppressed);
    if (isFirst) {
        clear(tokens.suppressedFirst);
    }
    return bits;
}

/// Of the token with `score` among the best ones, which are sorted.
double logProbability(float score, std::span<const kernels::RowScore> best) {
    double sum = 0;
    const double most = std::max(static_cast<double>(score), static_cast<double>(best[0].score));
    for (const kernels::RowScore& one : best) {
        sum += std::exp(static_cast<double>(one.score) - most);
    }
    return static_cast<double>(score) - most - std::log(sum);
}

bool goesInCircles(const std::vector<std::int32_t>& text) {
    const std::set<std::int32_t> different(text.begin(), text.end());
    return text.size() >= kLeastTokensOfCircle && text.size() > kMostRepetition * different.size();
}

std::string trimmed(const std::string& text) {
    constexpr const char* kSpaces = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpaces);
    return first == std::string::npos
               ? std::string()
               : text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// The numbers of a tensor as they lie in memory.
CachedTensor cachedOf(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    const auto* first = static_cast<const std::uint8_t*>(whole.const_data_ptr());
    return {{whole.sizes().begin(), whole.sizes().end()}, {first, first + whole.nbytes()}};
}

/// Corruption when the numbers are not `shape` of `type`.
Result<at::Tensor> tensorOf(const CachedTensor& cached,
                            const std::vector<std::int64_t>& shape,
                            at::ScalarType type) {
    at::Tensor tensor = at::empty(shape, type);
    if (cached.shape != shape || cached.bytes.size() != tensor.nbytes()) {
        return Error{ErrorCode::Corruption, "the cache is not one of this recogniser"};
    }
    std::memcpy(tensor.mutable_data_ptr(), cached.bytes.data(), cached.bytes.size());
    return tensor;
}

/// A mask of `size` places whose first `length` are seen.
std::vector<bool> maskOf(std::int64_t length, std::size_t size) {
    std::vector<bool> mask(size, false);
    std::fill_n(mask.begin(), length, true);
    return mask;
}

/// How many first places are seen. Corruption when others are.
Result<std::int64_t> lengthOf(const std::vector<bool>& mask, std::size_t size) {
    const auto length = std::count(mask.begin(), mask.end(), true);
    if (mask.size() != size || mask != maskOf(length, size)) {
        return Error{ErrorCode::Corruption, "the mask is not one of this recogniser"};
    }
    return length;
}

/// The decoder in the middle of a window. Threads: value.
struct Decoding {
    BeamSearch search;
    at::Tensor hidden;  ///< of the live beams, [beams, width]
    double noSpeech = 0;
};

/// Threads: lane(its executor). Owns: the memory of one clip.
class WhisperRecognizer final : public SpeechRecognizer {
public:
    explicit WhisperRecognizer(std::shared_ptr<const WhisperParts> parts)
        : parts_(std::move(parts)), state_(parts_->network.makeState()) {}

    Result<RecognizedSpeech> recognize(std::span<const float> samples,
                                       const RecognizeOptions& options) override {
        if (!std::all_of(
                samples.begin(), samples.end(), [](float v) { return std::isfinite(v); })) {
            return Error{ErrorCode::InvalidArgument, "recognize: a sample is not finite"};
        }
        if (options.beamCount == 0 || options.beamCount > RecognizeOptions::kMostBeams) {
            return Error{ErrorCode::InvalidArgument,
                         "recognize: " + std::to_string(options.beamCount) + " beams"};
        }
        return guarded("recognize", [&]() -> Result<RecognizedSpeech> {
            const RunGuard guard(1);
            const PeakMeter meter(peakBytes_);
            makeRoom(options.beamCount);
            BIFOCAL_TRY(PromptState place, begin(samples, options));
            while (place.windowBegin < samples.size()) {
                const std::span<const float> rest =
                    samples.subspan(static_cast<std::size_t>(place.windowBegin));
                const bool isResumed = place.windowSize > 0;
                if (!isResumed) {
                    place.windowSize = windowSize(rest, kWindowSamples);
                }
                BIFOCAL_TRY(const RecognizedSpeech window,
                            recognizeWindow(rest.first(static_cast<std::size_t>(place.windowSize)),
                                            options,
                                            place,
                                            isResumed));
                append(window, place);
                if (options.keep && place.windowBegin < samples.size()) {
                    options.keep(place);
                    kept_ = clock_.now();
                }
            }
            return place.text;
        });
    }

    std::uint64_t peakBytes() const override { return peakBytes_; }

private:
    void makeRoom(std::size_t beamCount) {
        if (state_.text.front().keys.size(0) < static_cast<std::int64_t>(beamCount)) {
            state_ = parts_->network.makeState(beamCount);
        }
    }

    /// Where to begin: at the first sample, or where somebody else stopped.
    Result<PromptState> begin(std::span<const float> samples, const RecognizeOptions& options) {
        kept_ = clock_.now();
        PromptState place;
        if (options.keep || options.resume != nullptr) {
            place.clip = clipKey(samples);
        }
        place.model = parts_->id;
        place.beamCount = static_cast<std::uint32_t>(options.beamCount);
        if (options.resume == nullptr) {
            return place;
        }
        const PromptState& left = *options.resume;
        if (left.model != place.model || left.clip != place.clip ||
            left.beamCount != place.beamCount) {
            return Error{ErrorCode::InvalidArgument,
                         std::string("the recognition that was put aside is of another ") +
                             (left.model != place.model ? "model"
                              : left.clip != place.clip ? "sound"
                                                        : "beam count")};
        }
        const auto size = static_cast<std::uint64_t>(samples.size());
        if (left.windowBegin > size || left.windowSize > size - left.windowBegin) {
            return Error{ErrorCode::Corruption, "its window is not inside the sound"};
        }
        return left;
    }

    static void append(const RecognizedSpeech& window, PromptState& place) {
        place.windowBegin += std::exchange(place.windowSize, 0);
        place.audioMask.clear();
        place.textMask.clear();
        place.cache.clear();
        place.noSpeech = 0;
        place.live.clear();
        place.finished.clear();
        RecognizedSpeech& all = place.text;
        if (!std::exchange(place.hasText, true)) {
            all = window;
            return;
        }
        if (window.text.empty()) {
            return;
        }
        all.text += (all.text.empty() ? "" : " ") + window.text;
        const double total = all.meanLogProbability * static_cast<double>(all.tokenCount) +
                             window.meanLogProbability * static_cast<double>(window.tokenCount);
        all.tokenCount += window.tokenCount;
        all.meanLogProbability = total / static_cast<double>(all.tokenCount);
    }

    /// One window of at most 30 seconds, or the rest of it.
    Result<RecognizedSpeech> recognizeWindow(std::span<const float> samples,
                                             const RecognizeOptions& options,
                                             PromptState& place,
                                             bool isResumed) {
        if (options.stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, "recognize"};
        }
        const double seconds =
            static_cast<double>(samples.size()) / static_cast<double>(kSpeechSampleRate);
        const auto cap = std::min(
            parts_->maxTokens, static_cast<std::size_t>(kFirstTokens + kTokensPerSecond * seconds));
        if (isResumed) {
            BIFOCAL_TRY(Decoding decoding, restore(place, cap));
            return write(std::move(decoding), options, place);
        }
        if (kindOfSound(samples) != SoundKind::Varied) {
            return RecognizedSpeech{{}, 1.0, 0.0, 0};
        }
        const double window = seconds > kTrimmedSeconds
                                  ? 30.0
                                  : std::max(kLeastWindowSeconds, std::ceil(seconds + 1.0));
        const auto positions = static_cast<std::size_t>(window * 50.0);
        std::vector<float> mel(parts_->mel.melCount() * kMelsPerPosition * positions);
        parts_->mel.compute(samples, kMelsPerPosition * positions, mel);
        parts_->network.listen(mel, positions, state_);

        Decoding decoding{{options.beamCount, parts_->tokens.end, cap}, {}, 0};
        for (const std::int32_t token : parts_->tokens.prompt) {
            decoding.hidden = parts_->network.append({&token, 1}, state_);
            if (state_.textLength == 1) {
                BIFOCAL_TRY(decoding.noSpeech, noSpeech(decoding.hidden));
                if (decoding.noSpeech > kNoSpeechThreshold) {
                    return RecognizedSpeech{{}, decoding.noSpeech, 0, 0};
                }
            }
        }
        return write(std::move(decoding), options, place);
    }

    Result<RecognizedSpeech> write(Decoding decoding,
                                   const RecognizeOptions& options,
                                   PromptState& place) {
        BeamSearch& search = decoding.search;
        for (;;) {
            BIFOCAL_TRY(auto continuations, continuationsOf(decoding, options.beamCount));
            const std::vector<std::size_t> parents = search.advance(std::move(continuations));
            if (search.isOver()) {
                break;
            }
            if (options.stop.stop_requested()) {
                return Error{ErrorCode::Cancelled, "recognize"};
            }
            if (options.partial) {
                std::string text = place.text.text;
                text += text.empty() ? "" : " ";
                text += textOf(search.live().front().tokens);
                options.partial(text);
            }
            WhisperNetwork::reorder(parents, state_);
            std::vector<std::int32_t> tokens;
            for (const Beam& beam : search.live()) {
                tokens.push_back(beam.tokens.back());
            }
            decoding.hidden = parts_->network.append(tokens, state_);
            if (options.keep && clock_.now() - kept_ >= options.keepEvery) {
                keep(decoding, place);
                options.keep(place);
                kept_ = clock_.now();
            }
        }
        const Beam& best = search.best();
        RecognizedSpeech out;
        out.noSpeech = decoding.noSpeech;
        out.tokenCount = best.tokens.size();
        out.meanLogProbability = best.meanLogProbability();
        if (!goesInCircles(best.tokens)) {
            out.text = textOf(best.tokens);
        }
        return out;
    }

    /// The best tokens after each live beam.
    Result<std::vector<BeamSearch::Continuation>> continuationsOf(const Decoding& decoding,
                                                                  std::size_t beamCount) const {
        std::vector<BeamSearch::Continuation> all;
        const std::vector<Beam>& live = decoding.search.live();
        for (std::size_t beam = 0; beam < live.size(); ++beam) {
            std::array<kernels::RowScore, kConsideredTokens> best;
            BIFOCAL_TRY(const std::size_t count,
                        parts_->network.vocabulary().best(
                            decoding.hidden.narrow(0, static_cast<std::int64_t>(beam), 1),
                            live[beam].tokens.empty() ? parts_->allowedFirst : parts_->allowed,
                            best));
            if (count == 0) {
                return Error{ErrorCode::Internal,
                             "recognize: the decoder gave numbers that are none"};
            }
            const auto considered = std::span(best).first(count);
            for (const kernels::RowScore& one : considered.first(std::min(count, beamCount + 1))) {
                all.push_back({beam,
                               static_cast<std::int32_t>(one.row),
                               logProbability(one.score, considered)});
            }
        }
        return all;
    }

    Result<double> noSpeech(const at::Tensor& hidden) const {
        std::array<kernels::RowScore, kConsideredTokens> best;
        BIFOCAL_TRY(const std::size_t count, parts_->network.vocabulary().best(hidden, {}, best));
        const float score = parts_->network.vocabulary().score(hidden, parts_->tokens.noSpeech);
        return count == 0 ? 0.0 : std::exp(logProbability(score, std::span(best).first(count)));
    }

    std::string textOf(const std::vector<std::int32_t>& tokens) const {
        return trimmed(parts_->vocabulary.decode(tokens));
    }

    /// Puts what the decoder remembers into `place`; restore() takes it from there.
    void keep(const Decoding& decoding, PromptState& place) const {
        const auto beams = static_cast<std::int64_t>(decoding.search.live().size());
        place.audioMask = maskOf(state_.clipLength, kWhisperAudioPositions);
        place.textMask = maskOf(state_.textLength, kWhisperTextPositions);
        place.cache.clear();
        for (const KeysValues& layer : state_.audio) {
            place.cache.push_back(cachedOf(layer.keys.narrow(2, 0, state_.clipLength)));
            place.cache.push_back(cachedOf(layer.values.narrow(2, 0, state_.clipLength)));
        }
        for (const KeysValues& layer : state_.text) {
            for (const at::Tensor& memory : {layer.keys, layer.values}) {
                place.cache.push_back(
                    cachedOf(memory.narrow(0, 0, beams).narrow(2, 0, state_.textLength)));
            }
        }
        place.cache.push_back(cachedOf(decoding.hidden));
        place.noSpeech = decoding.noSpeech;
        place.live = decoding.search.live();
        place.finished = decoding.search.finished();
    }

    Result<Decoding> restore(const PromptState& place, std::size_t cap) {
        const WhisperShape& shape = parts_->network.shape();
        BIFOCAL_TRY(const std::int64_t clipLength,
                    lengthOf(place.audioMask, kWhisperAudioPositions));
        BIFOCAL_TRY(const std::int64_t textLength, lengthOf(place.textMask, kWhisperTextPositions));
        const auto beams = static_cast<std::int64_t>(place.live.size());
        if (beams == 0 || place.live.size() > place.beamCount ||
            place.cache.size() != 4 * shape.decoderLayers + 1 || clipLength == 0 ||
            !areBeamsOf(place, textLength)) {
            return Error{ErrorCode::Corruption, "its beams are not of this recogniser"};
        }
        const auto heads = static_cast<std::int64_t>(shape.heads());
        const auto headWidth = static_cast<std::int64_t>(kWhisperHeadWidth);
        const at::ScalarType type = state_.text.front().keys.scalar_type();
        std::size_t next = 0;
        const auto pair = [&](std::int64_t texts, std::int64_t length) -> Result<KeysValues> {
            const std::vector<std::int64_t> sides{texts, heads, length, headWidth};
            BIFOCAL_TRY(at::Tensor keys, tensorOf(place.cache[next++], sides, type));
            BIFOCAL_TRY(at::Tensor values, tensorOf(place.cache[next++], sides, type));
            return KeysValues{keys, values};
        };
        std::vector<KeysValues> clip;
        for (std::size_t i = 0; i < shape.decoderLayers; ++i) {
            BIFOCAL_TRY(KeysValues layer, pair(1, clipLength));
            clip.push_back(std::move(layer));
        }
        parts_->network.listen(clip, state_);
        for (KeysValues& layer : state_.text) {
            BIFOCAL_TRY(const KeysValues kept, pair(beams, textLength));
            layer.keys.narrow(0, 0, beams).narrow(2, 0, textLength).copy_(kept.keys);
            layer.values.narrow(0, 0, beams).narrow(2, 0, textLength).copy_(kept.values);
        }
        state_.textLength = textLength;
        BIFOCAL_TRY(
            at::Tensor hidden,
            tensorOf(
                place.cache[next], {beams, static_cast<std::int64_t>(shape.width)}, at::kFloat));
        return Decoding{{place.beamCount, parts_->tokens.end, cap, place.live, place.finished},
                        std::move(hidden),
                        place.noSpeech};
    }

    /// Each live text is as long as the mask says, and all tokens are of the vocabulary.
    bool areBeamsOf(const PromptState& place, std::int64_t textLength) const {
        const auto isToken = [this](std::int32_t token) {
            return token >= 0 &&
                   static_cast<std::size_t>(token) < parts_->network.shape().vocabularySize;
        };
        const auto areTokens = [&isToken](const Beam& beam) {
            return std::all_of(beam.tokens.begin(), beam.tokens.end(), isToken);
        };
        return std::all_of(place.live.begin(),
                           place.live.end(),
                           [&](const Beam& beam) {
                               return areTokens(beam) &&
                                      static_cast<std::int64_t>(parts_->tokens.prompt.size() +
                                                                beam.tokens.size()) == textLength;
                           }) &&
               std::all_of(place.finished.begin(), place.finished.end(), areTokens);
    }

    std::shared_ptr<const WhisperParts> parts_;
    WhisperState state_;
    SteadyClock clock_;
    TimePoint kept_{};
    std::uint64_t peakBytes_ = 0;
};

/// Threads: safe.
class WhisperModel final : public SpeechModel {
public:
    WhisperModel(PackInfo info, std::shared_ptr<const WhisperParts> parts)
        : info_(std::move(info)), parts_(std::move(parts)) {}

    const PackInfo& info() const override { return info_; }

    Result<std::unique_ptr<SpeechRecognizer>> makeRecognizer() const override {
        return guarded("make recogniser", [&]() -> Result<std::unique_ptr<SpeechRecognizer>> {
            const RunGuard guard(1);
            return std::unique_ptr<SpeechRecognizer>(std::make_unique<WhisperRecognizer>(parts_));
        });
    }

private:
    PackInfo info_;
    std::shared_ptr<const WhisperParts> parts_;
};

/// BF16 has to be asked for: the word errors of this architecture were measured in FP32 alone.
Result<PrecisionChoice> chooseSpeechPrecision(Precision wanted) {
    if (wanted == Precision::Automatic) {
        return PrecisionChoice{TowerPrecision::Fp32,
                               "fp32",
                               PrecisionReason::AskedFor,
                               "its word errors were measured in FP32"};
    }
    return choosePrecision(wanted);
}

std::string_view viewOf(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<ByteVocabulary> readVocabulary(const std::filesystem::path& folder,
                                      const PackManifest& manifest,
                                      std::size_t size) {
    BIFOCAL_TRY(const auto bytes, readPackFile(folder, manifest, kSpeechVocabulary));
    BIFOCAL_TRY(ByteVocabulary vocabulary, ByteVocabulary::load(viewOf(bytes)));
    if (vocabulary.size() != size) {
        return Error{ErrorCode::Corruption,
                     std::string(kSpeechVocabulary) + ": " + std::to_string(vocabulary.size()) +
                         " tokens, the decoder has " + std::to_string(size)};
    }
    return vocabulary;
}

}  // namespace

Result<std::shared_ptr<const SpeechModel>> loadWhisper(const std::filesystem::path& folder,
                                                       const PackManifest& manifest,
                                                       PackOptions options) {
    BIFOCAL_TRY(const PrecisionChoice precision, chooseSpeechPrecision(options.precision));
    BIFOCAL_TRY(auto bytes, readPackFile(folder, manifest, kSpeechTensors));
    auto tensors = Safetensors::parse(std::move(bytes));
    if (!tensors) {
        return tensors.error().withContext(kSpeechTensors);
    }
    BIFOCAL_TRY(const WhisperShape shape, whisperShape(*tensors));
    BIFOCAL_TRY(const auto json, readPackFile(folder, manifest, kSpeechTokens));
    BIFOCAL_TRY(WhisperTokens tokens, parseWhisperTokens(viewOf(json), shape.vocabularySize));
    BIFOCAL_TRY(ByteVocabulary vocabulary, readVocabulary(folder, manifest, shape.vocabularySize));
    PackInfo info = makePackInfo(manifest, precision, "The recogniser");
    return guarded("load recogniser", [&]() -> Result<std::shared_ptr<const SpeechModel>> {
        const RunGuard guard(1);
        const bool isBf16 = precision.tower == TowerPrecision::Bf16;
        WhisperNetwork network(*tensors, shape, isBf16 ? at::kBFloat16 : at::kFloat);
        // The file's FP16 numbers, the vocabulary apart, grow where products are in FP32.
        info.weightBytes = tensors->tensors().at("model.decoder.embed_tokens.weight").bytes.size();
        std::size_t products = 0;
        for (const auto& [name, view] : tensors->tensors()) {
            products += view.elementCount();
        }
        products -= shape.vocabularySize * shape.width;
        info.weightBytes += products * (isBf16 ? 2U : 4U) + 2 * network.stateBytes();
        const std::size_t room =
            kWhisperTextPositions - std::min(kWhisperTextPositions, tokens.prompt.size());
        auto allowed = allowedTokens(tokens, shape.vocabularySize, false);
        auto allowedFirst = allowedTokens(tokens, shape.vocabularySize, true);
        auto parts =
            std::make_shared<const WhisperParts>(WhisperParts{info.id,
                                                              std::move(network),
                                                              LogMel(shape.melCount),
                                                              std::move(tokens),
                                                              std::move(vocabulary),
                                                              std::move(allowed),
                                                              std::move(allowedFirst),
                                                              std::min(manifest.maxTokens, room)});
        return std::shared_ptr<const SpeechModel>(
            std::make_shared<const WhisperModel>(std::move(info), std::move(parts)));
    });
}

}  // namespace bifocal::torch_backend
