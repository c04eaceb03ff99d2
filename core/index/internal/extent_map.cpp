// SPDX-License-Identifier: Apache-2.0
#include "core/index/internal/extent_map.h"

#include <algorithm>
#include <array>

namespace bifocal::index {

void ExtentMap::add(const ExtentHeader& extent) {
    (extent.kind == ExtentKind::Rows ? rows_ : logs_).push_back({end_, extent.sizeBytes});
    end_ += extent.sizeBytes;
}

Result<void> ExtentMap::discover(const StorageFile& file) {
    BIFOCAL_TRY(const std::uint64_t fileBytes, file.sizeBytes());
    damagedAt_.reset();
    // Twice: the first look may have met the header while it was being written.
    int looksLeft = 2;
    while (end_ < fileBytes) {
        std::array<std::byte, sizeof(ExtentHeader)> bytes{};
        BIFOCAL_TRY(const std::size_t count, file.readAt(end_, bytes));
        const std::optional<ExtentHeader> extent =
            parseExtentHeader(std::span(bytes).first(count), header_);
        const std::uint64_t number = rows_.size() + logs_.size();
        const bool fits = extent && extent->number == number &&
                          (extent->kind == ExtentKind::Log || extent->firstRow == rowCapacity()) &&
                          extent->sizeBytes <= UINT64_MAX / 2 - end_;
        if (fits) {
            add(*extent);
            looksLeft = 2;
        } else if (count < bytes.size() || isZero(bytes)) {
            break;  // room that was made for an extent that was never written
        } else if (--looksLeft == 0) {
            damagedAt_ = end_;
            break;
        }
    }
    endsWithExtents_ = fileBytes < end_ + sizeof(ExtentHeader);
    return {};
}

Result<void> ExtentMap::append(StorageFile& file, ExtentKind kind, std::uint64_t sizeBytes) {
    ExtentHeader header;
    header.kind = kind;
    header.number = rows_.size() + logs_.size();
    header.sizeBytes = sizeBytes;
    header.firstRow = kind == ExtentKind::Rows ? rowCapacity() : 0;
    header.fileId = header_.fileId;
    header = makeExtentHeader(header);
    BIFOCAL_CHECK(file.resize(end_ + sizeBytes));
    BIFOCAL_CHECK(file.writeAt(end_, std::as_bytes(std::span(&header, 1))));
    add(header);
    return {};
}

std::vector<RowPiece> ExtentMap::pieces(std::uint64_t firstRow, std::uint64_t rowCount) const {
    const std::uint32_t perExtent = header_.rowsPerExtent;
    std::vector<RowPiece> pieces;
    for (std::uint64_t row = firstRow; row < firstRow + rowCount;) {
        const std::size_t extent = row / perExtent;
        BIFOCAL_ASSERT(extent < rows_.size());
        const std::uint64_t within = row % perExtent;
        const std::uint64_t count = std::min(perExtent - within, firstRow + rowCount - row);
        const std::uint64_t offset = rows_[extent].offset;
        pieces.push_back({extent,
                          row,
                          static_cast<std::uint32_t>(count),
                          offset + keysOffsetInExtent() + within * sizeof(ContentKey),
                          offset + rowsOffsetInExtent(perExtent) + within * header_.strideBytes});
        row += count;
    }
    return pieces;
}

std::uint64_t ExtentMap::endOffsetOf(std::uint64_t firstRow, std::uint64_t rowCount) const {
    std::uint64_t end = 0;
    for (const RowPiece& piece : pieces(firstRow, rowCount)) {
        end = piece.rowsOffset + std::uint64_t{piece.rowCount} * header_.strideBytes;
    }
    return end;
}

}  // namespace bifocal::index
