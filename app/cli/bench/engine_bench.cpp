// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/engine_bench.h"

#include "app/cli/command.h"
#include "app/cli/load/prompt_source.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/imaging/decode.h"
#include "core/library/walk.h"
#include "core/pipeline/picture_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr const char* kFoundingText = "a similar style for summer commuting";
constexpr double kSourceFoundingMs = 5000;  ///< "over 5 s on a CPU"
constexpr double kIndexingRatioTarget = 1.5;
constexpr std::size_t kFewestPrompts = 20;  ///< for a P95 that is not just the slowest one
constexpr std::size_t kWarmUpCount = 5;

double millisecondsSince(TimePoint begin, const Clock& clock) {
    return std::chrono::duration<double, std::milli>(clock.now() - begin).count();
}

/// One of the texts, and how long its answer took.
Result<double> askText(Engine& engine, std::size_t number) {
    const SteadyClock clock;
    Prompt prompt;
    prompt.text = demoTexts()[number % demoTexts().size()];
    const TimePoint begin = clock.now();
    BIFOCAL_CHECK(ask(engine, std::move(prompt)));
    return millisecondsSince(begin, clock);
}

Result<void> askIdle(Engine& engine, std::size_t count, std::vector<double>& ms) {
    for (std::size_t i = 0; i < count; ++i) {
        BIFOCAL_TRY(const double time, askText(engine, i));
        ms.push_back(time);
    }
    return {};
}

/// The first answer waits for the models; the next ones for memory that grows once.
Result<void> warmUp(Engine& engine) {
    std::vector<double> ignored;
    return askIdle(engine, kWarmUpCount, ignored);
}

/// An indexing run on its way. Threads: safe; must outlive the run: call finish().
class IndexingRun {
public:
    Result<void> start(Engine& engine, const std::filesystem::path& pictures) {
        BIFOCAL_TRY(const CollectionId collection, engine.addCollection(pictures));
        BIFOCAL_CHECK(engine.startIndexing(collection, [this](const IndexProgress& progress) {
            if (progress.state >= IndexState::Done) {
                isOver_ = true;
                end_.set_value(progress);
            }
        }));
        return {};
    }

    bool isOver() const { return isOver_; }

    Result<IndexSummary> finish() {
        const IndexProgress last = end_.get_future().get();
        if (last.state != IndexState::Done || !last.summary) {
            return last.error.value_or(Error{ErrorCode::Cancelled, "indexing was stopped"});
        }
        return *last.summary;
    }

private:
    std::atomic<bool> isOver_{false};
    std::promise<IndexProgress> end_;
};

}  // namespace

ImageBuffer foundingPicture() {
    constexpr int kWidth = 2560;
    constexpr int kHeight = 1440;
    constexpr int kRadius = 420;
    ImageBuffer picture{kWidth, kHeight, {}};
    picture.rgba.reserve(std::size_t{4} * kWidth * kHeight);
    std::uint32_t grain = 12345;
    for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
            grain = grain * 1'664'525U + 1'013'904'223U;
            const int noise = static_cast<int>(grain >> 30U);
            const int dx = x - kWidth / 2;
            const int dy = y - kHeight / 2;
            const bool isInside = dx * dx + dy * dy < kRadius * kRadius;
            const int light =
                isInside ? 60 + (dy + kRadius) * 120 / (2 * kRadius) : y * 60 / kHeight;
            const std::array<int, 3> colour =
                isInside ? std::array<int, 3>{40 + light, light, light / 2}
                         : std::array<int, 3>{150 + light, 170 + light, 185};
            for (const int value : colour) {
                picture.rgba.push_back(static_cast<std::uint8_t>(std::min(255, value + noise)));
            }
            picture.rgba.push_back(255);
        }
    }
    return picture;
}

Result<std::size_t> copyPictures(const std::filesystem::path& collection,
                                 std::size_t limit,
                                 const std::filesystem::path& to) {
    BIFOCAL_CHECK(makeDirectories(to));
    std::vector<std::filesystem::path> chosen;
    std::stop_source enough;
    const auto walked = walk(collection, enough.get_token(), [&](const WalkEntry& entry) {
        if (chosen.size() < limit && mayBePicture(entry.path)) {
            chosen.push_back(entry.path);
        }
        if (chosen.size() == limit) {
            enough.request_stop();
        }
    });
    if (!walked && walked.error().code != ErrorCode::Cancelled) {
        return walked.error();
    }
    if (chosen.empty()) {
        return Error{ErrorCode::NotFound, collection.string() + ": no pictures here"};
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::filesystem::path target =
            to / (std::to_string(i) + chosen[i].extension().string());
        std::error_code code;
        if (!std::filesystem::copy_file(chosen[i], target, code)) {
            return Error{ErrorCode::Internal, target.string() + ": " + code.message()};
        }
    }
    return chosen.size();
}

Result<void> measureIndexRate(Engine& engine,
                              const std::filesystem::path& pictures,
                              BenchReport& report) {
    BIFOCAL_CHECK(warmUp(engine));
    IndexingRun indexing;
    BIFOCAL_CHECK(indexing.start(engine, pictures));
    BIFOCAL_TRY(const IndexSummary summary, indexing.finish());
    if (summary.indexed == 0 || summary.seconds <= 0) {
        return Error{ErrorCode::NotFound, pictures.string() + ": nothing was indexed"};
    }
    report.rows.push_back({"index_rate",
                           static_cast<double>(summary.indexed) / summary.seconds,
                           "pictures/s",
                           Better::Higher});
    return {};
}

Result<void> measureFoundingCase(Engine& engine, std::size_t repetitions, BenchReport& report) {
    BIFOCAL_TRY(const std::vector<std::uint8_t> png, imaging::encodePng(foundingPicture().view()));
    const SteadyClock clock;
    std::vector<double> totals;
    std::map<std::string, std::vector<double>> stages;
    for (std::size_t i = 0; i < repetitions + kWarmUpCount; ++i) {
        Prompt prompt;
        prompt.text = kFoundingText;
        prompt.image = ImageSource{ImageBytes{png}, {}};
        const TimePoint begin = clock.now();
        BIFOCAL_TRY(const std::shared_ptr<const ResultSet> answer, ask(engine, std::move(prompt)));
        const double total = millisecondsSince(begin, clock);
        if (i < kWarmUpCount) {
            continue;
        }
        totals.push_back(total);
        for (const StageTime& stage : answer->stages) {
            stages[stage.stage].push_back(stage.ms);
        }
    }
    const BenchPeer source{"source 2, CPU", kSourceFoundingMs};
    report.rows.push_back(
        {"founding_p50", median(totals), "ms", Better::Lower, std::nullopt, source});
    report.rows.push_back(
        {"founding_p95", quantile(totals, 0.95), "ms", Better::Lower, std::nullopt, source});
    for (const char* stage : {"decode", "encode_image", "encode_text", "fuse", "search"}) {
        const std::string id = std::string("founding_") + stage;
        if (stages.contains(stage)) {
            report.rows.push_back({id, median(stages[stage]), "ms"});
        } else {
            report.leftOut.push_back({id, "the answers do not report this stage"});
        }
    }
    return {};
}

Result<void> askWhileIndexing(Engine& engine,
                              const std::filesystem::path& pictures,
                              std::size_t count,
                              QueryTimes& times) {
    BIFOCAL_CHECK(warmUp(engine));
    BIFOCAL_CHECK(askIdle(engine, count / 2, times.idle));
    IndexingRun indexing;
    BIFOCAL_CHECK(indexing.start(engine, pictures));
    Result<void> outcome;
    for (std::size_t i = 0; !indexing.isOver() && outcome; ++i) {
        const Result<double> time = askText(engine, i);
        if (!time) {
            outcome = time.error();
        } else if (!indexing.isOver()) {
            times.indexing.push_back(*time);
        }
    }
    BIFOCAL_CHECK(indexing.finish());
    BIFOCAL_CHECK(outcome);
    return askIdle(engine, count - count / 2, times.idle);
}

void addQueryRows(const QueryTimes& times, BenchReport& report) {
    const double idle = quantile(times.idle, 0.95);
    report.rows.push_back({"query_idle_p50", median(times.idle), "ms"});
    report.rows.push_back({"query_idle_p95", idle, "ms"});
    if (times.indexing.size() < kFewestPrompts || idle <= 0) {
        const std::string reason = "indexing ended after " + std::to_string(times.indexing.size()) +
                                   " prompts, too few to say";
        for (const char* id :
             {"query_indexing_p50", "query_indexing_p95", "query_indexing_ratio_p95"}) {
            report.leftOut.push_back({id, reason});
        }
        return;
    }
    const double indexing = quantile(times.indexing, 0.95);
    report.rows.push_back({"query_indexing_p50", median(times.indexing), "ms"});
    report.rows.push_back({"query_indexing_p95", indexing, "ms"});
    report.rows.push_back({"query_indexing_ratio_p95",
                           indexing / idle,
                           "times idle",
                           Better::Lower,
                           kIndexingRatioTarget});
}

}  // namespace bifocal::cli
