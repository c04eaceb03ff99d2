// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/half.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "kernels/dot_top_k.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal {

/// What an index file was made for; another pack or another shape never opens it.
struct IndexSpec {
    std::string packId;
    std::size_t dim = 0;
    std::size_t strideBytes = 0;  ///< ≥ 2 · dim, a multiple of 64
};

/// A consistent, immutable view of the committed rows. Row numbers are stable for the life of the
/// file; removed rows stay as tombstones and are never found.
/// Threads: value; keeps its memory alive by itself, and no writer waits for it.
class IndexSnapshot {
public:
    IndexSnapshot() = default;
    IndexSnapshot(const IndexSnapshot&) = delete;
    IndexSnapshot& operator=(const IndexSnapshot&) = delete;
    virtual ~IndexSnapshot() = default;

    virtual std::size_t rowCount() const = 0;  ///< tombstones included
    virtual std::size_t liveCount() const = 0;
    virtual std::uint64_t generation() const = 0;  ///< grows with each commit
    virtual ContentKey key(std::uint32_t row) const = 0;
    virtual std::span<const Half> values(std::uint32_t row) const = 0;  ///< dim numbers
    virtual std::optional<std::uint32_t> find(const ContentKey& key) const = 0;

    /// Exact best rows, best first, ties by row number. `filter` as in kernels::dotTopK (empty:
    /// all live rows). Polls `stop` every 16,384 rows: Cancelled.
    virtual Result<kernels::TopKResult> search(std::span<const float> query,
                                               std::span<const std::uint64_t> filter,
                                               std::span<kernels::RowScore> best,
                                               std::stop_token stop) const = 0;
};

enum class IndexAccess : std::uint8_t { Read = 1, Write };

/// What doctor found in an index file. Threads: value.
struct IndexCheck {
    std::size_t rowCount = 0;
    std::size_t liveCount = 0;
    std::vector<std::string> problems;  ///< empty: clean
    bool isDamaged = false;             ///< in a way that opening for writing does not put right
};

/// The vectors of one pack in one file (FORMAT.md): append-only blocks with checksums.
/// Invariants: (1) append() returns after its rows are durable, or nothing of them is visible;
/// (2) a torn tail is cut off at the next open for writing and ignored by readers, never misread;
/// (3) a key has at most one live row; (4) readers never wait for the writer.
/// Opening for writing copies the live rows into a new file when most rows are dead (row numbers
/// start anew; snapshots keep theirs, readers follow with refresh()).
/// Threads: safe for snapshot() and refresh(); append() and remove() are lane(index): one thread
/// at a time. One writing process, held by the library's lock.
class VectorIndex {
public:
    /// Makes the file when it is missing and access is Write; an absent file read is an empty
    /// index. Corruption, InvalidArgument (another pack or shape), Internal.
    static Result<std::unique_ptr<VectorIndex>> open(const std::filesystem::path& file,
                                                     const IndexSpec& spec,
                                                     IndexAccess access);

    VectorIndex() = default;
    VectorIndex(const VectorIndex&) = delete;
    VectorIndex& operator=(const VectorIndex&) = delete;
    virtual ~VectorIndex() = default;

    /// Stores keys.size() rows (FP32, dim numbers each, rounded to FP16); a key that is live
    /// already replaces its row. InvalidArgument for a number that is not finite or sizes that do
    /// not fit.
    virtual Result<void> append(std::span<const ContentKey> keys, std::span<const float> rows) = 0;

    /// Tombstones; keys that are not there are passed by.
    virtual Result<void> remove(std::span<const ContentKey> keys) = 0;

    virtual std::shared_ptr<const IndexSnapshot> snapshot() const = 0;

    /// Takes up what another process committed since; cheap when nothing did.
    virtual Result<void> refresh() = 0;

    /// Reads every checksum. Works beside a writer. A commit that a crash cut off is no problem.
    /// NotFound, Internal; what is wrong with the bytes is in the result.
    static Result<IndexCheck> check(const std::filesystem::path& file);
};

}  // namespace bifocal
