// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/image_buffer.h"
#include "core/base/result.h"
#include "core/inference/model_pack.h"
#include "core/pipeline/index_progress.h"
#include "core/pipeline/prompt_event.h"
#include "core/pipeline/results.h"
#include "core/profile/explanation.h"
#include "core/profile/live_lines.h"
#include "core/profile/profiler.h"
#include "core/profile/recording.h"
#include "core/schedule/scheduler.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bifocal {

struct EngineConfig {
    std::filesystem::path library;     ///< directory; made when missing
    std::filesystem::path packFolder;  ///< the pack to search with
    std::filesystem::path cache;       ///< thumbnails; made when missing
    /// The recogniser of spoken prompts; need not be there. Loaded by the first spoken prompt.
    std::filesystem::path speechFolder;
    std::uint32_t batchWorkerCount = 2;
    std::uint64_t memoryBudgetBytes = 0;                     ///< 0: half of the machine's memory
    Duration samplePeriod = std::chrono::milliseconds(500);  ///< of the profiler's live samples
};

/// What the composition root gives to the engine; nothing above it names a backend.
struct EngineParts {
    PackLoader loadPack;
    std::function<std::uint64_t()> allocatorBytes;  ///< may be empty
    SpeechLoader loadSpeech;                        ///< may be empty: no spoken prompts
};

using ImageHandler = std::function<void(Result<ImageBuffer>)>;
using SpeechHandler = std::function<void(Result<RecognizedSpeech>)>;
using RowsHandler = std::function<void(Result<std::vector<ResultRow>>)>;
using FailuresHandler = std::function<void(Result<std::vector<FailureRecord>>)>;

enum class PackState : std::uint8_t { Loading = 1, Ready, Failed };
/// What it was that could not be opened.
enum class PackFault : std::uint8_t {
    Models = 1,
    Vectors,  ///< of the library: setAsideDamagedVectors() helps
};

/// What a window shows without asking the disk. Threads: value.
struct EngineStatus {
    PackState packState = PackState::Loading;
    std::optional<PackInfo> pack;             ///< when ready
    std::optional<Error> packError;           ///< when failed
    PackFault packFault = PackFault::Models;  ///< when failed
    std::vector<CollectionRecord> collections;
    std::vector<IndexProgress> running;   ///< one per indexing run that has not ended
    std::uint64_t pictureCount = 0;       ///< files that can be found
    std::uint64_t libraryGeneration = 0;  ///< grows with each change of the library, by any process
    std::optional<int> writerProcess;     ///< another process that is indexing this library
};

/// The one facade that the window, the command line and the tests know.
/// Threads: safe; no call blocks on work or on a disk longer than a look-up.
/// Owns: the scheduler and its threads, the library, the index, the profiler. The destructor
/// cancels what runs (each request still gets its terminal event), waits for it and joins; no event
/// comes after it.
class Engine {
public:
    /// Opens the library and starts; the pack is loaded in the background, and prompts submitted
    /// meanwhile wait for it. Corruption, Unsupported (a library from a newer build), Internal.
    static Result<std::unique_ptr<Engine>> open(EngineConfig config, EngineParts parts);

    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    // ---- prompts

    /// Starts a prompt. `supersedes`, when it still runs, is cancelled first (typed search).
    /// InvalidArgument (see normalizePrompt), Unsupported (speech without a recogniser), Busy. On
    /// failure the handler is never called. A prompt that is nothing but silence fails with
    /// InvalidArgument once it was listened to.
    virtual Result<RequestId> submit(Prompt prompt,
                                     PromptHandler handler,
                                     RequestId supersedes = {}) = 0;
    /// Whether spoken prompts can be understood: a recogniser is installed. One look at the disk.
    virtual bool canHear() const = 0;
    /// What is said in a clip, for words that a person wants to see before they are searched; as
    /// urgent as a prompt. The handler is called once, on a worker. Unsupported (no recogniser),
    /// Busy, ResourceExhausted: it is never called. cancel() ends it early with Cancelled.
    virtual Result<RequestId> recognize(SpeechClip clip, SpeechHandler handler) = 0;
    /// Asks a prompt, a recognition or an indexing run to stop; its terminal event follows. Unknown
    /// ids are passed by.
    virtual void cancel(RequestId request) = 0;

    // ---- library

    /// Busy when another process has the writer's lock.
    virtual Result<CollectionId> addCollection(const std::filesystem::path& root) = 0;
    virtual Result<void> removeCollection(CollectionId collection) = 0;
    /// Scans the collection and encodes what changed. Busy (another process writes), NotFound,
    /// AlreadyExists (this collection is being indexed).
    virtual Result<RequestId> startIndexing(CollectionId collection, IndexHandler handler) = 0;
    virtual void pauseIndexing(RequestId request) = 0;
    virtual void resumeIndexing(RequestId request) = 0;
    /// Forgets these failures (all when empty) and indexes the collection again.
    virtual Result<RequestId> retryFailures(CollectionId collection,
                                            std::vector<std::filesystem::path> paths,
                                            IndexHandler handler) = 0;
    virtual void failures(std::optional<CollectionId> collection, FailuresHandler handler) = 0;
    /// Pictures without a prompt, newest first.
    virtual void browse(std::optional<CollectionId> collection,
                        std::size_t offset,
                        std::size_t limit,
                        RowsHandler handler) = 0;

    // ---- pictures

    /// The picture reduced to fit side × side, from the thumbnail cache when side ≤ kThumbnailSide.
    /// Runs as `urgency`; cancel() drops it (the handler gets Cancelled).
    virtual RequestId loadImage(const ImageSource& source,
                                int side,
                                Urgency urgency,
                                ImageHandler handler) = 0;

    // ---- state

    virtual EngineStatus status() const = 0;
    enum class Attention : std::uint8_t { Watched = 1, Unwatched };
    /// Unwatched, and with no request running, nothing is sampled and other processes' changes are
    /// not looked for: no thread of the engine wakes up. It begins Watched.
    virtual void setAttention(Attention attention) = 0;
    virtual const profile::Profiler& profiler() const = 0;
    virtual schedule::SchedulerStats schedulerStats() const = 0;
    /// The order of service from now on, also of what is queued already; see Scheduler::retune().
    virtual Result<void> retune(const schedule::Tuning& tuning) = 0;
    /// What retune() was last given; the default before.
    virtual schedule::Tuning tuning() const = 0;

    // ---- checking

    /// Structure of database and vectors, orphans; and, for up to `sampleCount` pictures (0: none,
    /// SIZE_MAX: all), that the stored vector is the one its file gives alone. Problems, empty:
    /// clean.
    virtual Result<std::vector<std::string>> check(std::size_t sampleCount) = 0;

    static constexpr int kThumbnailSide = 320;
};

}  // namespace bifocal
