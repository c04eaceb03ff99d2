// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files.h"
#include "core/base/result.h"
#include "core/index/vector_index.h"
#include "core/library/library.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace bifocal {

/// The right to change a library: its lock file, and database and vectors opened for writing. Held
/// while something is being indexed and given back when it is destroyed, so that another program
/// can have its turn. Invariant: vectors before rows, so a file record always has its vector; a
/// crash in between leaves a vector without a file, which removeOrphans() takes out. Threads: safe;
/// changes are made one at a time.
class LibraryWriter {
public:
    /// Busy when another process has the lock; makes what is missing.
    static Result<std::shared_ptr<LibraryWriter>> acquire(const std::filesystem::path& directory);

    /// Opens the pack's vectors for writing (and cuts off a torn tail); before the first commit
    /// with rows. Opening them again is fine. The errors of VectorIndex::open.
    Result<void> openVectors(const IndexSpec& spec);

    Result<CollectionId> addCollection(const std::filesystem::path& root);
    Result<void> removeCollection(CollectionId collection);
    Result<void> forgetFailures(CollectionId collection,
                                std::span<const std::filesystem::path> paths);
    Result<void> markScanned(CollectionId collection);

    /// keys[i] ↔ rows[i · dim …]; then the change, both durable when it returns.
    Result<void> commit(std::span<const ContentKey> keys,
                        std::span<const float> rows,
                        const LibraryChange& change);

    /// Tombstones the vectors of contents that no file has any more, in the vectors that are open.
    Result<void> removeOrphans();

private:
    LibraryWriter(std::filesystem::path directory, FileLock lock, std::unique_ptr<Library> library);

    const std::filesystem::path directory_;
    std::mutex mutex_;  ///< one change at a time
    FileLock lock_;
    std::unique_ptr<Library> library_;
    std::unique_ptr<VectorIndex> index_;
};

}  // namespace bifocal
