// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/whisper_model.h"

#include "core/inference/log_mel.h"
#include "core/inference/speech_gate.h"
#include "core/inference/torch/counted_memory.h"
#include "core/inference/torch/precision_choice.h"
#include "core/inference/torch/run_guard.h"
#include "core/inference/torch/whisper_network.h"
#include "core/inference/whisper.h"
#include "core/prompt/byte_vocabulary.h"

#include <algorithm>
#include <array>
#include <cmath>
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

/// Threads: lane(its executor). Owns: the memory of one clip.
class WhisperRecognizer final : public SpeechRecognizer {
public:
    explicit WhisperRecognizer(std::shared_ptr<const WhisperParts> parts)
        : parts_(std::move(parts)), state_(parts_->network.makeState()) {}

    Result<RecognizedSpeech> recognize(std::span<const float> samples,
                                       const PartialTextHandler& partial,
                                       std::stop_token stop) override {
        if (!std::all_of(
                samples.begin(), samples.end(), [](float v) { return std::isfinite(v); })) {
            return Error{ErrorCode::InvalidArgument, "recognize: a sample is not finite"};
        }
        return guarded("recognize", [&]() -> Result<RecognizedSpeech> {
            const RunGuard guard(1);
            const PeakMeter meter(peakBytes_);
            RecognizedSpeech all;
            bool isFirst = true;
            while (!samples.empty()) {
                const std::size_t size = windowSize(samples, kWindowSamples);
                const auto extended = [&](const std::string& text) {
                    if (partial) {
                        partial(all.text.empty() ? text : all.text + " " + text);
                    }
                };
                BIFOCAL_TRY(RecognizedSpeech window,
                            recognizeWindow(samples.first(size), extended, stop));
                append(window, isFirst, all);
                isFirst = false;
                samples = samples.subspan(size);
            }
            return all;
        });
    }

    std::uint64_t peakBytes() const override { return peakBytes_; }

private:
    static void append(const RecognizedSpeech& window, bool isFirst, RecognizedSpeech& all) {
        if (isFirst) {
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

    /// One window of at most 30 seconds.
    Result<RecognizedSpeech> recognizeWindow(std::span<const float> samples,
                                             const PartialTextHandler& partial,
                                             const std::stop_token& stop) {
        if (stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, "recognize"};
        }
        if (kindOfSound(samples) != SoundKind::Varied) {
            return RecognizedSpeech{{}, 1.0, 0.0, 0};
        }
        const double seconds =
            static_cast<double>(samples.size()) / static_cast<double>(kSpeechSampleRate);
        const double window = seconds > kTrimmedSeconds
                                  ? 30.0
                                  : std::max(kLeastWindowSeconds, std::ceil(seconds + 1.0));
        const auto positions = static_cast<std::size_t>(window * 50.0);
        std::vector<float> mel(parts_->mel.melCount() * kMelsPerPosition * positions);
        parts_->mel.compute(samples, kMelsPerPosition * positions, mel);
        parts_->network.listen(mel, positions, state_);
        const auto cap = std::min(
            parts_->maxTokens, static_cast<std::size_t>(kFirstTokens + kTokensPerSecond * seconds));
        return write(cap, partial, stop);
    }

    /// The best token after `hidden`, and its logarithmic probability.
    Result<std::pair<std::int32_t, double>> next(const at::Tensor& hidden, bool isFirst) const {
        std::array<kernels::RowScore, kConsideredTokens> best;
        BIFOCAL_TRY(const std::size_t count,
                    parts_->network.vocabulary().best(
                        hidden, isFirst ? parts_->allowedFirst : parts_->allowed, best));
        if (count == 0) {
            return Error{ErrorCode::Internal, "recognize: the decoder gave numbers that are none"};
        }
        return std::pair{static_cast<std::int32_t>(best[0].row),
                         logProbability(best[0].score, std::span(best).first(count))};
    }

    Result<double> noSpeech(const at::Tensor& hidden) const {
        std::array<kernels::RowScore, kConsideredTokens> best;
        BIFOCAL_TRY(const std::size_t count, parts_->network.vocabulary().best(hidden, {}, best));
        const float score = parts_->network.vocabulary().score(hidden, parts_->tokens.noSpeech);
        return count == 0 ? 0.0 : std::exp(logProbability(score, std::span(best).first(count)));
    }

    Result<RecognizedSpeech> write(std::size_t cap,
                                   const PartialTextHandler& partial,
                                   const std::stop_token& stop) {
        RecognizedSpeech out;
        at::Tensor hidden = parts_->network.append(parts_->tokens.prompt.front(), state_);
        BIFOCAL_TRY(out.noSpeech, noSpeech(hidden));
        if (out.noSpeech > kNoSpeechThreshold) {
            return out;
        }
        for (std::size_t i = 1; i < parts_->tokens.prompt.size(); ++i) {
            hidden = parts_->network.append(parts_->tokens.prompt[i], state_);
        }
        std::vector<std::int32_t> text;
        double sum = 0;
        for (;;) {
            BIFOCAL_TRY(const auto chosen, next(hidden, text.empty()));
            sum += chosen.second;
            if (chosen.first == parts_->tokens.end || text.size() >= cap) {
                break;
            }
            if (stop.stop_requested()) {
                return Error{ErrorCode::Cancelled, "recognize"};
            }
            text.push_back(chosen.first);
            partial(trimmed(parts_->vocabulary.decode(text)));
            hidden = parts_->network.append(chosen.first, state_);
        }
        out.tokenCount = text.size();
        out.meanLogProbability = sum / static_cast<double>(text.size() + 1);
        if (!goesInCircles(text)) {
            out.text = trimmed(parts_->vocabulary.decode(text));
        }
        return out;
    }

    std::shared_ptr<const WhisperParts> parts_;
    WhisperState state_;
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
            std::make_shared<const WhisperParts>(WhisperParts{std::move(network),
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
