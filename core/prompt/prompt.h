// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/image_buffer.h"
#include "core/base/result.h"
#include "core/base/tracer.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bifocal {

/// A still picture on disk.
struct ImageFile {
    std::filesystem::path path;
};
/// An encoded picture (PNG, JPEG, …) in memory: pasted or dropped data.
struct ImageBytes {
    std::vector<std::uint8_t> bytes;
};
/// One frame of a video.
struct VideoFrame {
    std::filesystem::path path;
    std::chrono::milliseconds time{0};
};

/// Where a prompt's picture comes from, and which part of it is meant. Threads: value.
struct ImageSource {
    std::variant<ImageFile, ImageBytes, ImageBuffer, VideoFrame> source;
    std::optional<PixelRect> region;  ///< in pixels of the upright picture
};

/// Mono PCM, 16 kHz, −1…1.
struct SpeechClip {
    std::vector<float> samples;
};

/// Narrows the candidates before ranking; an empty list narrows nothing. Threads: value.
struct Filters {
    std::vector<CollectionId> collections;
    std::optional<std::chrono::sys_seconds> modifiedAfter;
    std::optional<std::chrono::sys_seconds> modifiedBefore;
};

/// What a person asks for. Threads: value.
struct Prompt {
    std::string text;  ///< UTF-8; may be empty when there is an image
    std::optional<ImageSource> image;
    std::optional<SpeechClip> speech;
    std::vector<std::string> negatives;  ///< "less like this", in words
    double balance = 0.5;  ///< 0 words only … 1 looks only; used when both are present
    int resultCount = 50;  ///< k
    Filters filters;
    Urgency urgency = Urgency::Interactive;
};

/// Which lenses a prompt uses.
enum class PromptMode : std::uint8_t { TextOnly = 1, ImageOnly, Fused };

/// The prompt as it will be run: text trimmed, `−word` moved to the negatives, NUL and control
/// characters removed, mode decided.
struct NormalizedPrompt {
    Prompt prompt;
    PromptMode mode = PromptMode::TextOnly;
};

inline constexpr int kMaxResultCount = 1000;
inline constexpr std::size_t kMaxPromptBytes = 64 * 1024;  ///< longer text is cut at a character

/// InvalidArgument for an empty prompt (no text that holds a letter, digit or other visible sign,
/// no image, no speech), a balance outside [0, 1], a k outside 1…kMaxResultCount; Unsupported for
/// speech while no recogniser is installed (the engine says so). Threads: value.
Result<NormalizedPrompt> normalizePrompt(Prompt prompt);

/// Indices into kernels::kColourNames of the colours that `text` names as whole English words
/// ("gray" is grey), each once, in order. Threads: value.
std::vector<std::size_t> namedColours(const std::string& text);

/// Writing systems, for "can this pack read this prompt?".
enum class Script : std::uint8_t {
    Latin = 1,
    Cjk,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    Indic,
    Thai,
    Other
};

/// Scripts of the letters of `text`, each once, most frequent first; digits and signs have none.
std::vector<Script> scriptsOf(const std::string& text);
const char* toString(Script script);

}  // namespace bifocal
