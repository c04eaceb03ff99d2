// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bifocal {

/// What a clip sounds like, from the energies of its 32 ms frames alone.
enum class SoundKind : std::uint8_t {
    Silence = 1,  ///< nothing is as loud as a whisper near a microphone (−55 dB of full scale)
    Steady,       ///< one loudness all the time, as noise, hum and tones have it; no voice does
    Varied,       ///< speech, maybe
};

/// Samples of −1…1 at kSpeechSampleRate. A clip shorter than four frames is judged by loudness
/// alone. Threads: value.
SoundKind kindOfSound(std::span<const float> samples);

/// Where to cut a clip that is longer than `most` samples: after so many of them, in the middle of
/// the quietest frame of the last 5 seconds before `most`; all of a shorter clip. Threads: value.
std::size_t windowSize(std::span<const float> samples, std::size_t most);

}  // namespace bifocal
