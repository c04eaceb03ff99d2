// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/speech_clips.h"

#include "app/cli/bench/word_errors.h"
#include "core/base/files.h"
#include "core/prompt/sound_file.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr double kLongestSeconds = 8;
constexpr std::size_t kLeastWords = 4;
constexpr std::uint64_t kMaxTextBytes = 10'000'000;

}  // namespace

double SpokenClip::seconds() const {
    return static_cast<double>(clip.samples.size()) / kSpeechRate;
}

Result<std::vector<SpokenClip>> readSpokenClips(const std::filesystem::path& folder) {
    BIFOCAL_TRY(const auto bytes, readFile(folder / "texts.txt", kMaxTextBytes));
    const std::string_view lines(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<SpokenClip> clips;
    for (const auto& [name, text] : readTexts(lines)) {
        const std::filesystem::path file = folder / (name + ".wav");
        std::error_code ignored;
        std::vector<std::string> words = comparedWords(text);
        // Square brackets describe sounds, nobody says them.
        if (words.size() < kLeastWords || text.find('[') != std::string::npos ||
            !std::filesystem::exists(file, ignored)) {
            continue;
        }
        BIFOCAL_TRY(SpeechClip clip, readSpeech(file));
        SpokenClip spoken{name, std::move(clip), std::move(words)};
        if (spoken.seconds() <= kLongestSeconds) {
            clips.push_back(std::move(spoken));
        }
    }
    return clips;
}

SpeechClip syntheticVoice(double seconds) {
    constexpr double kTurn = 6.283185307179586;
    constexpr double kSyllablesPerSecond = 4;
    constexpr double kPitch = 130;
    std::mt19937 random(20'266);
    std::normal_distribution<float> noise(0, 0.002F);
    SpeechClip clip;
    clip.samples.resize(static_cast<std::size_t>(seconds * kSpeechRate));
    for (std::size_t i = 0; i < clip.samples.size(); ++i) {
        const double time = static_cast<double>(i) / kSpeechRate;
        double voice = 0;
        for (int overtone = 1; overtone <= 12; ++overtone) {
            voice += std::sin(kTurn * kPitch * overtone * time) / overtone;
        }
        const double envelope = std::max(0.0, std::sin(kTurn * kSyllablesPerSecond / 2 * time));
        clip.samples[i] = static_cast<float>(0.1 * envelope * voice) + noise(random);
    }
    return clip;
}

}  // namespace bifocal::cli
