// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/half.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/index/internal/commit_log.h"
#include "core/index/internal/extent_map.h"
#include "core/index/internal/row_table.h"
#include "core/index/internal/storage_file.h"
#include "core/index/vector_index.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace bifocal::index {

/// Writes row `index` of a commit: all of its stride, padding zero.
using RowWriter = std::function<void(std::size_t index, std::span<std::byte> out)>;

/// Whether a commit waits for the disk.
enum class Durability : std::uint8_t { BeforeReturn = 1, Later };

/// One open index file: what is committed in it, and how more gets in.
/// Invariants: (1) rows and keys go to places that no commit names yet, the record that names them
/// is written last; (2) when anything fails, the table stays as it was and the record is taken
/// back; when even that fails, or the disk did not say that it has the record, the file takes no
/// more commits until it is opened again.
/// Threads: compatible.
class IndexFile {
public:
    /// The bytes of an index without rows.
    static std::vector<std::byte> emptyFile(const IndexSpec& spec, std::uint32_t rowsPerExtent);

    /// Reads the header and nothing else. Corruption, Unsupported, Internal.
    static Result<std::unique_ptr<IndexFile>> open(std::unique_ptr<StorageFile> file);

    const FileHeader& header() const { return map_.header(); }
    const RowTable& table() const { return table_; }
    std::uint64_t sequence() const { return position_.sequence; }
    /// The last commit, when its record is whole and its rows are not what was written.
    std::optional<std::uint64_t> lostSequence() const { return lostSequence_; }
    Result<FileIdentity> identity() const { return file_->identity(); }

    /// Takes up the commits that came since the last call. Corruption, Internal, and
    /// ResourceExhausted when no more memory can be mapped.
    Result<void> takeUp(const ReadOptions& options);

    /// Cuts off a torn tail and makes the file's length what its extents say.
    Result<void> repairTail();

    /// Adds rows, replaces rows of the same keys, and buries `removed`, as one commit; a key that
    /// comes twice keeps its last row. ResourceExhausted, Internal.
    Result<void> commit(std::span<const ContentKey> keys,
                        const RowWriter& writeRow,
                        std::span<const ContentKey> removed,
                        Durability durability);

    Result<void> sync() { return file_->sync(); }

    std::shared_ptr<const IndexSnapshot> publish(std::uint64_t generation) {
        return table_.publish(generation);
    }

private:
    IndexFile(std::unique_ptr<StorageFile> file, const FileHeader& header);

    std::vector<std::uint32_t> tombstonesOf(std::span<const ContentKey> keys,
                                            std::span<const ContentKey> removed) const;
    Result<void> makeRoom(std::uint64_t rowCount, std::uint64_t recordBytes);
    Result<std::uint64_t> writeRows(std::span<const ContentKey> keys, const RowWriter& writeRow);
    Result<void> writeRecord(std::span<const std::byte> record, Durability durability);

    std::unique_ptr<StorageFile> file_;
    ExtentMap map_;
    RowTable table_;
    LogPosition position_;
    bool isTorn_ = false;
    bool isBroken_ = false;
    std::optional<std::uint64_t> lostSequence_;
};

}  // namespace bifocal::index
