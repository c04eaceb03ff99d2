// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/library/walk.h"
#include "core/pipeline/context.h"
#include "core/pipeline/index_progress.h"
#include "core/pipeline/library_writer.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace bifocal {

/// Brings one collection up to date:
///
///     pool: walk ─→ queue of changed files ─→ pool: prepare ─→ image lane: encode ─→ pool: commit
///
/// all of it as Batch. The walk compares stamps; a batch is read, hashed and decoded, encoded in
/// one call and committed in one step. At most kMaxBatches batches are under way: the graph pulls,
/// it is never flooded. Invariants: (1) a vector is stored under the hash of the very bytes it was
/// made from; (2) a file that fails never shifts its neighbours; (3) files of a folder that could
/// not be read, or of a root that is gone, are never taken for deleted; (4) exactly one terminal
/// progress. Threads: safe. Kept alive by its own tasks.
class IndexJob : public std::enable_shared_from_this<IndexJob> {
public:
    static constexpr int kMaxBatches = 4;
    static constexpr std::uint32_t kBatchSize = 8;  ///< pictures; where the towers' curve is flat
    /// Of the decoded pictures of a batch.
    static constexpr std::uint64_t kPixelBytes =
        std::uint64_t{kBatchSize} * kEncodeSide * kEncodeSide * 4;

    IndexJob(const PipelineContext& context,
             std::shared_ptr<LibraryWriter> writer,
             CollectionRecord collection,
             RequestId request,
             IndexHandler handler,
             std::function<void(profile::Outcome)> onEnd);

    /// Queues the walk. On failure no progress is ever sent and onEnd is not called.
    Result<void> start();

    void pause();
    void resume();
    /// The terminal progress follows when the batches under way have ended.
    void cancel();

    IndexProgress progress() const;
    CollectionId collection() const { return collection_.id; }

private:
    /// A file that the walk found new or changed.
    struct Candidate {
        WalkEntry entry;
        std::optional<KnownFile> known;
    };
    struct Item;
    struct Batch;
    using Step = void (IndexJob::*)(const std::shared_ptr<Batch>&, const schedule::WorkerContext&);

    Result<void> enqueue(schedule::LaneId lane,
                         const char* stage,
                         std::uint32_t itemCount,
                         std::function<void(const schedule::WorkerContext&)> run,
                         std::function<void()> onAbandoned);
    void forward(const std::shared_ptr<Batch>& batch,
                 schedule::LaneId lane,
                 const char* stage,
                 Step step);
    Result<void> scan();
    void runWalk();
    void compare(WalkEntry entry);
    void pump();
    void prepare(const std::shared_ptr<Batch>& batch, const schedule::WorkerContext& worker);
    void prepareItem(Item& item);
    bool adoptKnownContent(Item& item);
    void encode(const std::shared_ptr<Batch>& batch, const schedule::WorkerContext& worker);
    void encodeOneByOne(Batch& batch, ImageEncoder& encoder);
    void commit(const std::shared_ptr<Batch>& batch, const schedule::WorkerContext& worker);
    void countBatch(const Batch& batch);
    void endBatch();
    void finish();
    Result<void> removeVanished();
    void fail(Error error);
    void terminate(IndexState state, std::optional<Error> error);
    void report();
    IndexProgress progressLocked() const;

    const PipelineContext& context_;
    std::shared_ptr<LibraryWriter> writer_;  ///< given back just before the terminal progress
    const CollectionRecord collection_;
    const RequestId request_;
    const IndexHandler handler_;
    const std::function<void(profile::Outcome)> onEnd_;
    const TimePoint begin_;
    std::stop_source stop_;

    std::mutex reportMutex_;    ///< one handler call at a time, in order; taken before mutex_
    mutable std::mutex mutex_;  ///< guards everything below
    IndexState state_ = IndexState::Walking;
    std::unordered_map<std::string, KnownFile> unseen_;  ///< known, not met by the walk so far
    std::unordered_map<std::string, std::string>
        knownReasons_;                             ///< of failures that did not change
    std::unordered_set<std::uint64_t> movedAway_;  ///< ids of files that moved, at their old place
    std::deque<Candidate> queue_;
    std::vector<PathReason> skipped_;
    IndexSummary summary_;
    std::uint64_t foundCount_ = 0;
    std::uint64_t doneCount_ = 0;
    int batchCount_ = 0;  ///< under way
    bool walkIsDone_ = false;
    bool isPaused_ = false;
    bool isFinishing_ = false;
    std::optional<Error> failure_;
    TimePoint lastReport_;
    std::deque<std::pair<TimePoint, std::uint64_t>>
        rate_;  ///< (when, doneCount) of the last seconds
};

}  // namespace bifocal
