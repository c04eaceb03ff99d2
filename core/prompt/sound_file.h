// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/prompt/prompt.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace bifocal {

/// Samples a second of a SpeechClip.
inline constexpr std::uint32_t kSpeechRate = 16'000;

/// A WAV file (RIFF, little-endian) as a clip: PCM of 16 bits or IEEE floats of 32, one to 8
/// channels (their mean is taken), 4,000 to 192,000 samples a second. Corruption for a file that
/// contradicts itself or is cut off before its first sample; Unsupported for any other coding.
/// A data chunk that is longer than the file, as streaming programs write it, ends with the file.
/// Threads: value.
Result<SpeechClip> parseWav(std::span<const std::uint8_t> bytes);

/// parseWav() of a file of at most 512 MB. NotFound, ResourceExhausted.
Result<SpeechClip> readSpeech(const std::filesystem::path& path);

/// Another rate, by a windowed sinc of 32 zero crossings (Kaiser, β = 8) that passes what both
/// rates can carry: out.size() = ⌈samples.size() · to / from⌉. Requires: rates > 0.
/// Threads: value.
std::vector<float> resample(std::span<const float> samples, std::uint32_t from, std::uint32_t to);

}  // namespace bifocal
