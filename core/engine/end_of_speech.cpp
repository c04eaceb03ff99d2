// SPDX-License-Identifier: Apache-2.0
#include "core/engine/end_of_speech.h"

#include <algorithm>
#include <cmath>

namespace bifocal {
namespace {

constexpr double kAboveFloor = 9.0;
constexpr double kFaintest = -50.0;       // a whisper near a microphone; below it nobody speaks
constexpr double kFloorRise = 0.06;       // decibels a frame: 2 a second
constexpr double kLeastEnergy = 1e-12;    // −120 dB
constexpr std::size_t kLoudFrames = 3;    // 0.1 s: no click is that long
constexpr std::size_t kQuietFrames = 22;  // 0.7 s

}  // namespace

EndOfSpeech::State EndOfSpeech::feed(std::span<const float> samples) {
    for (const float sample : samples) {
        energy_ += static_cast<double>(sample) * static_cast<double>(sample);
        if (++filled_ == kFrameSamples) {
            endFrame();
        }
    }
    return state_;
}

void EndOfSpeech::endFrame() {
    const double mean = energy_ / static_cast<double>(kFrameSamples);
    decibel_ = 10.0 * std::log10(std::max(kLeastEnergy, mean));
    energy_ = 0;
    filled_ = 0;
    floor_ = hasFloor_ ? std::min(decibel_, floor_ + kFloorRise) : decibel_;
    hasFloor_ = true;
    const bool isLoud = decibel_ > std::max(floor_ + kAboveFloor, kFaintest);
    loudFrames_ = isLoud ? loudFrames_ + 1 : 0;
    quietFrames_ = isLoud ? 0 : quietFrames_ + 1;
    if (state_ == State::Waiting && loudFrames_ >= kLoudFrames) {
        state_ = State::Speaking;
    } else if (state_ == State::Speaking && quietFrames_ >= kQuietFrames) {
        state_ = State::Ended;
    }
}

}  // namespace bifocal
