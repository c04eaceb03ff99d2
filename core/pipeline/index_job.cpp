// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/index_job.h"

#include "core/base/files.h"
#include "core/pipeline/internal/index_item.h"
#include "core/pipeline/picture_files.h"
#include "core/pipeline/prompt_image.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace bifocal {
namespace {

constexpr Duration kReportPeriod = std::chrono::milliseconds(50);
constexpr Duration kRateWindow = std::chrono::seconds(5);

bool isGone(const std::filesystem::path& path) {
    const Result<FileStamp> stamp = stampOf(path);
    return !stamp && stamp.error().code == ErrorCode::NotFound;
}

}  // namespace

IndexJob::IndexJob(const PipelineContext& context,
                   std::shared_ptr<LibraryWriter> writer,
                   CollectionRecord collection,
                   RequestId request,
                   IndexHandler handler,
                   std::function<void(profile::Outcome)> onEnd)
    : context_(context),
      writer_(std::move(writer)),
      collection_(std::move(collection)),
      request_(request),
      handler_(std::move(handler)),
      onEnd_(std::move(onEnd)),
      begin_(context.clock.now()) {}

Result<void> IndexJob::start() {
    return enqueue(
        context_.lanes.pool,
        "walk",
        1,
        [self = shared_from_this()](const schedule::WorkerContext&) { self->runWalk(); },
        [self = shared_from_this()] {
            self->fail({ErrorCode::Cancelled, "abandoned"});
            {
                const std::lock_guard lock(self->mutex_);
                self->walkIsDone_ = true;
            }
            self->pump();
        });
}

void IndexJob::pause() {
    {
        const std::lock_guard lock(mutex_);
        isPaused_ = true;
    }
    report();
}

void IndexJob::resume() {
    {
        const std::lock_guard lock(mutex_);
        isPaused_ = false;
    }
    report();
    pump();
}

void IndexJob::cancel() {
    stop_.request_stop();
    context_.scheduler.cancelRequest(request_);
    resume();  // a paused job has to reach its end
}

Result<void> IndexJob::enqueue(schedule::LaneId lane,
                               const char* stage,
                               std::uint32_t itemCount,
                               std::function<void(const schedule::WorkerContext&)> run,
                               std::function<void()> onAbandoned) {
    schedule::TaskSpec spec;
    spec.request = request_;
    spec.stage = stage;
    spec.lane = lane;
    spec.urgency = Urgency::Batch;
    spec.features.hasImage = true;
    spec.itemCount = itemCount;
    spec.bytes = context_.memory.estimate(stage, 0, itemCount).value_or(0);
    spec.stop = stop_.get_token();
    auto work = schedule::makeWork(
        std::move(run), [abandoned = std::move(onAbandoned)](schedule::Abandoned) { abandoned(); });
    BIFOCAL_CHECK(context_.scheduler.enqueue(spec, std::move(work)));
    return {};
}

void IndexJob::forward(const std::shared_ptr<Batch>& batch,
                       schedule::LaneId lane,
                       const char* stage,
                       Step step) {
    const auto count = static_cast<std::uint32_t>(batch->items.size());
    Result<void> queued = enqueue(
        lane,
        stage,
        count,
        [self = shared_from_this(), batch, step](const schedule::WorkerContext& worker) {
            (self.get()->*step)(batch, worker);
        },
        [self = shared_from_this()] { self->endBatch(); });
    if (!queued) {
        fail(std::move(queued).error());
        endBatch();
    }
}

// ---- walk

Result<void> IndexJob::scan() {
    // Another program may have written since this one last looked.
    BIFOCAL_CHECK(context_.index.refresh());
    BIFOCAL_TRY(auto known, context_.library.knownFiles(collection_.id));
    BIFOCAL_TRY(std::vector<FailureRecord> failures, context_.library.failures(collection_.id));
    {
        const std::lock_guard lock(mutex_);
        unseen_ = std::move(known);
        for (FailureRecord& failure : failures) {
            knownReasons_.emplace(failure.path.native(), std::move(failure.reason));
        }
    }
    BIFOCAL_TRY(std::vector<WalkProblem> problems,
                walk(collection_.root, stop_.get_token(), [this](WalkEntry entry) {
                    compare(std::move(entry));
                }));
    const std::lock_guard lock(mutex_);
    for (WalkProblem& problem : problems) {
        skipped_.push_back({std::move(problem.path), std::move(problem.reason)});
    }
    return {};
}

void IndexJob::runWalk() {
    Result<void> outcome = scan();
    if (!outcome) {
        fail(std::move(outcome).error());
    }
    {
        const std::lock_guard lock(mutex_);
        walkIsDone_ = true;
        if (state_ == IndexState::Walking) {
            state_ = IndexState::Indexing;
        }
    }
    report();
    pump();
}

void IndexJob::compare(WalkEntry entry) {
    std::optional<KnownFile> known;
    bool isUnchanged = false;
    {
        const std::lock_guard lock(mutex_);
        const auto found = unseen_.find(entry.path.native());
        if (found != unseen_.end()) {
            known = found->second;
            unseen_.erase(found);
        }
    }
    if (known && known->stamp == entry.stamp) {
        // A picture is settled only when this pack has its vector too.
        isUnchanged =
            known->isFailure || context_.index.snapshot()->find(known->content).has_value();
    }
    if (!isUnchanged && !known && !mayBePicture(entry.path)) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        ++foundCount_;
        if (isUnchanged) {
            ++doneCount_;
            if (known->isFailure) {
                summary_.failed.push_back({entry.path, knownReasons_[entry.path.native()]});
            } else {
                ++summary_.unchanged;
            }
        } else {
            queue_.push_back({std::move(entry), known});
        }
    }
    report();
    pump();
}

// ---- batches

void IndexJob::pump() {
    for (;;) {
        std::shared_ptr<Batch> batch;
        {
            const std::lock_guard lock(mutex_);
            if (stop_.stop_requested()) {
                queue_.clear();
            }
            const bool isReady = queue_.size() >= kBatchSize || (walkIsDone_ && !queue_.empty());
            if (isReady && !isPaused_ && batchCount_ < kMaxBatches) {
                const std::size_t count = std::min<std::size_t>(kBatchSize, queue_.size());
                batch = std::make_shared<Batch>();
                for (std::size_t i = 0; i < count; ++i) {
                    batch->items.emplace_back(std::move(queue_.front()));
                    queue_.pop_front();
                }
                ++batchCount_;
            } else if (walkIsDone_ && queue_.empty() && batchCount_ == 0 && !isFinishing_) {
                isFinishing_ = true;
            } else {
                return;
            }
        }
        if (!batch) {
            finish();
            return;
        }
        forward(batch, context_.lanes.pool, "prepare", &IndexJob::prepare);
    }
}

void IndexJob::endBatch() {
    {
        const std::lock_guard lock(mutex_);
        --batchCount_;
    }
    report();
    pump();
}

void IndexJob::prepare(const std::shared_ptr<Batch>& batch, const schedule::WorkerContext&) {
    bool needsEncoder = false;
    for (Item& item : batch->items) {
        if (stop_.stop_requested()) {
            endBatch();
            return;
        }
        prepareItem(item);
        needsEncoder = needsEncoder || !item.pixels.isEmpty();
    }
    if (needsEncoder) {
        forward(batch, context_.lanes.image, "encode_image", &IndexJob::encode);
    } else {
        forward(batch, context_.lanes.pool, "commit", &IndexJob::commit);
    }
}

void IndexJob::prepareItem(Item& item) {
    const std::filesystem::path& path = item.entry.path;
    const Result<std::vector<std::uint8_t>> bytes = readFile(path, kMaxImageBytes);
    if (!bytes) {
        if (bytes.error().code == ErrorCode::NotFound) {
            item.kind = Item::Kind::Dropped;  // deleted since the walk: the next scan settles it
        } else {
            item.failWith(bytes.error());
        }
        return;
    }
    // The stamp belongs to the bytes only when it is the same after they were read.
    const Result<FileStamp> stampAfter = stampOf(path);
    if (!stampAfter || *stampAfter != item.entry.stamp || bytes->size() != stampAfter->sizeBytes) {
        item.failWith({ErrorCode::Busy, "changed while it was read; the next scan reads it again"});
        item.entry.stamp = {};  // never equal to a real one
        return;
    }
    item.record.collection = collection_.id;
    item.record.path = path;
    item.record.stamp = item.entry.stamp;
    item.record.content = contentKeyOf(*bytes);
    if (adoptKnownContent(item)) {
        return;
    }
    Result<LoadedImage> loaded = loadImageBytes(*bytes, kEncodeSide);
    if (!loaded) {
        item.failWith(loaded.error());
        return;
    }
    item.record.width = loaded->originalWidth;
    item.record.height = loaded->originalHeight;
    item.record.perceptualHash = loaded->perceptualHash;
    item.kind = Item::Kind::Indexed;
    if (!context_.index.snapshot()->find(item.record.content)) {
        item.pixels = std::move(loaded->pixels);
    }
}

/// Content that the library knows and this pack has a vector for needs no decoding.
bool IndexJob::adoptKnownContent(Item& item) {
    if (!context_.index.snapshot()->find(item.record.content)) {
        return false;
    }
    const Result<std::vector<FileRecord>> twins =
        context_.library.filesWithContent(item.record.content);
    if (!twins || twins->empty()) {
        return false;
    }
    const FileRecord& twin = twins->front();
    item.record.width = twin.width;
    item.record.height = twin.height;
    item.record.perceptualHash = twin.perceptualHash;
    if (item.known && item.known->content == item.record.content) {
        item.kind = Item::Kind::Unchanged;  // touched, not changed
        return true;
    }
    item.kind = Item::Kind::Indexed;  // a copy, unless an old place is empty now
    for (const FileRecord& file : *twins) {
        if (file.path != item.record.path && isGone(file.path)) {
            const std::lock_guard lock(mutex_);
            if (movedAway_.insert(file.id.value).second) {
                item.kind = Item::Kind::Moved;
                item.movedFrom = file.id;
                break;
            }
        }
    }
    return true;
}

void IndexJob::encode(const std::shared_ptr<Batch>& batch, const schedule::WorkerContext& worker) {
    const Result<ImageEncoder*> encoder = context_.encoders.image(worker, Urgency::Batch);
    if (!encoder) {
        fail(encoder.error());
        endBatch();
        return;
    }
    const std::size_t dim = context_.pack->info().layout.dim;
    std::vector<Item*> wanted;
    std::vector<ImageView> views;
    for (Item& item : batch->items) {
        if (!item.pixels.isEmpty()) {
            wanted.push_back(&item);
            views.push_back(item.pixels.view());
        }
    }
    std::vector<float> rows(views.size() * dim);
    const Result<void> outcome = (*encoder)->encode(views, rows, stop_.get_token());
    if (outcome) {
        context_.memory.record(
            "encode_image", 0, static_cast<std::uint32_t>(views.size()), (*encoder)->peakBytes());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            wanted[i]->takeRow(std::span(rows).subspan(i * dim, dim));
        }
    } else if (outcome.error().code == ErrorCode::Cancelled) {
        endBatch();
        return;
    } else {
        encodeOneByOne(*batch, **encoder);
    }
    forward(batch, context_.lanes.pool, "commit", &IndexJob::commit);
}

/// One picture of a batch that failed must not cost the others theirs.
void IndexJob::encodeOneByOne(Batch& batch, ImageEncoder& encoder) {
    const std::size_t dim = context_.pack->info().layout.dim;
    for (Item& item : batch.items) {
        if (item.pixels.isEmpty()) {
            continue;
        }
        std::vector<float> row(dim);
        const ImageView view = item.pixels.view();
        const Result<void> outcome = encoder.encode({&view, 1}, row, stop_.get_token());
        if (outcome) {
            item.takeRow(row);
        } else if (outcome.error().code == ErrorCode::Cancelled) {
            item.kind = Item::Kind::Dropped;
            item.pixels = {};
        } else {
            item.failWith(outcome.error());
        }
    }
}

void IndexJob::commit(const std::shared_ptr<Batch>& batch, const schedule::WorkerContext&) {
    std::vector<ContentKey> keys;
    std::vector<float> rows;
    std::unordered_set<ContentKey> added;
    LibraryChange change;
    change.collection = collection_.id;
    for (const Item& item : batch->items) {
        if (item.kind == Item::Kind::Dropped) {
            continue;
        }
        if (item.kind == Item::Kind::Failed) {
            change.failures.push_back({collection_.id,
                                       item.entry.path,
                                       item.entry.stamp,
                                       item.failure.code,
                                       item.failure.message});
            continue;
        }
        change.upserts.push_back(item.record);
        if (item.kind == Item::Kind::Moved) {
            change.removals.push_back(item.movedFrom);  // perhaps of another collection
        }
        if (!item.row.empty() && added.insert(item.record.content).second) {
            keys.push_back(item.record.content);
            rows.insert(rows.end(), item.row.begin(), item.row.end());
        }
    }
    Result<void> outcome = writer_->commit(keys, rows, change);
    if (outcome) {
        outcome = context_.index.refresh();
    }
    if (outcome) {
        countBatch(*batch);
    } else {
        fail(std::move(outcome).error());
    }
    endBatch();
}

void IndexJob::countBatch(const Batch& batch) {
    const std::lock_guard lock(mutex_);
    for (const Item& item : batch.items) {
        ++doneCount_;
        switch (item.kind) {
            case Item::Kind::Unchanged: ++summary_.unchanged; break;
            case Item::Kind::Moved: ++summary_.moved; break;
            case Item::Kind::Indexed: ++summary_.indexed; break;
            case Item::Kind::Failed:
                summary_.failed.push_back({item.entry.path, item.failure.message});
                break;
            case Item::Kind::Pending:
            case Item::Kind::Dropped: break;
        }
    }
}

// ---- end

/// The last batch has ended: settle what vanished, then say so.
void IndexJob::finish() {
    std::optional<Error> failure;
    {
        const std::lock_guard lock(mutex_);
        failure = failure_;
    }
    if (!failure && !stop_.stop_requested() && isGone(collection_.root)) {
        // A drive that was pulled out meanwhile: what was not seen has not vanished.
        failure = Error{ErrorCode::NotFound, collection_.root.string() + ": went away"};
    }
    if (!failure && !stop_.stop_requested()) {
        Result<void> outcome = removeVanished();
        if (outcome) {
            outcome = writer_->removeOrphans();
        }
        if (outcome) {
            outcome = writer_->markScanned(collection_.id);
        }
        if (outcome) {
            outcome = context_.index.refresh();
        }
        if (!outcome) {
            failure = std::move(outcome).error();
        }
    }
    if (failure && failure->code != ErrorCode::Cancelled) {
        terminate(IndexState::Failed, std::move(failure));
    } else if (stop_.stop_requested() || failure) {
        terminate(IndexState::Cancelled, std::nullopt);
    } else {
        terminate(IndexState::Done, std::nullopt);
    }
}

Result<void> IndexJob::removeVanished() {
    LibraryChange change;
    change.collection = collection_.id;
    std::unordered_map<std::string, KnownFile> unseen;
    {
        const std::lock_guard lock(mutex_);
        unseen = std::move(unseen_);
        // Those were removed with the commit of their new place, and their ids may be used again.
        std::erase_if(unseen, [this](const auto& entry) {
            return movedAway_.contains(entry.second.id.value);
        });
    }
    for (const auto& [path, known] : unseen) {
        if (!isGone(path)) {
            continue;  // in a folder that could not be read today
        }
        if (known.isFailure) {
            change.failureRemovals.emplace_back(path);
        } else {
            change.removals.push_back(known.id);
        }
    }
    BIFOCAL_CHECK(writer_->commit({}, {}, change));
    const std::lock_guard lock(mutex_);
    summary_.removed = change.removals.size();
    return {};
}

void IndexJob::fail(Error error) {
    {
        const std::lock_guard lock(mutex_);
        if (!failure_) {
            failure_ = std::move(error);
        }
    }
    stop_.request_stop();
}

void IndexJob::terminate(IndexState state, std::optional<Error> error) {
    const std::lock_guard order(reportMutex_);
    IndexProgress progress;
    {
        const std::lock_guard lock(mutex_);
        state_ = state;
        summary_.skipped = std::move(skipped_);
        summary_.seconds = std::chrono::duration<double>(context_.clock.now() - begin_).count();
        progress = progressLocked();
        progress.summary = summary_;
        progress.error = std::move(error);
    }
    writer_.reset();  // no batch is left that could use it
    onEnd_(state == IndexState::Done     ? profile::Outcome::Done
           : state == IndexState::Failed ? profile::Outcome::Failed
                                         : profile::Outcome::Cancelled);
    handler_(progress);
}

void IndexJob::report() {
    const std::lock_guard order(reportMutex_);
    IndexProgress progress;
    {
        const std::lock_guard lock(mutex_);
        const TimePoint now = context_.clock.now();
        if (state_ >= IndexState::Done ||
            (now - lastReport_ < kReportPeriod && lastReport_ != TimePoint{} && !isPaused_)) {
            return;
        }
        lastReport_ = now;
        rate_.emplace_back(now, doneCount_);
        while (rate_.size() > 2 && now - rate_.front().first > kRateWindow) {
            rate_.pop_front();
        }
        progress = progressLocked();
    }
    handler_(progress);
}

IndexProgress IndexJob::progress() const {
    const std::lock_guard lock(mutex_);
    return progressLocked();
}

IndexProgress IndexJob::progressLocked() const {
    IndexProgress progress;
    progress.request = request_;
    progress.collection = collection_.id;
    const bool isRunning = state_ == IndexState::Walking || state_ == IndexState::Indexing;
    progress.state = isPaused_ && isRunning ? IndexState::Paused : state_;
    progress.foundCount = foundCount_;
    progress.doneCount = doneCount_;
    progress.failedCount = summary_.failed.size();
    if (rate_.size() >= 2) {
        const double seconds =
            std::chrono::duration<double>(rate_.back().first - rate_.front().first).count();
        const auto count = static_cast<double>(rate_.back().second - rate_.front().second);
        progress.picturesPerSecond = seconds > 0 ? count / seconds : 0;
    }
    if (walkIsDone_ && progress.picturesPerSecond > 0) {
        progress.secondsLeft =
            static_cast<double>(foundCount_ - doneCount_) / progress.picturesPerSecond;
    }
    return progress;
}

}  // namespace bifocal
