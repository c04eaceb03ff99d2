// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/allocator_model.h"

#include "core/base/assert.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace bifocal::schedule {

namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;
constexpr std::uint64_t kBlockUnit = 512;
constexpr std::uint64_t kLargestSmall = kMebi;
constexpr std::uint64_t kSmallSegment = 2 * kMebi;
constexpr std::uint64_t kMediumSegment = 20 * kMebi;
constexpr std::uint64_t kSmallestOwnSegment = 10 * kMebi;
constexpr std::uint64_t kSegmentUnit = 2 * kMebi;

std::uint64_t roundUp(std::uint64_t bytes, std::uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Smaller remainders stay with the block they would be split from.
bool isWorthSplitting(bool isSmall, std::uint64_t remainder) {
    return isSmall ? remainder >= kBlockUnit : remainder > kLargestSmall;
}

enum class BlockState : std::uint8_t { Free = 1, Used, Unbacked };

struct Block {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    BlockState state = BlockState::Free;
};

using Blocks = std::vector<Block>;

/// Index of the smallest free block of at least `bytes`.
std::optional<std::size_t> bestFit(const Blocks& blocks, std::uint64_t bytes) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].state == BlockState::Free && blocks[i].bytes >= bytes &&
            (!best || blocks[i].bytes < blocks[*best].bytes)) {
            best = i;
        }
    }
    return best;
}

/// Uses a free block for `bytes`; the rest stays free when that is worth it.
Block useBlock(Blocks& blocks, std::size_t index, std::uint64_t bytes, bool isSmall) {
    const Block whole = blocks[index];
    blocks[index].state = BlockState::Used;
    if (isWorthSplitting(isSmall, whole.bytes - bytes)) {
        blocks[index].bytes = bytes;
        blocks.insert(std::next(blocks.begin(), static_cast<std::ptrdiff_t>(index) + 1),
                      {whole.offset + bytes, whole.bytes - bytes, BlockState::Free});
    }
    return blocks[index];
}

/// Merges each run of neighbours of the same state, unless used.
void mergeAround(Blocks& blocks, std::size_t index) {
    const auto mergesWithNext = [&](std::size_t i) {
        return i + 1 < blocks.size() && blocks[i].state != BlockState::Used &&
               blocks[i].state == blocks[i + 1].state;
    };
    const auto merge = [&](std::size_t i) {
        blocks[i].bytes += blocks[i + 1].bytes;
        blocks.erase(std::next(blocks.begin(), static_cast<std::ptrdiff_t>(i) + 1));
    };
    if (mergesWithNext(index)) {
        merge(index);
    }
    if (index > 0 && mergesWithNext(index - 1)) {
        merge(index - 1);
    }
}

std::uint64_t freeBlock(Blocks& blocks, const Allocation& allocation) {
    const auto found = std::lower_bound(
        blocks.begin(), blocks.end(), allocation.offset, [](const Block& block, std::uint64_t at) {
            return block.offset < at;
        });
    BIFOCAL_ASSERT(found != blocks.end() && found->offset == allocation.offset &&
                   found->state == BlockState::Used);
    const std::uint64_t bytes = found->bytes;
    found->state = BlockState::Free;
    mergeAround(blocks, static_cast<std::size_t>(found - blocks.begin()));
    return bytes;
}

/// See AllocatorKind::Caching.
class CachingModel final : public AllocatorModel {
public:
    bool beginWork(std::uint32_t, std::uint64_t) override { return true; }
    void endWork(std::uint32_t) override {}

    std::optional<Allocation> allocate(std::uint32_t stream, std::uint64_t bytes) override {
        const std::uint64_t rounded = roundedBlockBytes(bytes);
        const bool isSmall = rounded <= kLargestSmall;
        std::optional<std::uint32_t> segment = findSegment(stream, isSmall, rounded);
        if (!segment) {
            segment = addSegment(stream, isSmall, rounded);
        }
        if (!segment) {
            countOutOfMemory();
            return std::nullopt;
        }
        Blocks& blocks = segments_[*segment].blocks;
        const Block used = useBlock(blocks, *bestFit(blocks, rounded), rounded, isSmall);
        countAllocated(used.bytes);
        return Allocation{*segment, used.offset, used.bytes};
    }

    void free(std::uint32_t, const Allocation& allocation) override {
        countFreed(freeBlock(segments_[allocation.segment].blocks, allocation));
    }

    void releaseCached() override {
        for (Segment& segment : segments_) {
            if (segment.bytes != 0 && segment.blocks.size() == 1 &&
                segment.blocks.front().state == BlockState::Free) {
                giveBack(segment.bytes);
                segment.bytes = 0;
            }
        }
    }

private:
    struct Segment {
        std::uint64_t bytes = 0;  // 0: its place may be used again
        std::uint32_t stream = 0;
        bool isSmall = false;
        Blocks blocks;
    };

    std::optional<std::uint32_t> findSegment(std::uint32_t stream,
                                             bool isSmall,
                                             std::uint64_t bytes) const {
        std::optional<std::uint32_t> best;
        std::uint64_t bestBytes = 0;
        for (std::uint32_t i = 0; i < segments_.size(); ++i) {
            const Segment& segment = segments_[i];
            if (segment.bytes == 0 || segment.stream != stream || segment.isSmall != isSmall) {
                continue;
            }
            const std::optional<std::size_t> block = bestFit(segment.blocks, bytes);
            if (block && (!best || segment.blocks[*block].bytes < bestBytes)) {
                best = i;
                bestBytes = segment.blocks[*block].bytes;
            }
        }
        return best;
    }

    std::optional<std::uint32_t> addSegment(std::uint32_t stream,
                                            bool isSmall,
                                            std::uint64_t bytes) {
        const std::uint64_t size = isSmall                       ? kSmallSegment
                                   : bytes < kSmallestOwnSegment ? kMediumSegment
                                                                 : roundedSegmentBytes(bytes);
        if (!take(size)) {
            retryWithoutCache();
            if (!take(size)) {
                return std::nullopt;
            }
        }
        auto place = std::find_if(segments_.begin(), segments_.end(), [](const Segment& segment) {
            return segment.bytes == 0;
        });
        if (place == segments_.end()) {
            place = segments_.emplace(place);
        }
        place->bytes = size;
        place->stream = stream;
        place->isSmall = isSmall;
        place->blocks.assign(1, {0, size, BlockState::Free});
        return static_cast<std::uint32_t>(place - segments_.begin());
    }

    std::vector<Segment> segments_;
};

/// See AllocatorKind::Expandable. Allocation::segment tells small from large.
class ExpandableModel final : public AllocatorModel {
public:
    explicit ExpandableModel(std::uint32_t streamCount) : streams_(streamCount) {}

    bool beginWork(std::uint32_t, std::uint64_t) override { return true; }
    void endWork(std::uint32_t) override {}

    std::optional<Allocation> allocate(std::uint32_t stream, std::uint64_t bytes) override {
        const std::uint64_t rounded = roundedBlockBytes(bytes);
        const std::uint32_t kind = rounded <= kLargestSmall ? kSmall : kLarge;
        Blocks& blocks = streams_[stream][kind];
        std::optional<std::size_t> block = bestFit(blocks, rounded);
        if (!block && grow(blocks, kind, rounded)) {
            block = blocks.size() - 1;
        }
        if (!block) {
            countOutOfMemory();
            return std::nullopt;
        }
        const Block used = useBlock(blocks, *block, rounded, kind == kSmall);
        countAllocated(used.bytes);
        return Allocation{kind, used.offset, used.bytes};
    }

    void free(std::uint32_t stream, const Allocation& allocation) override {
        countFreed(freeBlock(streams_[stream][allocation.segment], allocation));
    }

    void releaseCached() override {
        for (auto& stream : streams_) {
            releasePages(stream[kSmall], kSmallSegment);
            releasePages(stream[kLarge], kMediumSegment);
        }
    }

private:
    static constexpr std::uint32_t kSmall = 0;
    static constexpr std::uint32_t kLarge = 1;

    /// Makes the last block free and at least `bytes` large.
    bool grow(Blocks& blocks, std::uint32_t kind, std::uint64_t bytes) {
        const std::uint64_t page = kind == kSmall ? kSmallSegment : kMediumSegment;
        const auto missing = [&] {
            const bool hasTail = !blocks.empty() && blocks.back().state == BlockState::Free;
            return roundUp(bytes - (hasTail ? blocks.back().bytes : 0), page);
        };
        std::uint64_t grown = missing();
        if (!take(grown)) {
            retryWithoutCache();
            grown = missing();  // the tail itself may have gone
            if (!take(grown)) {
                return false;
            }
        }
        const std::uint64_t end = blocks.empty() ? 0 : blocks.back().offset + blocks.back().bytes;
        blocks.push_back({end, grown, BlockState::Free});
        mergeAround(blocks, blocks.size() - 1);
        return true;
    }

    void releasePages(Blocks& blocks, std::uint64_t page) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const Block block = blocks[i];
            const std::uint64_t begin = roundUp(block.offset, page);
            const std::uint64_t end = (block.offset + block.bytes) / page * page;
            if (block.state != BlockState::Free || begin >= end) {
                continue;
            }
            giveBack(end - begin);
            std::array<Block, 3> parts{{{block.offset, begin - block.offset, BlockState::Free},
                                        {begin, end - begin, BlockState::Unbacked},
                                        {end, block.offset + block.bytes - end, BlockState::Free}}};
            const auto last = std::remove_if(
                parts.begin(), parts.end(), [](const Block& part) { return part.bytes == 0; });
            const auto place =
                blocks.erase(std::next(blocks.begin(), static_cast<std::ptrdiff_t>(i)));
            blocks.insert(place, parts.begin(), last);
            i += static_cast<std::size_t>(last - parts.begin()) - 1;
        }
        Blocks merged;
        for (const Block& block : blocks) {
            if (!merged.empty() && block.state == BlockState::Unbacked &&
                merged.back().state == BlockState::Unbacked) {
                merged.back().bytes += block.bytes;
            } else {
                merged.push_back(block);
            }
        }
        if (!merged.empty() && merged.back().state == BlockState::Unbacked) {
            merged.pop_back();
        }
        blocks = std::move(merged);
    }

    std::vector<std::array<Blocks, 2>> streams_;
};

/// See AllocatorKind::Arena.
class ArenaModel final : public AllocatorModel {
public:
    explicit ArenaModel(std::uint32_t streamCount) : regions_(streamCount) {}

    bool beginWork(std::uint32_t stream, std::uint64_t plannedBytes) override {
        Region& region = regions_[stream];
        BIFOCAL_ASSERT(region.backedBytes == 0);
        const std::uint64_t bytes = roundedSegmentBytes(plannedBytes);
        if (!take(bytes)) {
            countOutOfMemory();
            return false;
        }
        region = {bytes, 0};
        return true;
    }

    void endWork(std::uint32_t stream) override {
        giveBack(regions_[stream].backedBytes);
        regions_[stream] = {};
    }

    std::optional<Allocation> allocate(std::uint32_t stream, std::uint64_t bytes) override {
        Region& region = regions_[stream];
        const std::uint64_t rounded = roundedBlockBytes(bytes);
        if (rounded > region.backedBytes - region.usedBytes) {
            countOutOfMemory();
            return std::nullopt;
        }
        const Allocation allocation{0, region.usedBytes, rounded};
        region.usedBytes += rounded;
        countAllocated(rounded);
        return allocation;
    }

    // A planned region is laid out once; its bytes come free with the work.
    void free(std::uint32_t, const Allocation& allocation) override {
        countFreed(allocation.bytes);
    }
    void releaseCached() override {}

private:
    struct Region {
        std::uint64_t backedBytes = 0;
        std::uint64_t usedBytes = 0;
    };

    std::vector<Region> regions_;
};

}  // namespace

bool AllocatorModel::take(std::uint64_t bytes) {
    if (!isWithinLimit(bytes)) {
        return false;
    }
    reservedBytes_ += bytes;
    peakReservedBytes_ = std::max(peakReservedBytes_, reservedBytes_);
    return true;
}

void AllocatorModel::retryWithoutCache() {
    ++retryCount_;
    releaseCached();
}

void AllocatorModel::giveBack(std::uint64_t bytes) {
    BIFOCAL_ASSERT(bytes <= reservedBytes_);
    reservedBytes_ -= bytes;
}

void AllocatorModel::countFreed(std::uint64_t bytes) {
    BIFOCAL_ASSERT(bytes <= allocatedBytes_);
    allocatedBytes_ -= bytes;
}

std::unique_ptr<AllocatorModel> makeAllocatorModel(AllocatorKind kind,
                                                   std::uint32_t streamCount,
                                                   std::uint64_t limitBytes) {
    BIFOCAL_ASSERT(streamCount > 0);
    std::unique_ptr<AllocatorModel> model;
    switch (kind) {
        case AllocatorKind::Caching: model = std::make_unique<CachingModel>(); break;
        case AllocatorKind::Expandable:
            model = std::make_unique<ExpandableModel>(streamCount);
            break;
        case AllocatorKind::Arena: model = std::make_unique<ArenaModel>(streamCount); break;
    }
    BIFOCAL_ASSERT(model != nullptr);
    model->setLimit(limitBytes);
    return model;
}

std::uint64_t roundedBlockBytes(std::uint64_t bytes) {
    return roundUp(std::max<std::uint64_t>(bytes, 1), kBlockUnit);
}

std::uint64_t roundedSegmentBytes(std::uint64_t bytes) {
    return roundUp(bytes, kSegmentUnit);
}

}  // namespace bifocal::schedule
