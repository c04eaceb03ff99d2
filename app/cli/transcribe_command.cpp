// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/path_text.h"
#include "core/base/clock.h"
#include "core/inference/torch/torch_packs.h"
#include "core/prompt/sound_file.h"

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli transcribe - write down what is said in sound files

usage: bifocal-cli transcribe FILE.wav... [--json] [--packs P]

Reads WAV files: PCM of 16 bits or floats of 32, any rate. One line a file; a file in which
nobody speaks gives an empty text. The recogniser must be prepared: ./run --with-speech, or
bifocal-cli models prepare whisper.

  --packs P   the packs folder (BIFOCAL_PACKS, else the user's data folder)
  --json      one JSON object a line and file on standard output

JSON: {"path":"","text":"","seconds":0.0,"ms":0.0,"no_speech":0.0,"log_probability":0.0,
       "tokens":0} or {"path":"","error":{"code":"","message":""}}
)";

struct Transcript {
    RecognizedSpeech speech;
    double seconds = 0;  ///< of the clip
    double ms = 0;       ///< of the recogniser
};

Result<Transcript> transcribe(SpeechRecognizer& recognizer, const std::string& file) {
    BIFOCAL_TRY(const SpeechClip clip, readSpeech(file));
    const SteadyClock clock;
    const TimePoint begin = clock.now();
    Transcript transcript;
    BIFOCAL_TRY(transcript.speech, recognizer.recognize(clip.samples, {}, {}));
    transcript.ms = std::chrono::duration<double, std::milli>(clock.now() - begin).count();
    transcript.seconds = static_cast<double>(clip.samples.size()) / kSpeechRate;
    return transcript;
}

void printJson(const std::string& file, const Result<Transcript>& transcript) {
    nlohmann::json line;
    putPath(line, file);
    if (transcript) {
        line["text"] = transcript->speech.text;
        line["seconds"] = transcript->seconds;
        line["ms"] = transcript->ms;
        line["no_speech"] = transcript->speech.noSpeech;
        line["log_probability"] = transcript->speech.meanLogProbability;
        line["tokens"] = transcript->speech.tokenCount;
    } else {
        line["error"] = {{"code", toString(transcript.error().code)},
                         {"message", transcript.error().message}};
    }
    std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

Result<int> run(const Arguments& arguments) {
    if (arguments.words().empty()) {
        return Error{ErrorCode::InvalidArgument, "transcribe: name a sound file"};
    }
    BIFOCAL_TRY(const auto model, torch_backend::loadSpeech(speechFolder(arguments)));
    BIFOCAL_TRY(const std::unique_ptr<SpeechRecognizer> recognizer, model->makeRecognizer());
    int exitCode = kExitDone;
    for (const std::string& file : arguments.words()) {
        const Result<Transcript> transcript = transcribe(*recognizer, file);
        if (arguments.has("--json")) {
            printJson(file, transcript);
        } else if (transcript) {
            std::cout << printable(file) << ": " << transcript->speech.text << '\n';
        } else {
            std::cerr << "bifocal-cli: " << transcript.error().message << '\n';
        }
        exitCode = transcript ? exitCode : kExitFailed;
    }
    return exitCode;
}

}  // namespace

Command transcribeCommand() {
    return {"transcribe",
            "write down what is said in sound files",
            kManual,
            {{"--packs"}, {"--json", OptionSpec::Value::None}},
            run};
}

}  // namespace bifocal::cli
