// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/engine.h"
#include "core/library/thumbnail_cache.h"
#include "core/pipeline/context.h"
#include "core/pipeline/event_delivery.h"
#include "core/pipeline/index_job.h"
#include "core/pipeline/library_writer.h"
#include "core/pipeline/prompt_run.h"
#include "core/pipeline/speech_pool.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace bifocal {

/// The engine behind the facade.
/// Invariants: (1) no callback, scheduler call or disk access happens with mutex_ held; (2)
/// packState_ leaves Loading once, and context_ never changes after; (3) a request is in exactly
/// one of the waiting lists, the running maps, or over. Threads: safe.
class EngineImpl final : public Engine {
public:
    EngineImpl(EngineConfig config, EngineParts parts, std::unique_ptr<Library> library);
    EngineImpl(const EngineImpl&) = delete;
    EngineImpl& operator=(const EngineImpl&) = delete;
    ~EngineImpl() override;

    Result<RequestId> submit(Prompt prompt, PromptHandler handler, RequestId supersedes) override;
    void cancel(RequestId request) override;

    Result<CollectionId> addCollection(const std::filesystem::path& root) override;
    Result<void> removeCollection(CollectionId collection) override;
    Result<RequestId> startIndexing(CollectionId collection, IndexHandler handler) override;
    void pauseIndexing(RequestId request) override;
    void resumeIndexing(RequestId request) override;
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

    EngineStatus status() const override;
    void setAttention(Attention attention) override;
    bool canHear() const override { return speech_.isInstalled(); }
    Result<RequestId> recognize(SpeechClip clip, SpeechHandler handler) override;
    const profile::Profiler& profiler() const override { return profiler_; }
    schedule::SchedulerStats schedulerStats() const override { return scheduler_->stats(); }
    Result<void> retune(const schedule::Tuning& tuning) override;
    schedule::Tuning tuning() const override;
    Result<std::vector<std::string>> check(std::size_t sampleCount) override;

private:
    static constexpr std::size_t kEventThreadCount = 2;

    struct WaitingPrompt {
        RequestId request;
        NormalizedPrompt prompt;
        PromptHandler handler;
    };
    struct WaitingIndex {
        RequestId request;
        CollectionId collection;
        IndexHandler handler;
    };

    RequestId nextRequest() { return {++lastRequest_}; }
    void loadPack();
    void failPack(PackFault fault, Error error);
    Result<void> publishPack(std::shared_ptr<const ModelPack> pack);
    void warmUp();
    void startWaiting();
    Result<void> runOnPool(RequestId request,
                           const char* stage,
                           Urgency urgency,
                           std::function<void()> run,
                           std::function<void()> abandon);

    Result<void> startPrompt(RequestId request, NormalizedPrompt prompt, PromptHandler handler);
    void cancelPrompt(RequestId request, profile::Outcome outcome);
    void rejectPrompt(const WaitingPrompt& waiting, Error error);
    bool isIndexing() const;

    Result<std::shared_ptr<LibraryWriter>> writer();
    Result<void> startJob(RequestId request, CollectionId collection, const IndexHandler& handler);
    void rejectJob(const WaitingIndex& waiting, IndexState state, std::optional<Error> error);
    std::shared_ptr<IndexJob> job(RequestId request) const;
    void endRecognition(RequestId request, profile::Outcome outcome);
    bool cancelRecognition(RequestId request);
    Result<ImageBuffer> loadPicture(const ImageSource& source, int side);

    int otherWriter() const;
    void refreshStatus();
    void sample(const std::stop_token& stop);
    bool awaitSample(const std::stop_token& stop, TimePoint& next);
    profile::MemoryGauges memoryGauges() const;

    const EngineConfig config_;
    const EngineParts parts_;
    SteadyClock clock_;
    profile::Profiler profiler_;
    const std::unique_ptr<Library> library_;
    ThumbnailCache thumbnails_;
    schedule::MemoryProfile memory_;
    PipelineLanes lanes_;
    std::atomic<std::uint64_t> lastRequest_{0};
    const profile::DeviceMemoryProbe device_;

    mutable std::mutex mutex_;  ///< guards everything down to the scheduler
    std::condition_variable packKnown_;
    std::condition_variable_any sampling_;  ///< there is a reason to sample again
    Attention attention_ = Attention::Watched;
    PackState packState_ = PackState::Loading;
    std::optional<Error> packError_;
    PackFault packFault_ = PackFault::Models;  ///< with packError_
    std::unique_ptr<VectorIndex> index_;
    std::unique_ptr<EncoderPool> encoders_;
    SpeechPool speech_;  ///< of its own; the mutex is not for it
    std::unique_ptr<PipelineContext> context_;
    std::vector<WaitingPrompt> waitingPrompts_;
    std::vector<WaitingIndex> waitingIndexes_;
    std::unordered_map<RequestId, std::shared_ptr<PromptRun>> prompts_;
    std::unordered_map<RequestId, std::shared_ptr<IndexJob>> jobs_;
    std::unordered_map<RequestId, std::stop_source> recognitions_;
    std::vector<CollectionRecord> collections_;
    std::uint64_t pictureCount_ = 0;
    std::uint64_t generation_ = 0;
    int otherWriter_ = 0;     ///< process id; 0: none
    bool isClosing_ = false;  ///< nothing starts any more

    std::mutex writerMutex_;  ///< one acquisition or end at a time; guards the next three
    std::condition_variable writerGone_;
    std::weak_ptr<LibraryWriter> writer_;
    bool hasWriter_ = false;  ///< until its end is over

    mutable std::mutex tuningMutex_;  ///< one retune() at a time; guards the next one
    schedule::Tuning tuning_;

    EventDelivery events_{kEventThreadCount};  ///< goes after the scheduler, whose tasks post to it
    std::unique_ptr<schedule::Scheduler> scheduler_;
    std::jthread sampler_;
};

}  // namespace bifocal
