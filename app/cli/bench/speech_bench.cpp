// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/speech_bench.h"

#include "app/cli/bench/machine.h"
#include "app/cli/bench/speech_clips.h"
#include "app/cli/bench/word_errors.h"
#include "core/base/clock.h"
#include "core/inference/manifest.h"
#include "core/inference/torch/torch_packs.h"
#include "core/prompt/sound_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr double kPromptSeconds = 2.6;
constexpr double kPromptTolerance = 0.3;
constexpr double kPromptTargetMs = 200;
constexpr double kMostWordErrors = 4.5;
constexpr std::size_t kBeams = 5;
constexpr std::size_t kShortClipCount = 110;
constexpr std::size_t kShortRepetitions = 9;
constexpr std::size_t kFullRepetitions = 40;

struct Timed {
    RecognizedSpeech speech;
    double ms = 0;
};

Result<Timed> recognize(SpeechRecognizer& recognizer,
                        const SpeechClip& clip,
                        std::size_t beamCount = 1) {
    const SteadyClock clock;
    const TimePoint begin = clock.now();
    Timed timed;
    BIFOCAL_TRY(timed.speech, recognizer.recognize(clip.samples, {.beamCount = beamCount}));
    timed.ms = std::chrono::duration<double, std::milli>(clock.now() - begin).count();
    return timed;
}

Result<void> measurePrompt(SpeechRecognizer& recognizer,
                           const SpokenClip& clip,
                           std::size_t repetitions,
                           BenchReport& report) {
    std::vector<double> ms;
    for (std::size_t i = 0; i < repetitions; ++i) {
        BIFOCAL_TRY(const Timed timed, recognize(recognizer, clip.clip));
        ms.push_back(timed.ms);
    }
    report.rows.push_back({"prompt_2_6s", median(ms), "ms", Better::Lower, kPromptTargetMs});
    report.rows.push_back({"prompt_2_6s_length", clip.seconds(), "s"});
    return {};
}

struct WordErrors {
    double percent = 0;
    double timeShare = 0;  ///< seconds of the recogniser for one of speech, median
    std::size_t clipCount = 0;
};

Result<WordErrors> countWordErrors(SpeechRecognizer& recognizer,
                                   const std::vector<SpokenClip>& clips,
                                   std::size_t step,
                                   std::size_t beamCount) {
    std::size_t errors = 0;
    std::size_t words = 0;
    std::vector<double> share;
    for (std::size_t i = 0; i < clips.size(); i += step) {
        BIFOCAL_TRY(const Timed timed, recognize(recognizer, clips[i].clip, beamCount));
        errors += wordErrors(clips[i].words, comparedWords(timed.speech.text));
        words += clips[i].words.size();
        share.push_back(timed.ms / 1000 / clips[i].seconds());
    }
    return WordErrors{100.0 * static_cast<double>(errors) / static_cast<double>(words),
                      median(share),
                      share.size()};
}

Result<void> measureWordErrors(SpeechRecognizer& recognizer,
                               const std::vector<SpokenClip>& clips,
                               std::size_t step,
                               BenchReport& report) {
    BIFOCAL_TRY(const WordErrors greedy, countWordErrors(recognizer, clips, step, 1));
    BIFOCAL_TRY(const WordErrors beams, countWordErrors(recognizer, clips, step, kBeams));
    report.rows.push_back({"word_errors",
                           greedy.percent,
                           "%",
                           Better::Lower,
                           kMostWordErrors,
                           BenchPeer{"PocketSphinx on the same clips, measured before", 26}});
    report.rows.push_back(
        {"word_errors_beams", beams.percent, "%, 5 beams", Better::Lower, greedy.percent});
    report.rows.push_back({"clips", static_cast<double>(greedy.clipCount), "", Better::Higher});
    report.rows.push_back({"time_share", greedy.timeShare, "s per second of speech"});
    report.rows.push_back({"time_share_beams", beams.timeShare, "s per second of speech"});
    return {};
}

std::vector<float> noise(std::size_t count, float loudness) {
    std::mt19937 random(20'267);
    std::normal_distribution<float> normal(0, loudness);
    std::vector<float> samples(count);
    std::generate(samples.begin(), samples.end(), [&] { return normal(random); });
    return samples;
}

Result<void> measureQuiet(SpeechRecognizer& recognizer, BenchReport& report) {
    std::size_t texts = 0;
    for (const float loudness : {0.0F, 0.001F, 0.01F, 0.1F}) {
        for (const std::size_t seconds : {1U, 3U, 10U}) {
            BIFOCAL_TRY(const Timed timed,
                        recognize(recognizer, {noise(seconds * kSpeechRate, loudness)}));
            texts += timed.speech.text.empty() ? 0 : 1;
        }
    }
    report.rows.push_back({"quiet_texts", static_cast<double>(texts), "of 12", Better::Lower, 0.0});
    return {};
}

void leaveOut(BenchReport& report,
              std::initializer_list<const char*> rows,
              const std::string& why) {
    for (const char* row : rows) {
        report.leftOut.push_back({row, why});
    }
}

}  // namespace

Result<BenchReport> runSpeechBench(const BenchSetup& setup) {
    BenchReport report = reportOf("speech");
    const bool isFull = setup.length == BenchLength::Full;
    if (!std::filesystem::exists(setup.speechFolder / kManifestName)) {
        leaveOut(report,
                 {"prompt_2_6s", "word_errors", "quiet_texts"},
                 "no recogniser is prepared: ./run --with-speech");
        return report;
    }
    setup.announce("loading the recogniser");
    const SteadyClock clock;
    const TimePoint begin = clock.now();
    BIFOCAL_TRY(const auto model, torch_backend::loadSpeech(setup.speechFolder));
    BIFOCAL_TRY(const auto recognizer, model->makeRecognizer());
    report.rows.push_back(
        {"load", std::chrono::duration<double, std::milli>(clock.now() - begin).count(), "ms"});
    report.rows.push_back({"memory",
                           static_cast<double>(model->info().weightBytes) / 1e6,
                           "MB, as the ledger has it"});
    setup.announce("silence and noise");
    BIFOCAL_CHECK(measureQuiet(*recognizer, report));
    if (!setup.clips) {
        leaveOut(report,
                 {"prompt_2_6s", "word_errors"},
                 "no clips: name a folder of WAV files with --clips");
        return report;
    }
    BIFOCAL_TRY(const std::vector<SpokenClip> clips, readSpokenClips(*setup.clips));
    const auto nearest =
        std::min_element(clips.begin(), clips.end(), [](const SpokenClip& a, const SpokenClip& b) {
            return std::abs(a.seconds() - kPromptSeconds) < std::abs(b.seconds() - kPromptSeconds);
        });
    if (nearest == clips.end()) {
        leaveOut(report, {"prompt_2_6s", "word_errors"}, "the folder holds no clip with a text");
        return report;
    }
    setup.announce("a prompt of 2.6 seconds");
    if (std::abs(nearest->seconds() - kPromptSeconds) <= kPromptTolerance) {
        BIFOCAL_CHECK(measurePrompt(
            *recognizer, *nearest, isFull ? kFullRepetitions : kShortRepetitions, report));
    } else {
        leaveOut(report, {"prompt_2_6s"}, "no clip is about 2.6 seconds long");
    }
    setup.announce("word errors");
    const std::size_t step = isFull ? 1 : (clips.size() + kShortClipCount - 1) / kShortClipCount;
    BIFOCAL_CHECK(measureWordErrors(*recognizer, clips, step, report));
    return report;
}

}  // namespace bifocal::cli
