// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/label_mixture.h"
#include "core/inference/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal {

// The Whisper architecture: an encoder over the log-mel spectrogram of at most 30 seconds, and a
// decoder that writes one token after another (Radford et al., Robust Speech Recognition via
// Large-Scale Weak Supervision, 2022). Everything about it that needs no LibTorch is here;
// core/inference/torch runs it, models/convert writes its files.

/// PackManifest::architecture of such a pack.
inline constexpr const char* kWhisper = "whisper-1";

inline constexpr const char* kSpeechTensors = "speech.safetensors";
inline constexpr const char* kSpeechVocabulary = "vocabulary.txt";
inline constexpr const char* kSpeechTokens = "tokens.json";

inline constexpr std::size_t kSpeechSampleRate = 16'000;
inline constexpr std::size_t kWhisperHeadWidth = 64;         ///< of every size
inline constexpr std::size_t kWhisperAudioPositions = 1500;  ///< 30 seconds, 50 a second
inline constexpr std::size_t kWhisperTextPositions = 448;
inline constexpr std::size_t kMelsPerPosition = 2;

/// How large a Whisper is. Threads: value.
struct WhisperShape {
    std::size_t width = 0;  ///< a multiple of kWhisperHeadWidth
    std::size_t encoderLayers = 0;
    std::size_t decoderLayers = 0;
    std::size_t melCount = 0;
    std::size_t vocabularySize = 0;

    std::size_t heads() const { return width / kWhisperHeadWidth; }
    friend bool operator==(const WhisperShape&, const WhisperShape&) = default;
};

/// The shape that a file's tensors have. Corruption when they are not one Whisper, all of one type
/// (FP16 or FP32), naming the tensor that is missing, misshapen or unexpected.
Result<WhisperShape> whisperShape(const Safetensors& tensors);

/// Contents of kSpeechTensors, with the names of the Hugging Face files.
std::vector<TensorSpec> whisperTensors(const WhisperShape& shape, TensorType type);

/// The ids with a meaning of their own. Threads: value.
struct WhisperTokens {
    std::int32_t end = 0;                       ///< the text is over
    std::int32_t noSpeech = 0;                  ///< its probability after the first prompt token
    std::int32_t firstTimestamp = 0;            ///< from here on: times, never text
    std::vector<std::int32_t> prompt;           ///< what the decoder is given to begin with
    std::vector<std::int32_t> suppressed;       ///< never written
    std::vector<std::int32_t> suppressedFirst;  ///< not written as the first token

    friend bool operator==(const WhisperTokens&, const WhisperTokens&) = default;
};

/// Contents of kSpeechTokens. Corruption, naming the field, for anything that is missing, repeated
/// or outside a vocabulary of `vocabularySize` tokens. Threads: value.
Result<WhisperTokens> parseWhisperTokens(std::string_view json, std::size_t vocabularySize);
std::string toJson(const WhisperTokens& tokens);

}  // namespace bifocal
