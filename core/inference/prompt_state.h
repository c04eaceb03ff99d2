// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/beam_search.h"
#include "core/inference/model_pack.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bifocal {

/// Numbers of a decoder's memory, as its backend holds them. Threads: value.
struct CachedTensor {
    std::vector<std::int64_t> shape;
    std::vector<std::uint8_t> bytes;

    friend bool operator==(const CachedTensor&, const CachedTensor&) = default;
};

/// A recognition that was put aside, so that another process can go on and write the very same
/// text. Threads: value.
///
/// The file, little endian: "BFPS", u32 version, then these sections in this order, each
/// char[8] name, u64 bytes, u64 XXH3 of the payload, payload. A string is u32 and its bytes.
///
/// | section | payload |
/// |---|---|
/// | header | string model, u64 clip, u32 beamCount, u64 windowBegin, u64 windowSize |
/// | text | u8 hasText, then of what was understood so far: string, f64 noSpeech, f64 mean log
/// probability, u64 tokens | | mask | u32 count and one byte each: positions of the window that are
/// the clip's; the same for positions of the text that are written | | cache | u32 count, and for
/// each tensor u32 rank, i64 sides, u64 bytes, bytes | | beams | f64 noSpeech of the window, u32
/// live beams, u32 finished ones; for each f64 log probability, u32 tokens, i32 each |
///
/// The mask is kept apart from the numbers it is about, so that damage to one of them is seen as
/// such.
struct PromptState {
    std::string model;       ///< PackInfo::id of the recogniser
    std::uint64_t clip = 0;  ///< clipKey() of all samples
    std::uint32_t beamCount = 1;
    std::uint64_t windowBegin = 0;  ///< samples that were read before
    std::uint64_t windowSize = 0;   ///< samples of the window under way; 0: none is
    bool hasText = false;           ///< a window has ended
    RecognizedSpeech text;          ///< of the windows that have ended
    std::vector<bool> audioMask;
    std::vector<bool> textMask;
    std::vector<CachedTensor> cache;
    double noSpeech = 0;
    std::vector<Beam> live;
    std::vector<Beam> finished;

    friend bool operator==(const PromptState&, const PromptState&) = default;
};

/// What tells one clip from another.
std::uint64_t clipKey(std::span<const float> samples);

std::vector<std::uint8_t> toBytes(const PromptState& state);
/// Corruption, naming the section, for anything that toBytes() does not write; Unsupported for
/// another version.
Result<PromptState> parsePromptState(std::span<const std::uint8_t> bytes);

}  // namespace bifocal
