// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/image_buffer.h"
#include "core/base/result.h"
#include "core/inference/row_layout.h"
#include "core/prompt/prompt.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal {

/// Why a pack runs where it runs.
enum class DeviceReason : std::uint8_t {
    OnlyCpu = 1,  ///< it has no code for another device
    NoGpuFound,   ///< it would use one
};
/// Why a pack computes in its precision.
enum class PrecisionReason : std::uint8_t {
    AskedFor = 1,
    Bf16Native,   ///< the processor computes in BF16
    Bf16Missing,  ///< it does not
};

/// The facts behind a pack's device and precision, for whoever says them in another language than
/// `deviceWhy` does. Threads: value.
struct DeviceFacts {
    DeviceReason device = DeviceReason::OnlyCpu;
    PrecisionReason precision = PrecisionReason::AskedFor;
};

/// What a pack is and where it runs. Threads: value.
struct PackInfo {
    std::string id;    ///< keys the vectors: name, version and weight hash ("starter-1-f2bc3dd0")
    std::string name;  ///< for people
    std::string licence;
    std::string device;     ///< "cpu", "cuda:0"
    std::string deviceWhy;  ///< one sentence, English, of the facts: for logs and the command line
    std::string precision;  ///< "bf16", "fp32"
    DeviceFacts deviceFacts;
    RowLayout layout;             ///< of a search pack
    std::vector<Script> scripts;  ///< what the text tower can read, or the recogniser writes
    std::size_t weightBytes = 0;
};

struct EncoderOptions {
    int threadCount = 1;  ///< intra-op threads of the executor that owns the encoder
};

/// Pictures → rows. Threads: lane(the executor that made it); one encoder per executor over shared
/// weights.
class ImageEncoder {
public:
    ImageEncoder() = default;
    ImageEncoder(const ImageEncoder&) = delete;
    ImageEncoder& operator=(const ImageEncoder&) = delete;
    virtual ~ImageEncoder() = default;

    /// Largest batch worth giving to one encode().
    virtual std::size_t preferredBatch() const = 0;

    /// Preprocesses and encodes images.size() pictures; `rows` holds images.size() · layout.dim
    /// numbers, picture i at i · dim. A picture's row does not depend on its neighbours beyond the
    /// rounding of the precision. Never returns a row with a number that is not finite: Internal
    /// instead. InvalidArgument for an empty picture. Cancelled when `stop` was requested before
    /// the tower started; one call of the tower cannot be interrupted (about 8 ms per picture).
    virtual Result<void> encode(std::span<const ImageView> images,
                                std::span<float> rows,
                                std::stop_token stop) = 0;

    /// Most bytes beyond the weights that a call took at once so far, as the backend's allocator
    /// counts them; 0: not known.
    virtual std::uint64_t peakBytes() const { return 0; }
};

/// One text's row and what happened to it on the way.
struct EncodedText {
    std::vector<float> row;       ///< layout.dim numbers
    bool isTruncated = false;     ///< the text was longer than the tower reads
    bool isPartlyUnread = false;  ///< it has words that the tower does not know
};

/// Texts → rows, in the same layout. Threads: lane(the executor that made it).
class TextEncoder {
public:
    TextEncoder() = default;
    TextEncoder(const TextEncoder&) = delete;
    TextEncoder& operator=(const TextEncoder&) = delete;
    virtual ~TextEncoder() = default;

    /// One row. Unsupported when no letter of the text is in a script the pack reads.
    virtual Result<EncodedText> encode(std::string_view text, std::stop_token stop) = 0;

    /// Most bytes beyond the weights that a call took at once so far, as the backend's allocator
    /// counts them; 0: not known.
    virtual std::uint64_t peakBytes() const { return 0; }
};

/// What was said in a clip. Threads: value.
struct RecognizedSpeech {
    std::string text;               ///< UTF-8, white space trimmed; empty: nobody said anything
    double noSpeech = 0;            ///< probability that the first window holds no speech
    double meanLogProbability = 0;  ///< of the tokens; 0 when there are none
    std::size_t tokenCount = 0;

    friend bool operator==(const RecognizedSpeech&, const RecognizedSpeech&) = default;
};

struct PromptState;

/// Gets the text so far; called inside recognize(). With one beam each text begins with the one
/// before.
using PartialTextHandler = std::function<void(const std::string& text)>;

/// How a clip is recognised. Threads: value.
struct RecognizeOptions {
    PartialTextHandler partial;  ///< may be empty
    std::stop_token stop;        ///< looked at between two tokens
    /// Texts that are followed at once, 1…kMostBeams; 1 takes the best token each time.
    std::size_t beamCount = 1;
    /// Gets what another process needs to go on: after each window of the clip, and inside one when
    /// `keepEvery` has passed. May be empty.
    std::function<void(const PromptState&)> keep;
    Duration keepEvery = std::chrono::seconds(2);
    /// Where a recogniser of this model has left this clip; null: from the beginning.
    const PromptState* resume = nullptr;

    static constexpr std::size_t kMostBeams = 16;
};

/// Speech → text, on one thread. Threads: lane(the executor that made it).
class SpeechRecognizer {
public:
    SpeechRecognizer() = default;
    SpeechRecognizer(const SpeechRecognizer&) = delete;
    SpeechRecognizer& operator=(const SpeechRecognizer&) = delete;
    virtual ~SpeechRecognizer() = default;

    /// The text of mono samples of −1…1 at 16 kHz; none for silence and for noise.
    /// InvalidArgument for samples that are not finite, a beam count out of range, and a state to
    /// resume that is of another model, clip or beam count; Corruption for one that fits in name
    /// but not in shape; Cancelled.
    virtual Result<RecognizedSpeech> recognize(std::span<const float> samples,
                                               const RecognizeOptions& options) = 0;

    /// Most bytes beyond the weights that a call took at once so far, as the backend's allocator
    /// counts them; 0: not known.
    virtual std::uint64_t peakBytes() const { return 0; }
};

/// A recogniser's weights, loaded once and shared. Threads: safe; a recogniser that it makes
/// belongs to one executor.
class SpeechModel {
public:
    SpeechModel() = default;
    SpeechModel(const SpeechModel&) = delete;
    SpeechModel& operator=(const SpeechModel&) = delete;
    virtual ~SpeechModel() = default;

    /// Without a layout.
    virtual const PackInfo& info() const = 0;
    virtual Result<std::unique_ptr<SpeechRecognizer>> makeRecognizer() const = 0;
};

/// Loads the recogniser in a folder; NotFound, Corruption, Unsupported.
using SpeechLoader =
    std::function<Result<std::shared_ptr<const SpeechModel>>(const std::filesystem::path& folder)>;

/// The parts of a prompt after encoding; absent parts are empty spans.
struct QueryParts {
    std::span<const float> text;                    ///< a text row
    std::span<const float> image;                   ///< an image row
    std::vector<std::span<const float>> negatives;  ///< text rows
    double balance = 0.5;                           ///< used when both text and image are present
};

/// A set of models that share one row space. Weights are loaded once and shared.
/// Threads: safe; the encoders it makes belong to one executor each.
class ModelPack {
public:
    ModelPack() = default;
    ModelPack(const ModelPack&) = delete;
    ModelPack& operator=(const ModelPack&) = delete;
    virtual ~ModelPack() = default;

    virtual const PackInfo& info() const = 0;

    virtual Result<std::unique_ptr<ImageEncoder>> makeImageEncoder(
        EncoderOptions options) const = 0;
    virtual Result<std::unique_ptr<TextEncoder>> makeTextEncoder(EncoderOptions options) const = 0;

    /// Folds the parts into one FP32 query of layout.dim numbers, so that a picture's score is one
    /// dot product: balance, negatives (weight −0.5) and colour words are inside.
    /// InvalidArgument when neither text nor image is there.
    virtual Result<std::vector<float>> makeQuery(const QueryParts& parts) const = 0;
};

/// Loads the pack in a folder; given to the engine by the composition root, so that nothing above
/// core/inference names a backend. NotFound, Corruption, Unsupported.
using PackLoader =
    std::function<Result<std::shared_ptr<const ModelPack>>(const std::filesystem::path& folder)>;

}  // namespace bifocal
