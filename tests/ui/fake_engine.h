// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/engine.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bifocal::ui::test {

/// An engine whose answers a test gives by hand: calls are recorded, and nothing is answered before
/// the test says so. Handlers run on the thread that gives the answer, as the engine's own do.
/// Threads: compatible, but answers may be given on any one thread at a time.
class FakeEngine final : public Engine {
public:
    struct Submitted {
        RequestId request;
        Prompt prompt;
        PromptHandler handler;
        RequestId supersedes;
    };
    struct Picture {
        RequestId request;
        ImageSource source;
        int side = 0;
        Urgency urgency = Urgency::Interactive;
        ImageHandler handler;
    };
    struct Heard {
        RequestId request;
        SpeechClip clip;
        SpeechHandler handler;
    };
    struct Browsed {
        std::optional<CollectionId> collection;
        std::size_t offset = 0;
        std::size_t limit = 0;
        RowsHandler handler;
    };
    struct Run {
        RequestId request;
        CollectionId collection;
        std::vector<std::filesystem::path> paths;
        IndexHandler handler;
    };

    FakeEngine();

    // ---- what was asked
    std::vector<Submitted> submitted;
    std::vector<RequestId> cancelled;
    std::vector<std::filesystem::path> added;
    std::vector<Run> runs;
    std::vector<RequestId> paused;
    std::vector<RequestId> resumed;
    std::vector<FailuresHandler> failureHandlers;
    std::vector<Browsed> browses;
    std::vector<Picture> pictures;
    std::vector<Heard> heard;

    // ---- what is answered at once
    std::optional<Error> submitError;
    bool hasRecognizer = true;
    std::optional<Error> addError;
    std::optional<Error> indexError;
    std::optional<Error> retuneError;
    schedule::Tuning tuned;           ///< as was last asked for
    bool endsIndexingAtOnce = false;  ///< Done is said before startIndexing() returns
    EngineStatus state;
    Attention attention = Attention::Watched;  ///< as was last asked for

    // ---- answers
    std::uint64_t hiddenCount = 0;  ///< what the next answers say of it
    void answer(const Submitted& submitted, PromptEventKind kind, std::vector<ResultRow> rows);
    void fail(const Submitted& submitted, Error error);
    void showPicture(const Picture& picture, const ImageBuffer& image);

    /// A row with everything that the window shows; content and file follow from `number`.
    static ResultRow row(int number, const std::string& name, float text, float image);
    static ImageBuffer picture(int side, std::uint8_t red, std::uint8_t green, std::uint8_t blue);
    CollectionId addCollectionRecord(const std::string& root, std::uint64_t fileCount);

    profile::Profiler& writableProfiler() { return profiler_; }

    // ---- Engine
    Result<RequestId> submit(Prompt prompt, PromptHandler handler, RequestId supersedes) override;
    void cancel(RequestId request) override { cancelled.push_back(request); }
    bool canHear() const override { return hasRecognizer; }
    Result<RequestId> recognize(SpeechClip clip, SpeechHandler handler) override;
    Result<CollectionId> addCollection(const std::filesystem::path& root) override;
    Result<void> removeCollection(CollectionId collection) override;
    Result<RequestId> startIndexing(CollectionId collection, IndexHandler handler) override;
    void pauseIndexing(RequestId request) override { paused.push_back(request); }
    void resumeIndexing(RequestId request) override { resumed.push_back(request); }
    Result<RequestId> retryFailures(CollectionId collection,
                                    std::vector<std::filesystem::path> paths,
                                    IndexHandler handler) override;
    void failures(std::optional<CollectionId> collection, FailuresHandler handler) override;
    void browse(std::optional<CollectionId> collection,
                std::size_t offset,
                std::size_t limit,
                RowsHandler handler) override;
    RequestId loadImage(const ImageSource& source,
                        int side,
                        Urgency urgency,
                        ImageHandler handler) override;
    EngineStatus status() const override { return state; }
    void setAttention(Attention value) override { attention = value; }
    const profile::Profiler& profiler() const override { return profiler_; }
    schedule::SchedulerStats schedulerStats() const override { return {}; }
    Result<void> retune(const schedule::Tuning& tuning) override;
    schedule::Tuning tuning() const override { return tuned; }
    Result<std::vector<std::string>> check(std::size_t sampleCount) override;

private:
    RequestId next() { return RequestId{++lastRequest_}; }

    SteadyClock clock_;
    profile::Profiler profiler_;
    std::uint64_t lastRequest_ = 100;
};

}  // namespace bifocal::ui::test
