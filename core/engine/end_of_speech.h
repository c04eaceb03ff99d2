// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bifocal {

/// Follows a microphone and says when somebody has begun to speak and has come to an end, by the
/// loudness of frames of 32 ms alone: a voice is 9 dB above the quiet of the room, which is the
/// least that was heard lately, and 0.7 s without one is the end. Noise that goes on becomes the
/// quiet of the room within seconds. No allocation; microseconds a frame.
/// Threads: compatible.
class EndOfSpeech {
public:
    enum class State : std::uint8_t {
        Waiting = 1,  ///< nobody has spoken yet
        Speaking,     ///< somebody speaks, or pauses for breath
        Ended,        ///< and does not go on; stays so
    };

    /// The next samples of −1…1 at 16 kHz, any number of them.
    State feed(std::span<const float> samples);
    State state() const { return state_; }
    /// Loudness of the last whole frame, decibels of full scale; −120 for silence.
    double decibel() const { return decibel_; }

private:
    static constexpr std::size_t kFrameSamples = 512;

    void endFrame();

    State state_ = State::Waiting;
    double energy_ = 0;  // sum over the frame that is being filled
    std::size_t filled_ = 0;
    double decibel_ = -120;
    double floor_ = 0;
    bool hasFloor_ = false;
    std::size_t loudFrames_ = 0;   // in a row
    std::size_t quietFrames_ = 0;  // in a row, while Speaking
};

}  // namespace bifocal
