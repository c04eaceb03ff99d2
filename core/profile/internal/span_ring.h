// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/tracer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace bifocal::profile {

/// The newest spans. The spans of one request form a chain, newest first, so that a waterfall does
/// not search the ring.
/// Invariants: (1) span number n, counted from 1, lies in slot n mod capacity until n + capacity is
/// appended; (2) `previous` of a span is the number of an older span whose request falls into the
/// same bucket, or 0; (3) no reader holds the lock for more than kChunk spans.
/// Threads: safe.
class SpanRing {
public:
    explicit SpanRing(std::size_t capacity);

    void append(const Span& span);

    /// Every span still there, oldest first.
    std::vector<Span> all() const;
    /// The newest `limit` spans of one request that are still there, oldest first.
    std::vector<Span> ofRequest(RequestId request, std::size_t limit) const;
    /// Appends to `out` every span that came after number `cursor` and is still there, oldest
    /// first; the number of the last one there is. 0: from the beginning.
    std::uint64_t since(std::uint64_t cursor, std::vector<Span>& out) const;
    /// From the newest to the oldest, until `visit` returns false. `visit` runs without the lock.
    void visitBackwards(const std::function<bool(const Span&)>& visit) const;

private:
    static constexpr std::size_t kChunk = 64;
    static constexpr std::size_t kBucketCount = 1024;

    struct Slot {
        Span span;
        std::uint64_t previous = 0;
    };

    const Slot& slotOf(std::uint64_t number) const { return slots_[number % slots_.size()]; }
    bool isThere(std::uint64_t number) const {
        return number != 0 && number + slots_.size() > appendedCount_;
    }
    static std::size_t bucketOf(RequestId request) { return request.value % kBucketCount; }

    mutable std::mutex mutex_;
    std::vector<Slot> slots_;
    std::array<std::uint64_t, kBucketCount> newestOfBucket_{};
    std::uint64_t appendedCount_ = 0;
    std::size_t newestSlot_ = 0;  ///< appendedCount_ mod capacity, without the division
};

}  // namespace bifocal::profile
