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
    std::vector<std::string> types;  ///< extensions without the dot, in any case; jpg is jpeg
    std::uint64_t smallestBytes = 0;
    std::optional<std::uint64_t> largestBytes;
    std::filesystem::path folder;  ///< absolute: files in it and below; empty: anywhere
};

/// Whether the filters that look at a file alone (types, bytes, folder) let it through.
bool passesFile(const Filters& filters, const std::filesystem::path& path, std::uint64_t bytes);

/// The order in which the best results are shown; which ones they are does not depend on it.
enum class SortOrder : std::uint8_t { Best = 1, Newest, Oldest, Largest, Smallest, Name };

/// The weakest match that is shown; each level shows a part of what the one before it shows.
enum class Strictness : std::uint8_t { Any = 1, Fair, Strong };

/// What a person asks for. Threads: value.
struct Prompt {
    std::string text;  ///< UTF-8; may be empty when there is an image
    std::optional<ImageSource> image;
    std::optional<SpeechClip> speech;
    std::vector<std::string> negatives;  ///< "less like this", in words
    double balance = 0.5;   ///< 0 words only … 1 looks only; used when both are present
    double nameWeight = 1;  ///< of file and folder names beside the vectors; 0: none
    int resultCount = 50;   ///< k
    Filters filters;
    Strictness strictness = Strictness::Any;
    SortOrder order = SortOrder::Best;
    Urgency urgency = Urgency::Interactive;
};

/// Which lenses a prompt uses.
enum class PromptMode : std::uint8_t { TextOnly = 1, ImageOnly, Fused };

/// The prompt as it will be run.
/// - Text and negatives: runs of Unicode white space become one space and the ends are trimmed; NUL
///   and other control characters, byte order marks and ill-formed UTF-8 are removed.
/// - `-word` and `-"two words"` at the beginning of a word of the text move to the end of
///   `negatives`, without the punctuation behind the word. The minus may be typed as - − or －, the
///   quotes as " or “ ”; a quote that is still open reaches to the end of the text. Not moved:
///   `t-shirt`, `--word`, a minus before a digit (a number) and a minus on its own.
/// - Negatives without a visible sign, and repeated ones, are dropped.
struct NormalizedPrompt {
    Prompt prompt;
    PromptMode mode = PromptMode::TextOnly;  ///< speech counts as text
    bool isShortened = false;  ///< text or negatives were over their limits and lost their end
};

inline constexpr int kMaxResultCount = 1000;
inline constexpr std::size_t kMaxPromptBytes = std::size_t{64}
                                               << 10U;  ///< longer text is cut at a character
inline constexpr std::size_t kMaxNegativeCount = 32;  ///< each one costs a run of the text encoder

/// InvalidArgument for an empty prompt (no text that holds a letter, digit or other visible sign,
/// no image, no speech; negatives alone are no prompt, and "-", "+" or "?!" are no text, while "m:"
/// and an emoji are), an empty region, a balance or a weight outside [0, 1], a k outside
/// 1…kMaxResultCount; Unsupported for speech while no recogniser is installed (the engine says so).
/// Text that is no text beside an image is dropped, and the prompt is ImageOnly. Threads: value.
Result<NormalizedPrompt> normalizePrompt(Prompt prompt);

/// Indices into kernels::kColourNames of the colours that `text` names as whole English words
/// ("gray" is grey), each once, ascending. Threads: value.
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

/// Scripts of the letters of `text`, each once, most frequent first (the earlier one when equal);
/// digits and signs have none. Threads: value.
std::vector<Script> scriptsOf(const std::string& text);

/// A name for messages: "Latin", "CJK", …
const char* toString(Script script);

}  // namespace bifocal
