// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/assert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace bifocal::schedule {

/// A 4-ary min-heap whose elements can be erased by their handle: push, pop and erase in O(log n),
/// no allocation once it has been as large as it gets. Four children share a cache line and halve
/// the depth of a binary heap.
/// Invariants: (1) no entry is before its parent; (2) positionOf_[entries_[i].handle] == i.
/// Threads: compatible.
class IndexedHeap {
public:
    struct Entry {
        std::uint64_t key = 0;       ///< smallest first
        std::uint64_t sequence = 0;  ///< of equal keys, smallest first
        std::uint32_t handle = 0;    ///< small numbers: an array is indexed with it
    };

    bool isEmpty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    bool contains(std::uint32_t handle) const {
        return handle < positionOf_.size() && positionOf_[handle] != kAbsent;
    }
    /// Requires: not empty.
    const Entry& top() const {
        BIFOCAL_ASSERT(!entries_.empty());
        return entries_.front();
    }

    /// Requires: the handle is not in the heap.
    void push(const Entry& entry) {
        BIFOCAL_ASSERT(!contains(entry.handle));
        if (entry.handle >= positionOf_.size()) {
            positionOf_.resize(std::size_t{entry.handle} + 1, kAbsent);
        }
        entries_.push_back(entry);
        moveUp(entries_.size() - 1, entry);
    }

    /// Requires: the handle is in the heap.
    void erase(std::uint32_t handle) {
        BIFOCAL_ASSERT(contains(handle));
        const std::size_t hole = positionOf_[handle];
        positionOf_[handle] = kAbsent;
        const Entry last = entries_.back();
        entries_.pop_back();
        if (hole == entries_.size()) {
            return;
        }
        // The last entry fills the hole; it comes from another branch, so it may belong above it.
        if (hole > 0 && isBefore(last, entries_[parentOf(hole)])) {
            moveUp(hole, last);
        } else {
            moveDown(hole, last);
        }
    }

private:
    static constexpr std::uint32_t kAbsent = UINT32_MAX;
    static constexpr std::size_t kArity = 4;

    static bool isBefore(const Entry& a, const Entry& b) {
        return std::tie(a.key, a.sequence) < std::tie(b.key, b.sequence);
    }
    static std::size_t parentOf(std::size_t position) { return (position - 1) / kArity; }

    void place(std::size_t position, const Entry& entry) {
        entries_[position] = entry;
        positionOf_[entry.handle] = static_cast<std::uint32_t>(position);
    }
    void moveUp(std::size_t position, const Entry entry) {
        while (position > 0 && isBefore(entry, entries_[parentOf(position)])) {
            place(position, entries_[parentOf(position)]);
            position = parentOf(position);
        }
        place(position, entry);
    }
    void moveDown(std::size_t position, const Entry entry) {
        for (;;) {
            const std::size_t first = position * kArity + 1;
            const std::size_t end = std::min(first + kArity, entries_.size());
            std::size_t best = first;
            for (std::size_t child = first + 1; child < end; ++child) {
                best = isBefore(entries_[child], entries_[best]) ? child : best;
            }
            if (first >= end || !isBefore(entries_[best], entry)) {
                break;
            }
            place(position, entries_[best]);
            position = best;
        }
        place(position, entry);
    }

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> positionOf_;
};

}  // namespace bifocal::schedule
