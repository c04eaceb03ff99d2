// SPDX-License-Identifier: Apache-2.0
// The library's half of the engine: collections, indexing, pictures, status.
#include "core/base/files.h"
#include "core/engine/internal/engine_impl.h"
#include "core/engine/internal/request_label.h"
#include "core/imaging/decode.h"
#include "core/library/walk.h"
#include "core/pipeline/library_check.h"
#include "core/pipeline/prompt_image.h"

#include <algorithm>
#include <utility>

namespace bifocal {
namespace {

IndexSpec specOf(const ModelPack& pack) {
    const PackInfo& info = pack.info();
    return {info.id, info.layout.dim, info.layout.strideBytes};
}

}  // namespace

Result<std::shared_ptr<LibraryWriter>> EngineImpl::writer() {
    std::unique_lock lock(writerMutex_);
    // Between its last user and its end a writer still has the lock file, against ourselves, too.
    writerGone_.wait(lock, [this] { return !hasWriter_ || !writer_.expired(); });
    if (auto held = writer_.lock()) {
        return held;
    }
    BIFOCAL_TRY(std::shared_ptr<LibraryWriter> acquired, LibraryWriter::acquire(config_.library));
    LibraryWriter* const raw = acquired.get();
    std::shared_ptr<LibraryWriter> lease(raw, [this, acquired](LibraryWriter* /*raw*/) mutable {
        const std::lock_guard ending(writerMutex_);
        acquired.reset();
        hasWriter_ = false;
        writerGone_.notify_all();
    });
    writer_ = lease;
    hasWriter_ = true;
    return lease;
}

Result<CollectionId> EngineImpl::addCollection(const std::filesystem::path& root) {
    std::error_code code;
    const std::filesystem::path canonical = std::filesystem::canonical(root, code);
    if (code) {
        return Error{ErrorCode::NotFound, root.string() + ": " + code.message()};
    }
    if (!std::filesystem::is_directory(canonical, code)) {
        return Error{ErrorCode::InvalidArgument, root.string() + ": not a folder"};
    }
    BIFOCAL_TRY(const std::shared_ptr<LibraryWriter> lease, writer());
    BIFOCAL_TRY(const CollectionId collection, lease->addCollection(canonical));
    refreshStatus();
    return collection;
}

Result<void> EngineImpl::removeCollection(CollectionId collection) {
    {
        const std::lock_guard lock(mutex_);
        for (const auto& entry : jobs_) {
            if (entry.second->collection() == collection) {
                return Error{ErrorCode::Busy, "the collection is being indexed"};
            }
        }
    }
    BIFOCAL_TRY(const std::shared_ptr<LibraryWriter> lease, writer());
    const PipelineContext* context = nullptr;
    {
        const std::lock_guard lock(mutex_);
        context = context_.get();
    }
    if (context != nullptr) {  // else its vectors go with the next indexing
        BIFOCAL_CHECK(lease->openVectors(specOf(*context->pack)));
    }
    BIFOCAL_CHECK(lease->removeCollection(collection));
    refreshStatus();
    return {};
}

Result<RequestId> EngineImpl::startIndexing(CollectionId collection, IndexHandler handler) {
    const RequestId request = nextRequest();
    {
        const std::lock_guard lock(mutex_);
        if (packState_ == PackState::Failed) {
            return *packError_;
        }
        if (packState_ == PackState::Loading) {
            waitingIndexes_.push_back({request, collection, std::move(handler)});
            return request;
        }
    }
    BIFOCAL_CHECK(startJob(request, collection, handler));
    return request;
}

Result<void> EngineImpl::startJob(RequestId request,
                                  CollectionId collection,
                                  const IndexHandler& handler) {
    BIFOCAL_TRY(const std::vector<CollectionRecord> known, library_->collections());
    const auto record =
        std::find_if(known.begin(), known.end(), [collection](const CollectionRecord& entry) {
            return entry.id == collection;
        });
    if (record == known.end()) {
        return Error{ErrorCode::NotFound, "no such collection"};
    }
    BIFOCAL_TRY(std::shared_ptr<LibraryWriter> lease, writer());
    BIFOCAL_CHECK(lease->openVectors(specOf(*context_->pack)));
    auto started = std::make_shared<IndexJob>(
        *context_,
        std::move(lease),
        *record,
        request,
        handler,
        [this, request](profile::Outcome outcome) {
            profiler_.endRequest(request, outcome);
            std::shared_ptr<IndexJob> over;  // dies outside the lock
            {
                const std::lock_guard lock(mutex_);
                if (const auto found = jobs_.find(request); found != jobs_.end()) {
                    over = std::move(found->second);
                    jobs_.erase(found);
                }
            }
            refreshStatus();
        });
    {
        const std::lock_guard lock(mutex_);
        if (isClosing_) {
            return Error{ErrorCode::Cancelled, "shutting down"};
        }
        for (const auto& entry : jobs_) {
            if (entry.second->collection() == collection) {
                return Error{ErrorCode::AlreadyExists, "the collection is being indexed already"};
            }
        }
        jobs_.emplace(request, started);
    }
    sampling_.notify_all();
    profiler_.beginRequest(request, labelOfIndexing(record->root), Urgency::Batch);
    Result<void> outcome = started->start();
    if (!outcome) {
        profiler_.endRequest(request, profile::Outcome::Failed);
        const std::lock_guard lock(mutex_);
        jobs_.erase(request);
    }
    return outcome;
}

void EngineImpl::rejectJob(const WaitingIndex& waiting,
                           IndexState state,
                           std::optional<Error> error) {
    IndexProgress progress;
    progress.request = waiting.request;
    progress.collection = waiting.collection;
    progress.state = state;
    progress.error = std::move(error);
    waiting.handler(progress);
}

std::shared_ptr<IndexJob> EngineImpl::job(RequestId request) const {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(request);
    return found == jobs_.end() ? nullptr : found->second;
}

void EngineImpl::pauseIndexing(RequestId request) {
    if (const std::shared_ptr<IndexJob> running = job(request)) {
        running->pause();
    }
}

void EngineImpl::resumeIndexing(RequestId request) {
    if (const std::shared_ptr<IndexJob> running = job(request)) {
        running->resume();
    }
}

Result<RequestId> EngineImpl::retryFailures(CollectionId collection,
                                            std::vector<std::filesystem::path> paths,
                                            IndexHandler handler) {
    {
        BIFOCAL_TRY(const std::shared_ptr<LibraryWriter> lease, writer());
        BIFOCAL_CHECK(lease->forgetFailures(collection, paths));
    }
    return startIndexing(collection, std::move(handler));
}

void EngineImpl::failures(std::optional<CollectionId> collection, FailuresHandler handler) {
    const auto cancelled = [handler] { handler(Error{ErrorCode::Cancelled, "shutting down"}); };
    const Result<void> queued = runOnPool(
        nextRequest(),
        "failures",
        Urgency::Interactive,
        [this, collection, handler] { handler(library_->failures(collection)); },
        cancelled);
    if (!queued) {
        handler(queued.error());
    }
}

void EngineImpl::browse(std::optional<CollectionId> collection,
                        std::size_t offset,
                        std::size_t limit,
                        RowsHandler handler) {
    const auto run = [this, collection, offset, limit, handler] {
        Result<std::vector<FileRecord>> files = library_->newestFiles(collection, offset, limit);
        if (!files) {
            handler(files.error());
            return;
        }
        std::vector<ResultRow> rows;
        rows.reserve(files->size());
        for (FileRecord& file : *files) {
            rows.push_back({std::move(file)});
        }
        handler(std::move(rows));
    };
    const auto cancelled = [handler] { handler(Error{ErrorCode::Cancelled, "shutting down"}); };
    const Result<void> queued =
        runOnPool(nextRequest(), "browse", Urgency::Interactive, run, cancelled);
    if (!queued) {
        handler(queued.error());
    }
}

// ---- pictures

RequestId EngineImpl::loadImage(const ImageSource& source,
                                int side,
                                Urgency urgency,
                                ImageHandler handler) {
    const RequestId request = nextRequest();
    const Result<void> queued = runOnPool(
        request,
        "load_image",
        urgency,
        [this, source, side, handler] { handler(loadPicture(source, side)); },
        [handler] {
            handler(Error{ErrorCode::Cancelled, "no longer wanted"});
        });
    if (!queued) {
        handler(queued.error());
    }
    return request;
}

Result<ImageBuffer> EngineImpl::loadPicture(const ImageSource& source, int side) {
    const auto* file = std::get_if<ImageFile>(&source.source);
    std::optional<ContentKey> content;
    if (file != nullptr && side <= kThumbnailSide && !source.region) {
        BIFOCAL_TRY(const std::optional<FileRecord> record, library_->fileAt(file->path));
        const Result<FileStamp> stamp = stampOf(file->path);
        if (record && stamp && *stamp == record->stamp) {
            content = record->content;
        }
    }
    if (content) {
        if (const auto encoded = thumbnails_.find(*content)) {
            if (Result<imaging::DecodedImage> cached = imaging::decodeBytes(*encoded)) {
                return imaging::thumbnail(cached->image.view(), side);
            }
        }
    }
    BIFOCAL_TRY(LoadedImage loaded, loadPromptImage(source, content ? kThumbnailSide : side));
    if (content) {
        // A cache that cannot be written costs time later, nothing now.
        if (const auto encoded = imaging::encodePng(loaded.pixels.view())) {
            (void)thumbnails_.store(*content, *encoded).has_value();
        }
    }
    return imaging::thumbnail(loaded.pixels.view(), side);
}

// ---- state

EngineStatus EngineImpl::status() const {
    EngineStatus status;
    std::vector<std::shared_ptr<IndexJob>> running;
    {
        const std::lock_guard lock(mutex_);
        status.packState = packState_;
        status.packError = packError_;
        status.packFault = packFault_;
        if (context_) {
            status.pack = context_->pack->info();
        }
        status.collections = collections_;
        status.pictureCount = pictureCount_;
        status.libraryGeneration = generation_;
        if (otherWriter_ != 0) {
            status.writerProcess = otherWriter_;
        }
        for (const auto& entry : jobs_) {
            running.push_back(entry.second);
        }
    }
    for (const auto& entry : running) {
        status.running.push_back(entry->progress());
    }
    return status;
}

void EngineImpl::setAttention(Attention attention) {
    {
        const std::lock_guard lock(mutex_);
        attention_ = attention;
    }
    sampling_.notify_all();
}

Result<void> EngineImpl::retune(const schedule::Tuning& tuning) {
    const std::lock_guard lock(tuningMutex_);
    BIFOCAL_CHECK(scheduler_->retune(tuning));
    tuning_ = tuning;
    return {};
}

schedule::Tuning EngineImpl::tuning() const {
    const std::lock_guard lock(tuningMutex_);
    return tuning_;
}

int EngineImpl::otherWriter() const {
    const int holder = FileLock::holder(libraryLockFile(config_.library)).value_or(0);
    return holder == processId() ? 0 : holder;
}

void EngineImpl::refreshStatus() {
    const int other = otherWriter();
    const Result<std::uint64_t> generation = library_->generation();
    Result<std::vector<CollectionRecord>> collections = library_->collections();
    const Result<std::uint64_t> count = library_->fileCount();
    const std::lock_guard lock(mutex_);
    otherWriter_ = other;
    if (generation && collections && count) {
        generation_ = *generation;
        collections_ = std::move(*collections);
        pictureCount_ = *count;
    }
}

profile::MemoryGauges EngineImpl::memoryGauges() const {
    profile::MemoryGauges gauges;
    const schedule::MemoryLedger::Snapshot ledger = scheduler_->ledger().snapshot();
    gauges.ledgerBytes = ledger.persistentBytes + ledger.reservedBytes;
    gauges.reservedBytes = ledger.reservedBytes;
    gauges.ledgerBudgetBytes = ledger.budgetBytes;
    gauges.allocatorBytes = parts_.allocatorBytes ? parts_.allocatorBytes() : 0;
    gauges.residentBytes = profile::residentBytes();
    if (const auto device = device_.read()) {
        gauges.vramUsedBytes = device->usedBytes;
        gauges.vramTotalBytes = device->totalBytes;
    }
    return gauges;
}

/// Sleeps until `next`, and on as long as there is no reason for a sample; false at the end.
bool EngineImpl::awaitSample(const std::stop_token& stop, TimePoint& next) {
    std::unique_lock lock(mutex_);
    sampling_.wait_until(lock, stop, next, [] { return false; });
    const auto hasReason = [this] {
        return attention_ == Attention::Watched || !prompts_.empty() || !jobs_.empty() ||
               !recognitions_.empty();
    };
    if (!hasReason()) {
        sampling_.wait(lock, stop, hasReason);
        next = clock_.now();
    }
    return !stop.stop_requested();
}

/// One sample a period, on absolute times, until the engine ends.
void EngineImpl::sample(const std::stop_token& stop) {
    TimePoint next = clock_.now();
    do {
        const Result<std::uint64_t> generation = library_->generation();
        const int other = otherWriter();
        bool hasChanged = false;
        {
            const std::lock_guard state(mutex_);
            hasChanged = other != otherWriter_ || (generation && *generation != generation_);
        }
        if (hasChanged) {
            refreshStatus();
        }
        profile::Sample current;
        current.time = clock_.now();
        current.interactive = profiler_.recentTotals(Urgency::Interactive, profile::kSampleWindow);
        for (const schedule::LaneStats& entry : scheduler_->stats().lanes) {
            for (std::size_t i = 0; i < entry.ready.size(); ++i) {
                current.readyCount[i] += entry.ready[i];
                current.runningCount[i] += entry.running[i];
            }
        }
        current.memory = memoryGauges();
        profiler_.addSample(current);
        next += config_.samplePeriod;
    } while (awaitSample(stop, next));
}

// ---- checking

Result<std::vector<std::string>> EngineImpl::check(std::size_t sampleCount) {
    {
        std::unique_lock lock(mutex_);
        packKnown_.wait(lock, [this] { return packState_ != PackState::Loading; });
        if (packState_ == PackState::Failed) {
            return *packError_;
        }
    }
    return checkLibrary(*context_, config_.library, sampleCount);
}

}  // namespace bifocal
