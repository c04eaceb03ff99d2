// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/path_text.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/inference/prompt_state.h"
#include "core/inference/torch/torch_packs.h"
#include "core/prompt/sound_file.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli transcribe - write down what is said in sound files

usage: bifocal-cli transcribe FILE.wav... [--beams N] [--json] [--packs P]
       bifocal-cli transcribe FILE.wav --state S [--beams N] [--json] [--packs P]

Reads WAV files: PCM of 16 bits or floats of 32, any rate and length. One line a file; a file in
which nobody speaks gives an empty text. The recogniser must be prepared: ./run --with-speech, or
bifocal-cli models prepare whisper.

  --beams N   follow the N most probable texts at once, 1 to 16 (default 1; 5 make a tenth
              fewer errors in 1.6 times the time)
  --state S   keep in the file S, every two seconds, what is needed to go on, and say so on
              standard error: started again after it was stopped, the command goes on there, and
              the text is the same; when the text is complete, S is removed. A state of another
              sound, model or --beams is refused
  --packs P   the packs folder (BIFOCAL_PACKS, else the user's data folder)
  --json      one JSON object a line and file on standard output

JSON: {"path":"","text":"","seconds":0.0,"ms":0.0,"no_speech":0.0,"log_probability":0.0,
       "tokens":0,"resumed_at":0.0} or {"path":"","error":{"code":"","message":""}}
)";

struct Transcript {
    RecognizedSpeech speech;
    double seconds = 0;    ///< of the clip
    double ms = 0;         ///< of the recogniser
    double resumedAt = 0;  ///< seconds of the clip that were read before
};

struct Plan {
    std::size_t beamCount = 1;
    std::filesystem::path state;  ///< empty: nothing is kept
};

/// Minutes and seconds of so many samples.
std::string clockTime(std::uint64_t samples) {
    const std::uint64_t seconds = samples / kSpeechRate;
    const std::string rest = std::to_string(seconds % 60);
    return std::to_string(seconds / 60) + (rest.size() == 1 ? ":0" : ":") + rest;
}

/// What was kept by an earlier run; none when there is no such file.
Result<std::optional<PromptState>> keptState(const std::filesystem::path& file) {
    const auto bytes = readFile(file);
    if (!bytes) {
        return bytes.error().code == ErrorCode::NotFound
                   ? Result<std::optional<PromptState>>(std::nullopt)
                   : bytes.error();
    }
    auto state = parsePromptState(*bytes);
    if (!state) {
        return state.error().withContext(file.string());
    }
    return std::optional(*std::move(state));
}

Result<Transcript> transcribe(SpeechRecognizer& recognizer,
                              const std::string& file,
                              const Plan& plan) {
    BIFOCAL_TRY(const SpeechClip clip, readSpeech(file));
    Transcript transcript;
    RecognizeOptions options;
    options.beamCount = plan.beamCount;
    std::optional<PromptState> left;
    Result<void> written;
    if (!plan.state.empty()) {
        BIFOCAL_TRY(left, keptState(plan.state));
        options.keep = [&](const PromptState& state) {
            if (!written) {
                return;
            }
            written = writeFileAtomically(plan.state, toBytes(state));
            if (written) {
                std::cerr << "kept at " << clockTime(state.windowBegin) << " of "
                          << clockTime(clip.samples.size()) << std::endl;
            }
        };
    }
    if (left) {
        options.resume = &*left;
        std::cerr << "going on at " << clockTime(left->windowBegin) << std::endl;
        transcript.resumedAt = static_cast<double>(left->windowBegin) / kSpeechRate;
    }
    const SteadyClock clock;
    const TimePoint begin = clock.now();
    auto speech = recognizer.recognize(clip.samples, options);
    if (!speech) {
        return left ? speech.error().withContext(plan.state.string()) : speech.error();
    }
    transcript.speech = *std::move(speech);
    transcript.ms = std::chrono::duration<double, std::milli>(clock.now() - begin).count();
    transcript.seconds = static_cast<double>(clip.samples.size()) / kSpeechRate;
    BIFOCAL_CHECK(written);
    std::error_code ignored;
    std::filesystem::remove(plan.state, ignored);
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
        line["resumed_at"] = transcript->resumedAt;
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
    Plan plan;
    BIFOCAL_TRY(const long beams, arguments.integer("--beams", 1, 1, RecognizeOptions::kMostBeams));
    plan.beamCount = static_cast<std::size_t>(beams);
    plan.state = arguments.value("--state").value_or("");
    if (!plan.state.empty() && arguments.words().size() > 1) {
        return Error{ErrorCode::InvalidArgument, "transcribe: --state is for one sound file"};
    }
    BIFOCAL_TRY(const auto model, torch_backend::loadSpeech(speechFolder(arguments)));
    BIFOCAL_TRY(const std::unique_ptr<SpeechRecognizer> recognizer, model->makeRecognizer());
    int exitCode = kExitDone;
    for (const std::string& file : arguments.words()) {
        const Result<Transcript> transcript = transcribe(*recognizer, file, plan);
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
            {{"--packs"}, {"--beams"}, {"--state"}, {"--json", OptionSpec::Value::None}},
            run};
}

}  // namespace bifocal::cli
