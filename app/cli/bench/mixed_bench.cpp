// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/mixed_bench.h"

#include "app/cli/bench/machine.h"
#include "app/cli/bench/speech_clips.h"
#include "core/base/clock.h"
#include "core/inference/manifest.h"
#include "core/inference/torch/torch_packs.h"
#include "core/profile/profiler.h"
#include "core/schedule/scheduler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <malloc.h>

namespace bifocal::cli {
namespace {

constexpr std::size_t kBatch = 8;
constexpr int kSide = 320;
constexpr double kClaimedSpeedGain = 31.7;
constexpr double kClaimedMemorySaving = 42.0;

/// How much of both, and how often.
struct MixedPlan {
    std::size_t batches;
    std::size_t clips;
    std::size_t rounds;
};
constexpr MixedPlan kShortPlan{28, 28, 2};
constexpr MixedPlan kFullPlan{80, 80, 5};

/// What both ways work on. Threads: value.
struct MixedWork {
    std::shared_ptr<const ModelPack> pack;
    std::shared_ptr<const SpeechModel> speech;
    std::vector<ImageBuffer> pictures;
    std::vector<SpeechClip> clips;
    MixedPlan plan;
    unsigned cores;
};

/// One way, once.
struct MixedRun {
    double seconds = 0;
    double idleMegabytes = 0;  ///< resident before: both models' weights
    std::optional<double> peakMegabytes;
};

/// One executor's own models, made when it needs them. Threads: compatible.
class Hands {
public:
    explicit Hands(const MixedWork& work) : work_(work) {}

    Result<void> encodeBatch() {
        if (!images_) {
            BIFOCAL_TRY(images_, work_.pack->makeImageEncoder({1}));
        }
        std::vector<ImageView> views;
        for (const ImageBuffer& picture : work_.pictures) {
            views.push_back(picture.view());
        }
        std::vector<float> rows(views.size() * work_.pack->info().layout.dim);
        return images_->encode(views, rows, {});
    }

    Result<void> recognize(std::size_t index) {
        if (!speech_) {
            BIFOCAL_TRY(speech_, work_.speech->makeRecognizer());
        }
        const SpeechClip& clip = work_.clips[index % work_.clips.size()];
        BIFOCAL_CHECK(speech_->recognize(clip.samples, {}));
        return {};
    }

private:
    const MixedWork& work_;
    std::unique_ptr<ImageEncoder> images_;
    std::unique_ptr<SpeechRecognizer> speech_;
};

/// The first error of several threads. Threads: safe.
class FirstError {
public:
    void note(const Result<void>& outcome) {
        if (!outcome) {
            const std::lock_guard lock(mutex_);
            error_ = error_ ? error_ : std::optional(outcome.error());
        }
    }
    Result<void> get() const {
        const std::lock_guard lock(mutex_);
        return error_ ? Result<void>(*error_) : Result<void>();
    }

private:
    mutable std::mutex mutex_;
    std::optional<Error> error_;
};

Result<void> runPlainThreads(const MixedWork& work) {
    std::atomic<std::size_t> nextBatch{0};
    std::atomic<std::size_t> nextClip{0};
    FirstError error;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < work.cores; ++i) {
        threads.emplace_back([&] {
            Hands hands(work);
            while (nextBatch++ < work.plan.batches) {
                error.note(hands.encodeBatch());
            }
        });
        threads.emplace_back([&] {
            Hands hands(work);
            for (std::size_t clip = nextClip++; clip < work.plan.clips; clip = nextClip++) {
                error.note(hands.recognize(clip));
            }
        });
    }
    threads.clear();
    return error.get();
}

Result<void> runScheduled(const MixedWork& work) {
    const SteadyClock clock;
    profile::Profiler profiler(clock);
    schedule::SchedulerConfig config;
    schedule::LaneConfig lane;
    lane.name = "mixed";
    lane.workers.assign(work.cores, {});
    config.lanes.push_back(std::move(lane));
    FirstError error;
    std::vector<std::unique_ptr<Hands>> hands;
    for (unsigned i = 0; i < work.cores; ++i) {
        hands.push_back(std::make_unique<Hands>(work));
    }
    std::latch left(static_cast<std::ptrdiff_t>(work.plan.batches + work.plan.clips));
    const auto scheduler =
        schedule::makeScheduler(config, schedule::makeDeadlinePolicy(), clock, profiler);
    const auto enqueue = [&](const char* stage, Urgency urgency, auto body) {
        schedule::TaskSpec spec;
        spec.stage = stage;
        spec.urgency = urgency;
        const auto accepted =
            scheduler->enqueue(spec,
                               schedule::makeWork(
                                   [&, body](const schedule::WorkerContext& worker) {
                                       error.note(body(*hands[worker.worker]));
                                       left.count_down();
                                   },
                                   [&](schedule::Abandoned /*why*/) { left.count_down(); }));
        if (!accepted) {
            error.note(accepted.error());
            left.count_down();
        }
    };
    for (std::size_t i = 0; i < std::max(work.plan.batches, work.plan.clips); ++i) {
        if (i < work.plan.batches) {
            enqueue("encode_image", Urgency::Batch, [](Hands& own) { return own.encodeBatch(); });
        }
        if (i < work.plan.clips) {
            enqueue(
                "recognize", Urgency::Interactive, [i](Hands& own) { return own.recognize(i); });
        }
    }
    left.wait();
    return error.get();
}

/// Lets the kernel's peak begin anew at what is resident now.
bool resetPeak() {
    ::malloc_trim(0);
    std::ofstream file("/proc/self/clear_refs");
    file << "5";
    return static_cast<bool>(file.flush());
}

Result<MixedRun> measureRun(const MixedWork& work, Result<void> (*way)(const MixedWork&)) {
    const bool hasPeak = resetPeak();
    const double idle = static_cast<double>(profile::residentBytes()) / 1e6;
    const SteadyClock clock;
    const TimePoint begin = clock.now();
    BIFOCAL_CHECK(way(work));
    MixedRun run;
    run.seconds = std::chrono::duration<double>(clock.now() - begin).count();
    run.idleMegabytes = idle;
    if (hasPeak) {
        run.peakMegabytes = static_cast<double>(profile::peakResidentBytes()) / 1e6;
    }
    return run;
}

std::vector<ImageBuffer> noisyPictures() {
    std::mt19937 random(20'268);
    std::vector<ImageBuffer> pictures(kBatch);
    for (ImageBuffer& picture : pictures) {
        picture.width = kSide;
        picture.height = kSide;
        picture.rgba.resize(std::size_t{4} * kSide * kSide);
        std::generate(picture.rgba.begin(), picture.rgba.end(), [&] {
            return static_cast<std::uint8_t>(random());
        });
    }
    return pictures;
}

double medianOf(const std::vector<MixedRun>& runs, double (*value)(const MixedRun&)) {
    std::vector<double> values;
    std::transform(runs.begin(), runs.end(), std::back_inserter(values), value);
    return median(values);
}

void addRows(const MixedWork& work,
             const std::vector<MixedRun>& plain,
             const std::vector<MixedRun>& scheduled,
             BenchReport& report) {
    const auto seconds = [](const MixedRun& run) { return run.seconds; };
    const double plainSeconds = medianOf(plain, seconds);
    const double scheduledSeconds = medianOf(scheduled, seconds);
    const auto pictures = static_cast<double>(work.plan.batches * kBatch);
    const auto clips = static_cast<double>(work.plan.clips);
    report.rows.push_back({"mixed_speed_gain",
                           100.0 * (plainSeconds / scheduledSeconds - 1.0),
                           "%",
                           Better::Higher,
                           std::nullopt,
                           BenchPeer{"claimed for ResNet-50 and GPT-3", kClaimedSpeedGain}});
    report.rows.push_back(
        {"plain_pictures", pictures / plainSeconds, "pictures/s", Better::Higher});
    report.rows.push_back({"plain_clips", clips / plainSeconds, "clips/s", Better::Higher});
    report.rows.push_back(
        {"scheduled_pictures", pictures / scheduledSeconds, "pictures/s", Better::Higher});
    report.rows.push_back({"scheduled_clips", clips / scheduledSeconds, "clips/s", Better::Higher});
    if (!plain.front().peakMegabytes) {
        report.leftOut.push_back(
            {"mixed_memory_saving", "this system does not let a process reset its peak"});
        return;
    }
    const auto peak = [](const MixedRun& run) { return run.peakMegabytes.value_or(0); };
    const double plainPeak = medianOf(plain, peak);
    const double scheduledPeak = medianOf(scheduled, peak);
    const auto extra = [](const MixedRun& run) {
        return run.peakMegabytes.value_or(0) - run.idleMegabytes;
    };
    const double plainExtra = medianOf(plain, extra);
    const double scheduledExtra = medianOf(scheduled, extra);
    report.rows.push_back({"mixed_memory_saving",
                           100.0 * (1.0 - scheduledPeak / plainPeak),
                           "%",
                           Better::Higher,
                           std::nullopt,
                           BenchPeer{"claimed for ResNet-50 and GPT-3", kClaimedMemorySaving}});
    report.rows.push_back({"plain_peak", plainPeak, "MB resident, weights too"});
    report.rows.push_back({"scheduled_peak", scheduledPeak, "MB resident, weights too"});
    report.rows.push_back({"plain_extra", plainExtra, "MB more than before it began"});
    report.rows.push_back({"scheduled_extra", scheduledExtra, "MB more than before it began"});
}

}  // namespace

Result<BenchReport> runMixedBench(const BenchSetup& setup) {
    BenchReport report = reportOf("mixed");
    if (!std::filesystem::exists(setup.speechFolder / kManifestName)) {
        report.leftOut.push_back(
            {"mixed_speed_gain", "no recogniser is prepared: ./run --with-speech"});
        return report;
    }
    if (!setup.clips) {
        // Nothing but speech makes the decoder write: what is no speech ends before its first word.
        report.leftOut.push_back(
            {"mixed_speed_gain", "no clips: name a folder of WAV files with --clips"});
        return report;
    }
    setup.announce("loading both models");
    MixedWork work;
    BIFOCAL_TRY(work.pack, torch_backend::loadPack(setup.packFolder));
    BIFOCAL_TRY(work.speech, torch_backend::loadSpeech(setup.speechFolder));
    work.pictures = noisyPictures();
    work.plan = setup.length == BenchLength::Full ? kFullPlan : kShortPlan;
    work.cores = std::max(1U, std::thread::hardware_concurrency());
    BIFOCAL_TRY(const std::vector<SpokenClip> clips, readSpokenClips(*setup.clips));
    for (const SpokenClip& clip : clips) {
        work.clips.push_back(clip.clip);
    }
    if (work.clips.empty()) {
        report.leftOut.push_back({"mixed_speed_gain", "the folder holds no clip with a text"});
        return report;
    }
    std::vector<MixedRun> plain;
    std::vector<MixedRun> scheduled;
    for (std::size_t round = 0; round < work.plan.rounds; ++round) {
        setup.announce("on the scheduler");
        BIFOCAL_TRY(MixedRun one, measureRun(work, runScheduled));
        scheduled.push_back(one);
        setup.announce("plain threads");
        BIFOCAL_TRY(MixedRun other, measureRun(work, runPlainThreads));
        plain.push_back(other);
    }
    addRows(work, plain, scheduled, report);
    return report;
}

}  // namespace bifocal::cli
