// SPDX-License-Identifier: Apache-2.0
#include "core/engine/engine.h"

#include "core/engine/internal/engine_impl.h"
#include "core/engine/internal/request_label.h"
#include "core/pipeline/prompt_image.h"

#include <algorithm>
#include <utility>

namespace bifocal {
namespace {

constexpr std::uint64_t kThumbnailCapBytes = 512ULL << 20U;
constexpr int kBackgroundNice = 19;
constexpr std::uint32_t kPoolPromptWorkers = 2;

schedule::LaneConfig lane(const char* name,
                          std::uint32_t promptWorkers,
                          Urgency leastUrgentPrompt,
                          std::uint32_t batchWorkers) {
    schedule::LaneConfig config;
    config.name = name;
    for (std::uint32_t i = 0; i < promptWorkers; ++i) {
        config.workers.push_back({Urgency::Interactive, leastUrgentPrompt, 0});
    }
    for (std::uint32_t i = 0; i < batchWorkers; ++i) {
        config.workers.push_back({Urgency::Batch, Urgency::Batch, kBackgroundNice});
    }
    return config;
}

std::uint64_t readBudget(const schedule::MemoryLedger::Snapshot& ledger) {
    const auto machine = schedule::readMachineMemory();
    return machine ? schedule::budgetBeside(*machine, profile::residentBytes(), ledger)
                   : ledger.budgetBytes;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(EngineConfig config, EngineParts parts) {
    BIFOCAL_CHECK(makeDirectories(config.library));
    BIFOCAL_CHECK(makeDirectories(config.cache));
    // Migrations need the writer's lock. When another program has it, it has migrated already; and
    // a library that cannot be written, on a medium that is read-only, can be read all the same.
    std::optional<Error> unwritable;
    if (const Result<std::shared_ptr<LibraryWriter>> writer =
            LibraryWriter::acquire(config.library);
        !writer && writer.error().code != ErrorCode::Busy) {
        unwritable = writer.error();
    }
    Result<std::unique_ptr<Library>> opened = Library::open(config.library, LibraryAccess::Read);
    if (!opened) {
        return unwritable ? *std::move(unwritable) : std::move(opened).error();
    }
    std::unique_ptr<Library> library = *std::move(opened);
    return std::unique_ptr<Engine>(
        std::make_unique<EngineImpl>(std::move(config), std::move(parts), std::move(library)));
}

EngineImpl::EngineImpl(EngineConfig config, EngineParts parts, std::unique_ptr<Library> library)
    : config_(std::move(config)),
      parts_(std::move(parts)),
      profiler_(clock_),
      library_(std::move(library)),
      thumbnails_(config_.cache / "thumbnails", kThumbnailCapBytes),
      speech_(
          parts_.loadSpeech, config_.speechFolder, kPoolPromptWorkers + config_.batchWorkerCount) {
    schedule::SchedulerConfig scheduling;
    scheduling.memoryBudgetBytes = config_.memoryBudgetBytes;
    scheduling.readBudget = readBudget;
    lanes_ = {{0}, {1}, {2}};
    scheduling.lanes.push_back(lane("text", 1, Urgency::Interactive, 0));
    scheduling.lanes.push_back(lane("image", 1, Urgency::Interactive, config_.batchWorkerCount));
    scheduling.lanes.push_back(
        lane("pool", kPoolPromptWorkers, Urgency::Prefetch, config_.batchWorkerCount));
    scheduler_ =
        schedule::makeScheduler(scheduling, schedule::makeDeadlinePolicy(), clock_, profiler_);
    // What decoding takes is known beforehand; the models are asked after each call.
    memory_.record("decode", 0, 1, kDecodeBytes);
    memory_.record("load_image", 0, 1, kDecodeBytes);
    memory_.record("prepare", 0, IndexJob::kBatchSize, kDecodeBytes + IndexJob::kPixelBytes);
    refreshStatus();
    const Result<void> loading = runOnPool(
        {}, "load_pack", Urgency::Interactive, [this] { loadPack(); }, [] {});
    // A cache that cannot be trimmed costs disk, nothing else.
    const Result<void> trimming = runOnPool(
        {}, "trim_cache", Urgency::Batch, [this] { (void)thumbnails_.trim().has_value(); }, [] {});
    BIFOCAL_ASSERT(loading.has_value() && trimming.has_value());
    sampler_ = std::jthread([this](const std::stop_token& stop) { sample(stop); });
}

EngineImpl::~EngineImpl() {
    sampler_ = {};  // asks it to stop, and joins
    std::vector<RequestId> open;
    {
        const std::lock_guard lock(mutex_);
        isClosing_ = true;
        for (const auto& entry : prompts_) {
            open.push_back(entry.first);
        }
        for (const auto& entry : jobs_) {
            open.push_back(entry.first);
        }
        for (const auto& entry : recognitions_) {
            open.push_back(entry.first);
        }
        for (const auto& waiting : waitingPrompts_) {
            open.push_back(waiting.request);
        }
        for (const auto& waiting : waitingIndexes_) {
            open.push_back(waiting.request);
        }
    }
    for (const RequestId request : open) {
        cancel(request);
    }
    // The scheduler goes next, as the last member but one: it abandons what is queued, waits for
    // what runs, and every callback still finds the rest of this object.
}

Result<void> EngineImpl::runOnPool(RequestId request,
                                   const char* stage,
                                   Urgency urgency,
                                   std::function<void()> run,
                                   std::function<void()> abandon) {
    schedule::TaskSpec spec;
    spec.request = request;
    spec.stage = stage;
    spec.lane = lanes_.pool;
    spec.urgency = urgency;
    spec.bytes = memory_.estimate(stage, 0, 1).value_or(0);
    auto work =
        schedule::makeWork([run = std::move(run)](const schedule::WorkerContext&) { run(); },
                           [abandon = std::move(abandon)](schedule::Abandoned) { abandon(); });
    BIFOCAL_CHECK(scheduler_->enqueue(spec, std::move(work)));
    return {};
}

// ---- pack

void EngineImpl::loadPack() {
    Result<std::shared_ptr<const ModelPack>> pack = parts_.loadPack(config_.packFolder);
    if (!pack) {
        failPack(PackFault::Models,
                 pack.error().withContext("the search models could not be loaded"));
        return;
    }
    if (const Result<void> outcome = publishPack(std::move(*pack)); !outcome) {
        failPack(PackFault::Vectors,
                 outcome.error().withContext("the library's vectors could not be read"));
        return;
    }
    packKnown_.notify_all();
    startWaiting();
    warmUp();
}

void EngineImpl::failPack(PackFault fault, Error error) {
    {
        const std::lock_guard lock(mutex_);
        packError_ = std::move(error);
        packFault_ = fault;
        packState_ = PackState::Failed;
    }
    packKnown_.notify_all();
    startWaiting();
}

Result<void> EngineImpl::publishPack(std::shared_ptr<const ModelPack> pack) {
    const PackInfo& info = pack->info();
    BIFOCAL_TRY(std::unique_ptr<VectorIndex> index,
                VectorIndex::open(libraryVectorFile(config_.library, info.id),
                                  {info.id, info.layout.dim, info.layout.strideBytes},
                                  IndexAccess::Read));
    scheduler_->ledger().addPersistent(info.weightBytes);
    auto encoders = std::make_unique<EncoderPool>(pack, 1 + config_.batchWorkerCount, 1);
    auto context = std::make_unique<PipelineContext>(
        PipelineContext{*scheduler_,
                        profiler_,
                        clock_,
                        lanes_,
                        std::move(pack),
                        *encoders,
                        *index,
                        *library_,
                        [this](const FileRecord& file) {
                            return loadPicture({ImageFile{file.path}, {}}, kThumbnailSide);
                        },
                        events_,
                        memory_,
                        speech_});
    const std::lock_guard lock(mutex_);
    index_ = std::move(index);
    encoders_ = std::move(encoders);
    context_ = std::move(context);
    packState_ = PackState::Ready;
    return {};
}

/// The first call of a model allocates and plans; a prompt should not have to wait for that. Both
/// variants of a prompt's encoders are used once, in the background of the start.
void EngineImpl::warmUp() {
    const auto queue = [this](schedule::LaneId lane, auto encode) {
        schedule::TaskSpec spec;
        spec.stage = "warm_up";
        spec.lane = lane;
        auto work = schedule::makeWork(
            [encode](schedule::WorkerContext worker) {
                for (const std::uint32_t peers : {1U, 2U}) {
                    worker.lanePeers = peers;
                    encode(worker);
                }
            },
            [](schedule::Abandoned) {});
        // A full queue means that prompts are there already: they warm the models themselves.
        (void)scheduler_->enqueue(spec, std::move(work)).has_value();
    };
    queue(lanes_.text, [this](const schedule::WorkerContext& worker) {
        if (const Result<TextEncoder*> encoder = encoders_->text(worker)) {
            (void)(*encoder)->encode("a picture", {}).has_value();
        }
    });
    queue(lanes_.image, [this](const schedule::WorkerContext& worker) {
        if (const Result<ImageEncoder*> encoder = encoders_->image(worker, Urgency::Interactive)) {
            constexpr int kSide = 32;
            constexpr std::size_t kRowBytes = std::size_t{kSide} * 4;
            const std::vector<std::uint8_t> grey(kSide * kRowBytes, 128);
            const ImageView view{grey.data(), kSide, kSide, kRowBytes};
            std::vector<float> row(context_->pack->info().layout.dim);
            (void)(*encoder)->encode({&view, 1}, row, {}).has_value();
        }
    });
}

void EngineImpl::startWaiting() {
    std::vector<WaitingPrompt> prompts;
    std::vector<WaitingIndex> indexes;
    std::optional<Error> error;
    {
        const std::lock_guard lock(mutex_);
        prompts = std::exchange(waitingPrompts_, {});
        indexes = std::exchange(waitingIndexes_, {});
        error = packError_;
    }
    for (WaitingPrompt& waiting : prompts) {
        const Result<void> started =
            error ? Result<void>(*error)
                  : startPrompt(waiting.request, waiting.prompt, waiting.handler);
        if (!started) {
            rejectPrompt(waiting, started.error());
        }
    }
    for (const WaitingIndex& waiting : indexes) {
        const Result<void> started =
            error ? Result<void>(*error)
                  : startJob(waiting.request, waiting.collection, waiting.handler);
        if (!started) {
            rejectJob(waiting, IndexState::Failed, started.error());
        }
    }
}

// ---- prompts

Result<RequestId> EngineImpl::submit(Prompt prompt, PromptHandler handler, RequestId supersedes) {
    if (supersedes) {
        cancelPrompt(supersedes, profile::Outcome::Superseded);
    }
    if (prompt.speech && !speech_.isInstalled()) {
        return Error{ErrorCode::Unsupported, "no speech model is installed"};
    }
    BIFOCAL_TRY(NormalizedPrompt normalized, normalizePrompt(std::move(prompt)));
    const RequestId request = nextRequest();
    {
        const std::lock_guard lock(mutex_);
        if (packState_ == PackState::Failed) {
            return *packError_;
        }
        if (packState_ == PackState::Loading) {
            profiler_.beginRequest(request, labelOf(normalized.prompt), normalized.prompt.urgency);
            waitingPrompts_.push_back({request, std::move(normalized), std::move(handler)});
            return request;
        }
    }
    profiler_.beginRequest(request, labelOf(normalized.prompt), normalized.prompt.urgency);
    Result<void> started = startPrompt(request, std::move(normalized), std::move(handler));
    if (!started) {
        profiler_.endRequest(request, profile::Outcome::Failed);
        return std::move(started).error();
    }
    return request;
}

Result<void> EngineImpl::startPrompt(RequestId request,
                                     NormalizedPrompt prompt,
                                     PromptHandler handler) {
    auto run = std::make_shared<PromptRun>(
        *context_,
        request,
        std::move(prompt),
        std::move(handler),
        [this, request](profile::Outcome outcome) {
            profiler_.endRequest(request, outcome);
            std::shared_ptr<PromptRun> over;  // dies outside the lock
            const std::lock_guard lock(mutex_);
            if (const auto found = prompts_.find(request); found != prompts_.end()) {
                over = std::move(found->second);
                prompts_.erase(found);
            }
        });
    run->setStillIndexing([this] { return isIndexing(); });
    {
        const std::lock_guard lock(mutex_);
        if (isClosing_) {
            return Error{ErrorCode::Cancelled, "shutting down"};
        }
        prompts_.emplace(request, run);
    }
    sampling_.notify_all();
    Result<void> started = run->start();
    if (!started) {
        const std::lock_guard lock(mutex_);
        prompts_.erase(request);
    }
    return started;
}

void EngineImpl::cancelPrompt(RequestId request, profile::Outcome outcome) {
    std::shared_ptr<PromptRun> run;
    std::optional<WaitingPrompt> waiting;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = prompts_.find(request); found != prompts_.end()) {
            run = found->second;
        }
        const auto place = std::find_if(
            waitingPrompts_.begin(), waitingPrompts_.end(), [request](const WaitingPrompt& entry) {
                return entry.request == request;
            });
        if (place != waitingPrompts_.end()) {
            waiting = std::move(*place);
            waitingPrompts_.erase(place);
        }
    }
    if (run) {
        run->cancel(outcome);
    } else if (waiting) {
        rejectPrompt(*waiting, {ErrorCode::Cancelled, "cancelled before the models were ready"});
    }
}

void EngineImpl::rejectPrompt(const WaitingPrompt& waiting, Error error) {
    profiler_.endRequest(waiting.request,
                         error.code == ErrorCode::Cancelled ? profile::Outcome::Cancelled
                                                            : profile::Outcome::Failed);
    PromptChannel(waiting.request, waiting.handler, {}).fail(std::move(error));
}

void EngineImpl::cancel(RequestId request) {
    if (cancelRecognition(request)) {
        return;
    }
    cancelPrompt(request, profile::Outcome::Cancelled);
    if (const std::shared_ptr<IndexJob> running = job(request)) {
        running->cancel();
        return;
    }
    std::optional<WaitingIndex> waiting;
    {
        const std::lock_guard lock(mutex_);
        const auto place = std::find_if(
            waitingIndexes_.begin(), waitingIndexes_.end(), [request](const WaitingIndex& entry) {
                return entry.request == request;
            });
        if (place != waitingIndexes_.end()) {
            waiting = std::move(*place);
            waitingIndexes_.erase(place);
        }
    }
    if (waiting) {
        rejectJob(*waiting, IndexState::Cancelled, std::nullopt);
        return;
    }
    scheduler_->cancelRequest(request);  // a picture that is still queued
}

bool EngineImpl::isIndexing() const {
    const std::lock_guard lock(mutex_);
    return !jobs_.empty() || otherWriter_ != 0;
}

}  // namespace bifocal
