// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/index/internal/format.h"
#include "core/index/internal/storage_file.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace bifocal::index {

struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t sizeBytes = 0;
};

/// Rows of one commit that lie in one extent.
struct RowPiece {
    std::size_t extent = 0;      ///< among the Rows extents
    std::uint64_t firstRow = 0;  ///< in the file
    std::uint32_t rowCount = 0;
    std::uint64_t keysOffset = 0;  ///< in the file
    std::uint64_t rowsOffset = 0;  ///< in the file
};

/// Which part of the file is what. Extents only ever join at the end. Threads: compatible.
class ExtentMap {
public:
    explicit ExtentMap(const FileHeader& header) : header_(header) {}

    /// Takes up extents that were added since. Their headers are written once and never change.
    Result<void> discover(const StorageFile& file);

    /// Adds one at the end and writes its header.
    Result<void> append(StorageFile& file, ExtentKind kind, std::uint64_t sizeBytes);

    /// Set when the bytes where the next extent starts are neither zeros nor a header.
    std::optional<std::uint64_t> damagedAt() const { return damagedAt_; }

    /// Whether the file ends where the known extents do, or before.
    bool endsWithExtents() const { return endsWithExtents_; }

    const FileHeader& header() const { return header_; }
    const std::vector<Extent>& rows() const { return rows_; }
    const std::vector<Extent>& logs() const { return logs_; }
    std::uint64_t endOffset() const { return end_; }
    std::uint64_t rowCapacity() const { return rows_.size() * header_.rowsPerExtent; }

    /// The pieces of rows [firstRow, firstRow + rowCount), in order. Requires: within capacity.
    std::vector<RowPiece> pieces(std::uint64_t firstRow, std::uint64_t rowCount) const;
    /// The file's size from which on these rows are all there.
    std::uint64_t endOffsetOf(std::uint64_t firstRow, std::uint64_t rowCount) const;

private:
    void add(const ExtentHeader& extent);

    FileHeader header_;
    std::vector<Extent> rows_;
    std::vector<Extent> logs_;
    std::uint64_t end_ = kAlignBytes;
    std::optional<std::uint64_t> damagedAt_;
    bool endsWithExtents_ = true;
};

}  // namespace bifocal::index
