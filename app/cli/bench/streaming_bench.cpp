// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/streaming_bench.h"

#include "app/cli/bench/temporary_folder.h"
#include "app/cli/load/open_loop.h"
#include "core/engine/engine.h"
#include "core/inference/query.h"
#include "core/schedule/simulate/device_profile.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <latch>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr Duration kTextTime = std::chrono::milliseconds(28);  // the second source document
constexpr double kFirstAnswerTargetMs = 28 + 5;
constexpr double kSlowHandlerTarget = 0.01;
constexpr Duration kSlowHandlerTime = std::chrono::milliseconds(100);

double toMs(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

void take(Duration time) {
    SteadyPacer pacer;
    pacer.waitUntil(pacer.now() + time);
}

/// Answers the same for all pictures, after the time that the device takes for them.
class PacedImageEncoder final : public ImageEncoder {
public:
    explicit PacedImageEncoder(schedule::DeviceProfile device) : device_(std::move(device)) {}

    std::size_t preferredBatch() const override { return 8; }
    Result<void> encode(std::span<const ImageView> images,
                        std::span<float> rows,
                        std::stop_token /*stop*/) override {
        take(device_.service(static_cast<std::uint32_t>(images.size())));
        std::fill(rows.begin(), rows.end(), 0.5F);
        return {};
    }

private:
    const schedule::DeviceProfile device_;
};

class PacedTextEncoder final : public TextEncoder {
public:
    explicit PacedTextEncoder(std::size_t dim) : dim_(dim) {}

    Result<EncodedText> encode(std::string_view /*text*/, std::stop_token /*stop*/) override {
        take(kTextTime);
        EncodedText encoded;
        encoded.row.assign(dim_, 0.5F);
        return encoded;
    }

private:
    const std::size_t dim_;
};

/// The reference device as a pack: the times are right, the answers are not. Threads: safe.
class PacedPack final : public ModelPack {
public:
    explicit PacedPack(schedule::DeviceProfile device) : device_(std::move(device)) {
        info_.id = "paced";
        info_.device = device_.name;
        info_.layout.dim = 4;
        info_.layout.strideBytes = 64;
        info_.layout.blocks = {{"joint", 0, 4, Lens::Joint}};
        info_.scripts = {Script::Latin};
    }

    const PackInfo& info() const override { return info_; }
    Result<std::unique_ptr<ImageEncoder>> makeImageEncoder(
        EncoderOptions /*options*/) const override {
        return std::unique_ptr<ImageEncoder>(std::make_unique<PacedImageEncoder>(device_));
    }
    Result<std::unique_ptr<TextEncoder>> makeTextEncoder(
        EncoderOptions /*options*/) const override {
        return std::unique_ptr<TextEncoder>(std::make_unique<PacedTextEncoder>(info_.layout.dim));
    }
    Result<std::vector<float>> makeQuery(const QueryParts& parts) const override {
        return foldQuery(info_.layout, parts);
    }

private:
    const schedule::DeviceProfile device_;
    PackInfo info_;
};

Result<std::unique_ptr<Engine>> openPaced(const TemporaryFolder& folder) {
    BIFOCAL_TRY(schedule::DeviceProfile device, schedule::profileNamed("R-T4"));
    EngineConfig config;
    config.library = folder.path() / "library";
    config.cache = folder.path() / "cache";
    EngineParts parts;
    parts.loadPack = [device = std::move(device)](const std::filesystem::path& /*folder*/) {
        return Result<std::shared_ptr<const ModelPack>>(std::make_shared<const PacedPack>(device));
    };
    return Engine::open(std::move(config), std::move(parts));
}

/// One prompt's times. Written by its handler, read after the end.
struct Answered {
    std::optional<TimePoint> first;
    std::atomic<std::uint32_t> endCount{0};
    std::latch over{1};
};

/// Words and a picture; `handlerTime`: what its handler takes for each event.
Result<void> send(Engine& engine, Answered& answered, Duration handlerTime) {
    ImageBuffer image;
    image.width = 32;
    image.height = 32;
    image.rgba.assign(std::size_t{32} * 32 * 4, 128);
    Prompt prompt;
    prompt.text = "a picture";
    prompt.image = ImageSource{std::move(image), {}};
    BIFOCAL_CHECK(
        engine.submit(std::move(prompt), [&answered, handlerTime](const PromptEvent& event) {
            if (event.results && !answered.first) {
                answered.first = SteadyClock().now();
            }
            if (handlerTime > Duration(0)) {
                take(handlerTime);
            }
            if (event.isTerminal() && answered.endCount.fetch_add(1) == 0) {
                answered.over.count_down();
            }
        }));
    return {};
}

Result<std::vector<double>> firstAnswers(Engine& engine, std::size_t count) {
    std::vector<double> times;
    for (std::size_t i = 0; i <= count; ++i) {
        Answered answered;
        const TimePoint begin = SteadyClock().now();
        BIFOCAL_CHECK(send(engine, answered, Duration(0)));
        answered.over.wait();
        if (i > 0) {  // the first one waits for the engine to be ready
            times.push_back(toMs(*answered.first - begin));
        }
    }
    return times;
}

struct Crowd {
    double seconds = 0;    ///< until all but the first prompt are over
    std::size_t lost = 0;  ///< prompts without exactly one end
};

Result<Crowd> sendCrowd(std::size_t count, Duration handlerTimeOfTheFirst) {
    BIFOCAL_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    BIFOCAL_TRY(std::unique_ptr<Engine> engine, openPaced(folder));
    BIFOCAL_CHECK(firstAnswers(*engine, 0));
    std::deque<Answered> all(count);
    const TimePoint begin = SteadyClock().now();
    for (std::size_t i = 0; i < count; ++i) {
        BIFOCAL_CHECK(send(*engine, all[i], i == 0 ? handlerTimeOfTheFirst : Duration(0)));
    }
    Crowd crowd;
    for (std::size_t i = 1; i < count; ++i) {
        all[i].over.wait();
    }
    crowd.seconds = toMs(SteadyClock().now() - begin) / 1e3;
    all.front().over.wait();
    engine.reset();  // what came too often has come by now
    for (const Answered& answered : all) {
        crowd.lost += answered.endCount.load() == 1 ? 0 : 1;
    }
    return crowd;
}

}  // namespace

Result<void> measureStreaming(const StreamingWorkload& work, BenchReport& report) {
    {
        BIFOCAL_TRY(const TemporaryFolder folder, TemporaryFolder::make());
        BIFOCAL_TRY(const std::unique_ptr<Engine> engine, openPaced(folder));
        BIFOCAL_TRY(const std::vector<double> times, firstAnswers(*engine, work.promptCount));
        report.rows.push_back(
            {"s16", quantile(times, 0.99), "ms", Better::Lower, kFirstAnswerTargetMs});
    }
    BIFOCAL_TRY(const Crowd alone, sendCrowd(work.crowdCount, Duration(0)));
    BIFOCAL_TRY(const Crowd beside, sendCrowd(work.crowdCount, kSlowHandlerTime));
    report.rows.push_back({"s16_slow_handler",
                           1 - alone.seconds / beside.seconds,
                           "share",
                           Better::Lower,
                           kSlowHandlerTarget});
    report.rows.push_back(
        {"s16_lost", static_cast<double>(alone.lost + beside.lost), "prompts", Better::Lower, 0});
    return {};
}

}  // namespace bifocal::cli
