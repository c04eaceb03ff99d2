// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/index/internal/commit_log.h"
#include "core/index/internal/extent_map.h"
#include "core/index/internal/storage_file.h"
#include "core/index/vector_index.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace bifocal::index {

/// Committed rows of one Rows extent, as a snapshot holds them.
struct RowSegment {
    std::shared_ptr<const Mapping> mapping;
    std::shared_ptr<const std::vector<std::uint64_t>> live;  ///< one bit per row
    const std::byte* keys = nullptr;
    const std::byte* rows = nullptr;
    std::uint32_t rowCount = 0;
    std::uint32_t liveCount = 0;
};

/// Finds rows by key: row numbers in an open-addressed table, the keys stay in the file.
/// Grows by being replaced, so that a snapshot keeps the one it was made with.
/// Threads: one thread inserts while any number look up.
class KeyTable {
public:
    explicit KeyTable(std::size_t rowCapacity);

    bool isFull() const { return used_ * 2 >= slots_.size(); }
    void insert(const ContentKey& key, std::uint32_t row);

    /// The first candidate that `accepts(row)`. Candidates may be rows that a snapshot does not
    /// have yet, or other keys.
    template <typename Accepts>
    std::optional<std::uint32_t> find(const ContentKey& key, const Accepts& accepts) const {
        for (std::size_t slot = slotOf(key);; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::uint32_t entry = slots_[slot].load(std::memory_order_acquire);
            if (entry == 0) {
                return std::nullopt;
            }
            if (accepts(entry - 1)) {
                return entry - 1;
            }
        }
    }

private:
    std::size_t slotOf(const ContentKey& key) const {
        return std::hash<ContentKey>{}(key) & (slots_.size() - 1);
    }

    std::vector<std::atomic<std::uint32_t>> slots_;  ///< row + 1; 0: free
    std::size_t used_ = 0;
};

/// The rows of one file as the commits so far leave them. Threads: compatible; what publish()
/// gave out never changes.
class RowTable {
public:
    RowTable(const IndexSpec& spec, std::uint32_t rowsPerExtent);

    /// Maps the extents of the first `rowCount` rows.
    Result<void> mapThrough(std::uint64_t rowCount, const ExtentMap& map, const StorageFile& file);

    /// Requires: commits in order, their rows mapped.
    void apply(const Commit& commit, const ExtentMap& map);

    std::shared_ptr<const IndexSnapshot> publish(std::uint64_t generation);

    std::optional<std::uint32_t> find(const ContentKey& key) const;
    std::uint64_t rowCount() const { return rowCount_; }
    std::uint64_t liveCount() const { return liveCount_; }
    bool isLive(std::uint32_t row) const;
    ContentKey keyOf(std::uint64_t row) const;
    std::span<const std::byte> bytesOf(std::uint32_t row) const;  ///< all of its stride

private:
    /// A segment whose bits may still be changed in place, unless a snapshot has them.
    struct Growing {
        RowSegment segment;
        std::shared_ptr<std::vector<std::uint64_t>> live;
        bool isShared = false;
    };

    std::vector<std::uint64_t>& bitsToChange(Growing& growing);
    void addKeys(std::uint64_t firstRow, std::uint64_t rowCount);
    IndexSpec spec_;
    std::uint32_t rowsPerExtent_;
    std::vector<Growing> segments_;
    std::shared_ptr<KeyTable> keys_;
    std::uint64_t rowCount_ = 0;
    std::uint64_t liveCount_ = 0;
};

/// A snapshot without rows, for a file that is not there.
std::shared_ptr<const IndexSnapshot> makeEmptySnapshot(const IndexSpec& spec,
                                                       std::uint64_t generation);

}  // namespace bifocal::index
