// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace bifocal::schedule {

enum class AllocatorKind : std::uint8_t {
    Caching = 1,  ///< segments that are kept for their stream and never merge
    Expandable,   ///< one range of addresses per stream, backed page by page
    Arena,        ///< one planned region per stream, backed as a whole before its work begins
};

/// A live block of an AllocatorModel. Threads: value.
struct Allocation {
    std::uint32_t segment = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< rounded as the allocator rounds
};

/// What device memory does under LibTorch, without a device: sizes alone, no memory.
///
/// Caching, as LibTorch's allocator works by default: sizes are rounded to 512 bytes; up to 1 MiB
/// comes out of 2 MiB segments; up to 10 MiB out of 20 MiB segments; more takes a segment of its
/// own, rounded to 2 MiB. Each stream has its own segments; the best fitting free block is split,
/// neighbours inside a segment merge, segments never do. When the device refuses a segment, all
/// wholly free segments of all streams go back to it and it is asked once more; then it is out of
/// memory.
///
/// Expandable: blocks lie in one range per stream and size class, which grows at its end by pages
/// of 2 MiB (small) or 20 MiB (large); on refusal the whole pages that are free go back. A hole
/// left by them is not used again: addresses do not run out.
///
/// Arena: beginWork() backs a region of `plannedBytes`, rounded up to 2 MiB pages, or refuses;
/// blocks are laid one behind the other; endWork() gives it back. More than planned is out of
/// memory, for that work alone.
///
/// Threads: compatible.
class AllocatorModel {
public:
    AllocatorModel() = default;
    AllocatorModel(const AllocatorModel&) = delete;
    AllocatorModel& operator=(const AllocatorModel&) = delete;
    virtual ~AllocatorModel() = default;

    /// What the device leaves to this process from now on; may be less than what is taken.
    void setLimit(std::uint64_t bytes) { limitBytes_ = bytes; }

    /// Work of `plannedBytes` begins on a stream; false when an arena gets no region for it.
    virtual bool beginWork(std::uint32_t stream, std::uint64_t plannedBytes) = 0;
    /// Requires: its blocks were freed.
    virtual void endWork(std::uint32_t stream) = 0;

    /// None: out of memory, also after everything cached went back.
    virtual std::optional<Allocation> allocate(std::uint32_t stream, std::uint64_t bytes) = 0;
    virtual void free(std::uint32_t stream, const Allocation& allocation) = 0;
    /// Gives back what no block uses, of all streams.
    virtual void releaseCached() = 0;

    std::uint64_t limitBytes() const { return limitBytes_; }
    /// Taken from the device.
    std::uint64_t reservedBytes() const { return reservedBytes_; }
    std::uint64_t peakReservedBytes() const { return peakReservedBytes_; }
    /// In live blocks.
    std::uint64_t allocatedBytes() const { return allocatedBytes_; }
    /// Times that the device refused and the cache was given back.
    std::uint64_t retryCount() const { return retryCount_; }
    std::uint64_t outOfMemoryCount() const { return outOfMemoryCount_; }

protected:
    bool isWithinLimit(std::uint64_t bytes) const {
        return reservedBytes_ <= limitBytes_ && bytes <= limitBytes_ - reservedBytes_;
    }
    /// From the device; false when it refuses.
    bool take(std::uint64_t bytes);
    /// Before the one more try: releaseCached(), counted.
    void retryWithoutCache();
    void giveBack(std::uint64_t bytes);
    void countAllocated(std::uint64_t bytes) { allocatedBytes_ += bytes; }
    void countFreed(std::uint64_t bytes);
    void countOutOfMemory() { ++outOfMemoryCount_; }

private:
    std::uint64_t limitBytes_ = 0;
    std::uint64_t reservedBytes_ = 0;
    std::uint64_t peakReservedBytes_ = 0;
    std::uint64_t allocatedBytes_ = 0;
    std::uint64_t retryCount_ = 0;
    std::uint64_t outOfMemoryCount_ = 0;
};

/// An allocator that has taken nothing yet. Requires: streamCount > 0.
std::unique_ptr<AllocatorModel> makeAllocatorModel(AllocatorKind kind,
                                                   std::uint32_t streamCount,
                                                   std::uint64_t limitBytes);

/// `bytes` as a block takes them: up to the next 512.
std::uint64_t roundedBlockBytes(std::uint64_t bytes);
/// `bytes` as segments and arenas take them: up to the next 2 MiB.
std::uint64_t roundedSegmentBytes(std::uint64_t bytes);

}  // namespace bifocal::schedule
