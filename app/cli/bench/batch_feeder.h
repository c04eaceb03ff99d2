// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/engine/engine.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace bifocal::cli {

/// Indexing without end: every folder is indexed again as soon as it has been, after each of its
/// files got one more byte behind its end, which makes it another content with the same picture.
/// The vectors of the old contents are forgotten by the run itself. With two folders or more the
/// batch lanes never run dry between runs. Invariants: (1) a folder's files change only while it is
/// not being indexed; (2) the engine is called with no lock held. Threads: safe; stop() once. The
/// destructor stops.
class BatchFeeder {
public:
    /// Starts with folders of pictures that are ours to change; the engine outlives the feeder. The
    /// errors of Engine::addCollection and Engine::startIndexing, and of writing.
    static Result<std::unique_ptr<BatchFeeder>> start(Engine& engine,
                                                      std::vector<std::filesystem::path> folders);

    BatchFeeder(const BatchFeeder&) = delete;
    BatchFeeder& operator=(const BatchFeeder&) = delete;
    ~BatchFeeder();

    /// Pictures settled so far.
    std::uint64_t doneCount() const;
    /// Waits until that many are settled: true. False when a run failed before, as stop() tells.
    bool awaitDone(std::uint64_t count);
    /// Whether it ended by itself: stop() says why.
    bool hasFailed() const;
    /// Cancels what runs and waits for it. The first error of a run; Corruption when pictures
    /// failed.
    Result<void> stop();

private:
    struct Folder {
        std::filesystem::path path;
        char mark = 'a';  ///< the byte that is appended: equal files in two folders stay different
        CollectionId collection;
        RequestId request;
        std::uint64_t doneBefore = 0;  ///< by earlier runs
        std::uint64_t doneNow = 0;     ///< by the present one
        bool isRunning = false;
    };

    explicit BatchFeeder(Engine& engine) : engine_(engine) {}
    Result<void> run(std::size_t index);
    void feed();
    std::uint64_t doneCountLocked() const;
    void onProgress(std::size_t index, const IndexProgress& progress);
    std::optional<std::size_t> idleFolder() const;

    Engine& engine_;
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::vector<Folder> folders_;
    std::uint64_t failedCount_ = 0;
    std::optional<Error> error_;
    bool isStopping_ = false;
    std::thread thread_;
};

}  // namespace bifocal::cli
