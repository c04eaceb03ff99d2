// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/bridge/sound_source.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace bifocal::ui::test {

/// Plays what its test wants. Threads: gui.
class FakeSound final : public SoundSource {
public:
    void start() override {
        ++startCount;
        isOn = true;
        if (fault) {
            isOn = false;
            Q_EMIT failed(*fault);
        }
    }
    void stop() override { isOn = false; }

    /// Seconds of silence, or of a voice of four syllables a second, in chunks of 50 ms.
    void playSilence(double seconds) { play(seconds, 0.0F); }
    void playVoice(double seconds) { play(seconds, 0.2F); }

    int startCount = 0;
    bool isOn = false;
    std::optional<SoundFault> fault;  ///< of the next start()

private:
    void play(double seconds, float loudness) {
        constexpr std::size_t kChunk = 800;
        const auto count = static_cast<std::size_t>(seconds * 16'000) / kChunk;
        for (std::size_t i = 0; i < count && isOn; ++i) {
            std::vector<float> samples(kChunk);
            for (float& sample : samples) {
                const float time = static_cast<float>(played_++) / 16'000.0F;
                const float envelope = std::max(0.0F, std::sin(25.0F * time));
                sample = loudness * envelope * std::sin(900.0F * time);
            }
            Q_EMIT heard(samples);
        }
    }

    std::size_t played_ = 0;
};

}  // namespace bifocal::ui::test
