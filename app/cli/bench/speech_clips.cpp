// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/speech_clips.h"

#include "app/cli/bench/word_errors.h"
#include "core/base/files.h"
#include "core/prompt/sound_file.h"

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

}  // namespace bifocal::cli
