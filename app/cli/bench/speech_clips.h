// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/prompt/prompt.h"

#include <filesystem>
#include <string>
#include <vector>

namespace bifocal::cli {

/// A clip and what is said in it. Threads: value.
struct SpokenClip {
    std::string name;
    SpeechClip clip;
    std::vector<std::string> words;  ///< as comparedWords() gives them

    double seconds() const;
};

/// The WAV files of a folder that its file "texts.txt" has a text of at least four words for, up to
/// 8 seconds long, by name. NotFound, naming the file; the errors of readSpeech().
Result<std::vector<SpokenClip>> readSpokenClips(const std::filesystem::path& folder);

}  // namespace bifocal::cli
