// SPDX-License-Identifier: Apache-2.0
#include "core/index/internal/row_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

namespace bifocal::index {
namespace {

ContentKey keyIn(const RowSegment& segment, std::size_t index) {
    ContentKey key;
    std::memcpy(key.bytes.data(), segment.keys + index * sizeof(key), sizeof(key));
    return key;
}

bool isLiveIn(const RowSegment& segment, std::size_t index) {
    return ((*segment.live)[index / 64] >> (index % 64) & 1U) != 0;
}

class RowSnapshot final : public IndexSnapshot {
public:
    RowSnapshot(IndexSpec spec,
                std::uint32_t rowsPerExtent,
                std::vector<RowSegment> segments,
                std::shared_ptr<const KeyTable> keys,
                std::uint64_t generation)
        : spec_(std::move(spec)),
          rowsPerExtent_(rowsPerExtent),
          segments_(std::move(segments)),
          keys_(std::move(keys)),
          generation_(generation) {
        for (const RowSegment& segment : segments_) {
            rowCount_ += segment.rowCount;
            liveCount_ += segment.liveCount;
        }
    }

    std::size_t rowCount() const override { return rowCount_; }
    std::size_t liveCount() const override { return liveCount_; }
    std::uint64_t generation() const override { return generation_; }

    ContentKey key(std::uint32_t row) const override {
        BIFOCAL_ASSERT(row < rowCount_);
        return keyIn(segments_[row / rowsPerExtent_], row % rowsPerExtent_);
    }

    std::span<const Half> values(std::uint32_t row) const override {
        BIFOCAL_ASSERT(row < rowCount_);
        const std::byte* data =
            segments_[row / rowsPerExtent_].rows + (row % rowsPerExtent_) * spec_.strideBytes;
        return {reinterpret_cast<const Half*>(data), spec_.dim};
    }

    std::optional<std::uint32_t> find(const ContentKey& wanted) const override {
        if (keys_ == nullptr) {
            return std::nullopt;
        }
        return keys_->find(wanted, [&](std::uint32_t row) {
            return row < rowCount_ &&
                   isLiveIn(segments_[row / rowsPerExtent_], row % rowsPerExtent_) &&
                   key(row) == wanted;
        });
    }

    Result<kernels::TopKResult> search(std::span<const float> query,
                                       std::span<const std::uint64_t> filter,
                                       std::span<kernels::RowScore> best,
                                       std::stop_token stop) const override;

private:
    /// Filter for one segment: live rows that pass the caller's; empty when all rows do.
    std::span<const std::uint64_t> filterOf(std::size_t index,
                                            std::span<const std::uint64_t> filter,
                                            std::vector<std::uint64_t>& words) const;

    IndexSpec spec_;
    std::uint32_t rowsPerExtent_;
    std::vector<RowSegment> segments_;
    std::shared_ptr<const KeyTable> keys_;
    std::uint64_t generation_;
    std::size_t rowCount_ = 0;
    std::size_t liveCount_ = 0;
};

std::span<const std::uint64_t> RowSnapshot::filterOf(std::size_t index,
                                                     std::span<const std::uint64_t> filter,
                                                     std::vector<std::uint64_t>& words) const {
    const RowSegment& segment = segments_[index];
    const std::size_t wordCount = (segment.rowCount + std::size_t{63}) / 64;
    if (filter.empty()) {
        return segment.liveCount == segment.rowCount ? std::span<const std::uint64_t>()
                                                     : std::span(*segment.live).first(wordCount);
    }
    const auto mine = filter.subspan(index * (rowsPerExtent_ / 64), wordCount);
    words.resize(wordCount);
    std::ranges::transform(mine, *segment.live, words.begin(), std::bit_and<>());
    return words;
}

Result<kernels::TopKResult> RowSnapshot::search(std::span<const float> query,
                                                std::span<const std::uint64_t> filter,
                                                std::span<kernels::RowScore> best,
                                                std::stop_token stop) const {
    if (query.size() != spec_.dim) {
        return Error{ErrorCode::InvalidArgument,
                     "query of " + std::to_string(query.size()) + " numbers for rows of " +
                         std::to_string(spec_.dim)};
    }
    if (!filter.empty() && filter.size() < (rowCount_ + 63) / 64) {
        return Error{ErrorCode::InvalidArgument, "the filter has fewer bits than there are rows"};
    }
    kernels::TopKResult total;
    std::vector<kernels::RowScore> found(best.size());
    std::vector<kernels::RowScore> merged;
    std::vector<std::uint64_t> words;
    const auto isBetter = [](const kernels::RowScore& left, const kernels::RowScore& right) {
        return left.score != right.score ? left.score > right.score : left.row < right.row;
    };
    for (std::size_t index = 0; index < segments_.size(); ++index) {
        if (stop.stop_requested()) {
            return Error{ErrorCode::Cancelled, "search was cancelled"};
        }
        const RowSegment& segment = segments_[index];
        if (segment.liveCount == 0) {
            continue;
        }
        const kernels::HalfRows rows{segment.rows, segment.rowCount, spec_.strideBytes, spec_.dim};
        const auto firstRow = static_cast<std::uint32_t>(index * rowsPerExtent_);
        BIFOCAL_TRY(const kernels::TopKResult part,
                    kernels::dotTopK(rows, query, filterOf(index, filter, words), found, firstRow));
        total.moments.add(part.moments);
        merged.clear();
        std::merge(best.begin(),
                   best.begin() + static_cast<std::ptrdiff_t>(total.count),
                   found.begin(),
                   found.begin() + static_cast<std::ptrdiff_t>(part.count),
                   std::back_inserter(merged),
                   isBetter);
        total.count = std::min(merged.size(), best.size());
        std::copy_n(merged.begin(), total.count, best.begin());
    }
    return total;
}

}  // namespace

KeyTable::KeyTable(std::size_t rowCapacity)
    : slots_(std::bit_ceil(std::max<std::size_t>(1024, rowCapacity * 4))) {}

void KeyTable::insert(const ContentKey& key, std::uint32_t row) {
    std::size_t slot = slotOf(key);
    while (slots_[slot].load(std::memory_order_relaxed) != 0) {
        slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot].store(row + 1, std::memory_order_release);
    ++used_;
}

RowTable::RowTable(const IndexSpec& spec, std::uint32_t rowsPerExtent)
    : spec_(spec), rowsPerExtent_(rowsPerExtent), keys_(std::make_shared<KeyTable>(0)) {}

ContentKey RowTable::keyOf(std::uint64_t row) const {
    return keyIn(segments_[row / rowsPerExtent_].segment, row % rowsPerExtent_);
}

bool RowTable::isLive(std::uint32_t row) const {
    return isLiveIn(segments_[row / rowsPerExtent_].segment, row % rowsPerExtent_);
}

std::span<const std::byte> RowTable::bytesOf(std::uint32_t row) const {
    const RowSegment& segment = segments_[row / rowsPerExtent_].segment;
    return {segment.rows + (row % rowsPerExtent_) * spec_.strideBytes, spec_.strideBytes};
}

std::optional<std::uint32_t> RowTable::find(const ContentKey& key) const {
    return keys_->find(key, [&](std::uint32_t row) { return isLive(row) && keyOf(row) == key; });
}

std::vector<std::uint64_t>& RowTable::bitsToChange(Growing& growing) {
    if (growing.isShared) {
        growing.live = std::make_shared<std::vector<std::uint64_t>>(*growing.live);
        growing.segment.live = growing.live;
        growing.isShared = false;
    }
    return *growing.live;
}

Result<void> RowTable::mapThrough(std::uint64_t rowCount,
                                  const ExtentMap& map,
                                  const StorageFile& file) {
    while (segments_.size() * rowsPerExtent_ < rowCount) {
        const Extent& extent = map.rows()[segments_.size()];
        Growing growing;
        BIFOCAL_TRY(growing.segment.mapping, file.map(extent.offset, extent.sizeBytes));
        const std::byte* data = growing.segment.mapping->data();
        growing.segment.keys = data + keysOffsetInExtent();
        growing.segment.rows = data + rowsOffsetInExtent(rowsPerExtent_);
        growing.live = std::make_shared<std::vector<std::uint64_t>>(rowsPerExtent_ / 64);
        growing.segment.live = growing.live;
        segments_.push_back(std::move(growing));
    }
    return {};
}

void RowTable::addKeys(std::uint64_t firstRow, std::uint64_t rowCount) {
    for (std::uint64_t row = firstRow; row < firstRow + rowCount; ++row) {
        if (keys_->isFull()) {
            // Dead rows are left out: whoever still sees them alive has the old table.
            auto larger = std::make_shared<KeyTable>(liveCount_ + rowCount);
            for (std::uint64_t old = 0; old < row; ++old) {
                if (isLive(static_cast<std::uint32_t>(old))) {
                    larger->insert(keyOf(old), static_cast<std::uint32_t>(old));
                }
            }
            keys_ = std::move(larger);
        }
        keys_->insert(keyOf(row), static_cast<std::uint32_t>(row));
    }
}

void RowTable::apply(const Commit& commit, const ExtentMap& map) {
    const std::uint64_t firstRow = commit.header.firstRow;
    const std::uint32_t count = commit.header.rowCount;
    BIFOCAL_ASSERT(firstRow == rowCount_ && firstRow + count <= segments_.size() * rowsPerExtent_);
    for (const RowPiece& piece : map.pieces(firstRow, count)) {
        Growing& growing = segments_[piece.extent];
        std::vector<std::uint64_t>& bits = bitsToChange(growing);
        for (std::uint64_t row = piece.firstRow; row < piece.firstRow + piece.rowCount; ++row) {
            const std::uint64_t index = row % rowsPerExtent_;
            bits[index / 64] |= std::uint64_t{1} << (index % 64);
        }
        growing.segment.rowCount += piece.rowCount;
        growing.segment.liveCount += piece.rowCount;
        liveCount_ += piece.rowCount;
    }
    rowCount_ += count;
    addKeys(firstRow, count);
    for (const std::uint32_t row : commit.tombstones) {
        if (isLive(row)) {
            Growing& growing = segments_[row / rowsPerExtent_];
            const std::uint32_t index = row % rowsPerExtent_;
            bitsToChange(growing)[index / 64] &= ~(std::uint64_t{1} << (index % 64));
            --growing.segment.liveCount;
            --liveCount_;
        }
    }
}

std::shared_ptr<const IndexSnapshot> RowTable::publish(std::uint64_t generation) {
    std::vector<RowSegment> segments;
    segments.reserve(segments_.size());
    for (Growing& growing : segments_) {
        growing.isShared = true;
        segments.push_back(growing.segment);
    }
    return std::make_shared<RowSnapshot>(
        spec_, rowsPerExtent_, std::move(segments), keys_, generation);
}

std::shared_ptr<const IndexSnapshot> makeEmptySnapshot(const IndexSpec& spec,
                                                       std::uint64_t generation) {
    return std::make_shared<RowSnapshot>(
        spec, kRowsPerExtent, std::vector<RowSegment>(), nullptr, generation);
}

}  // namespace bifocal::index
