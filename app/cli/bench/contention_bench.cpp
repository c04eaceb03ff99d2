// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/contention_bench.h"

#include "app/cli/bench/batch_feeder.h"
#include "app/cli/bench/engine_bench.h"
#include "app/cli/bench/machine.h"
#include "app/cli/bench/temporary_folder.h"
#include "app/cli/load/estimate.h"
#include "app/cli/load/prompt_source.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr double kPromptsPerSecond = 5;
constexpr double kRatioTarget = 1.5;
constexpr double kShareTarget = 0.9;
constexpr double kSettleSeconds = 1;  ///< until the batch lanes are full
constexpr std::size_t kBatchFolderCount = 2;
constexpr std::size_t kPicturesPerBatchFolder = 120;
constexpr std::size_t kPromptPictureCount = 40;

/// Seconds of each part. Threads: value.
struct ContentionPlan {
    double idle;
    double alone;
    double both;
};
constexpr ContentionPlan kShortPlan{11, 7, 22};  // 12, 8 and 24 would not leave 45 s to the bench
constexpr ContentionPlan kFullPlan{48, 32, 96};

LoadMix halfAndHalf() {
    LoadMix mix;
    mix.weights = {1, 1, 0};
    return mix;
}

std::vector<double> msOfKind(const LoadRun& run, LoadKind kind) {
    std::vector<double> ms;
    for (const LoadSample& sample : run.samples) {
        if (sample.kind == kind) {
            ms.push_back(sample.ms);
        }
    }
    return ms;
}

void addRatioRows(const ContentionFigures& figures, LoadKind kind, BenchReport& report) {
    const std::string name = toString(kind);
    const std::vector<double> idle = msOfKind(figures.idle, kind);
    const std::vector<double> both = msOfKind(figures.both, kind);
    const LoadRun& worse = figures.idle.refusal ? figures.idle : figures.both;
    if (worse.refusal) {
        report.leftOut.push_back({name + "_p95_ratio", *worse.refusal});
        return;
    }
    const std::size_t fewest = fewestSamples(0.95);
    if (idle.size() < fewest || both.size() < fewest) {
        report.leftOut.push_back({name + "_p95_ratio",
                                  std::to_string(std::min(idle.size(), both.size())) +
                                      " prompts are too few for a P95"});
        return;
    }
    const double idleP95 = quantile(idle, 0.95);
    const double bothP95 = quantile(both, 0.95);
    report.rows.push_back(
        {name + "_p95_ratio", bothP95 / idleP95, "times idle", Better::Lower, kRatioTarget});
    report.rows.push_back({name + "_idle_p95", idleP95, "ms"});
    report.rows.push_back({name + "_both_p95", bothP95, "ms"});
    report.rows.push_back({name + "_idle_p50", quantile(idle, 0.5), "ms"});
    report.rows.push_back({name + "_both_p50", quantile(both, 0.5), "ms"});
}

/// The library's own pictures, which the prompts show; settled when it returns.
Result<void> indexOnce(Engine& engine, const std::filesystem::path& folder) {
    BenchReport ignored;
    return measureIndexRate(engine, folder, ignored);
}

Duration toDuration(double seconds) {
    return Duration(static_cast<Duration::rep>(seconds * 1e9));
}

double secondsSince(TimePoint begin, const Clock& clock) {
    return std::chrono::duration<double>(clock.now() - begin).count();
}

Result<LoadRun> promptsFor(double seconds, Engine& engine, PromptSource& source) {
    SteadyPacer pacer;
    OpenLoop loop(pacer, kPromptsPerSecond);
    loop.inject(makeArrivals(kPromptsPerSecond, seconds, halfAndHalf(), 1),
                startOn(engine, source));
    return loop.finish();
}

/// Pictures per second that the feeder settled while `during` ran.
template <typename During>
auto withRate(const BatchFeeder& feeder, double& rate, During during) {
    const SteadyClock clock;
    const TimePoint begin = clock.now();
    const std::uint64_t before = feeder.doneCount();
    auto outcome = during();
    rate = static_cast<double>(feeder.doneCount() - before) / secondsSince(begin, clock);
    return outcome;
}

Result<ContentionFigures> measureContention(const BenchSetup& setup,
                                            const ContentionPlan& plan,
                                            Engine& engine,
                                            std::vector<std::filesystem::path> batchFolders) {
    ContentionFigures figures;
    BIFOCAL_TRY(PromptSource source, PromptSource::ofLibrary(engine));
    BIFOCAL_CHECK(warmUp(engine, source, halfAndHalf()));
    setup.announce("prompts alone");
    BIFOCAL_TRY(figures.idle, promptsFor(plan.idle, engine, source));

    setup.announce("batch alone");
    BIFOCAL_TRY(const std::unique_ptr<BatchFeeder> feeder,
                BatchFeeder::start(engine, std::move(batchFolders)));
    if (!feeder->awaitDone(1)) {
        return feeder->stop().error();
    }
    SteadyPacer pacer;
    pacer.waitUntil(pacer.now() + toDuration(kSettleSeconds));
    withRate(*feeder, figures.batchAlone, [&] {
        pacer.waitUntil(pacer.now() + toDuration(plan.alone));
        return true;
    });

    setup.announce("both");
    BIFOCAL_TRY(figures.both, withRate(*feeder, figures.batchBoth, [&] {
                    return promptsFor(plan.both, engine, source);
                }));
    BIFOCAL_CHECK(feeder->stop());
    return figures;
}

}  // namespace

void addContentionRows(const ContentionFigures& figures, BenchReport& report) {
    addRatioRows(figures, LoadKind::Text, report);
    addRatioRows(figures, LoadKind::Image, report);
    if (figures.batchAlone <= 0) {
        report.leftOut.push_back({"batch_share", "nothing was indexed"});
        return;
    }
    report.rows.push_back({"batch_share",
                           figures.batchBoth / figures.batchAlone,
                           "of alone",
                           Better::Higher,
                           kShareTarget});
    report.rows.push_back({"batch_alone", figures.batchAlone, "pictures/s", Better::Higher});
    report.rows.push_back({"batch_both", figures.batchBoth, "pictures/s", Better::Higher});
}

Result<BenchReport> runContentionBench(const BenchSetup& setup) {
    BenchReport report = reportOf("contention");
    BIFOCAL_TRY(const TemporaryFolder temporary, TemporaryFolder::make());
    const std::filesystem::path prompts = temporary.path() / "prompts";
    BIFOCAL_CHECK(copyPictures(setup.collection, kPromptPictureCount, prompts));
    std::vector<std::filesystem::path> batchFolders;
    for (std::size_t i = 0; i < kBatchFolderCount; ++i) {
        batchFolders.push_back(temporary.path() / ("batch" + std::to_string(i)));
        BIFOCAL_CHECK(copyPictures(setup.collection, kPicturesPerBatchFolder, batchFolders.back()));
    }
    BIFOCAL_TRY(const std::unique_ptr<Engine> engine,
                setup.openEngine(temporary.path() / "library"));
    BIFOCAL_CHECK(indexOnce(*engine, prompts));
    const ContentionPlan& plan = setup.length == BenchLength::Full ? kFullPlan : kShortPlan;
    BIFOCAL_TRY(const ContentionFigures figures,
                measureContention(setup, plan, *engine, std::move(batchFolders)));
    addContentionRows(figures, report);
    return report;
}

}  // namespace bifocal::cli
