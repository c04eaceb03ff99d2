// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/assert.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::schedule {

/// A 4-ary min-heap whose elements can be erased by their handle: push, pop and erase in O(log n),
/// no allocation once it has been as large as it gets. The four children of an element are one
/// cache line, and the smallest of them is found without a branch.
/// Invariants: (1) no element is before its parent; (2) positionOf_[handle of at(i)] == i; (3) what
/// is behind the last element in its line is kVacant, which is before nothing.
/// Threads: compatible.
class IndexedHeap {
public:
    static constexpr unsigned kHandleBits = 24;

    struct Entry {
        std::uint64_t key = 0;       ///< smallest first
        std::uint64_t sequence = 0;  ///< of equal keys, smallest first; below 2^40 (at 10,000 a
                                     ///< second three years; then only such ties lose their order)
        std::uint32_t handle = 0;    ///< below 2^24, small: an array is indexed with it
    };

    bool isEmpty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    bool contains(std::uint32_t handle) const {
        return handle < positionOf_.size() && positionOf_[handle] != kAbsent;
    }
    /// Requires: not empty.
    Entry top() const {
        BIFOCAL_ASSERT(size_ > 0);
        const Element& first = at(kRoot);
        return {first.key, first.order >> kHandleBits, first.handle()};
    }

    /// What handles below this number need is there from now on.
    void makeRoomFor(std::size_t handleCount) {
        if (handleCount > positionOf_.size()) {
            positionOf_.resize(handleCount, kAbsent);
        }
    }

    /// Calls `visit` with the handles among which is the second one out, and the third is likely.
    template <typename Visit>
    void visitNext(Visit visit) const {
        if (size_ > 1) {
            for (const Element& element : lines_[lineOfChildren(kRoot)].elements) {
                if (element.order != kVacant.order) {
                    visit(element.handle());
                }
            }
        }
    }

    /// Requires: the handle is not in the heap.
    void push(const Entry& entry) {
        BIFOCAL_ASSERT(!contains(entry.handle) && entry.handle <= kHandleMask);
        makeRoomFor(std::size_t{entry.handle} + 1);
        const std::size_t position = kRoot + size_++;
        if (position / kArity == lines_.size()) {
            lines_.emplace_back();
        }
        moveUp(position, {entry.key, entry.sequence << kHandleBits | entry.handle});
    }

    /// Requires: the handle is in the heap.
    void erase(std::uint32_t handle) {
        BIFOCAL_ASSERT(contains(handle));
        const std::size_t hole = positionOf_[handle];
        positionOf_[handle] = kAbsent;
        const std::size_t end = kRoot + --size_;
        const Element last = at(end);
        at(end) = kVacant;
        if (hole == end) {
            return;
        }
        // The last element fills the hole; it comes from another branch, so it may belong above it.
        if (hole > kRoot && isBefore(last, at(parentOf(hole)))) {
            moveUp(hole, last);
        } else {
            moveDown(hole, last);
        }
    }

private:
    static constexpr std::uint32_t kAbsent = UINT32_MAX;
    static constexpr std::uint32_t kHandleMask = (1U << kHandleBits) - 1;
    static constexpr std::size_t kArity = 4;
    static constexpr std::size_t kRoot = 3;  // so that the children of each begin a line

    struct Element {
        std::uint64_t key;
        std::uint64_t order;  // sequence, then handle

        std::uint32_t handle() const { return static_cast<std::uint32_t>(order) & kHandleMask; }
    };
    static constexpr Element kVacant{UINT64_MAX, UINT64_MAX};

    struct alignas(64) Line {
        std::array<Element, kArity> elements{kVacant, kVacant, kVacant, kVacant};
    };

    // Key and order as one number: which of two is smaller cannot be foreseen, and for numbers the
    // compiler finds the smaller one without a branch.
    __extension__ typedef unsigned __int128 Rank;  // NOLINT(modernize-use-using): not with that
    static Rank rankOf(const Element& element) { return Rank{element.key} << 64U | element.order; }
    static bool isBefore(const Element& a, const Element& b) { return rankOf(a) < rankOf(b); }

    static std::size_t parentOf(std::size_t position) { return position / kArity + 2; }
    static std::size_t lineOfChildren(std::size_t position) { return position - 2; }

    const Element& at(std::size_t position) const {
        return lines_[position / kArity].elements[position % kArity];
    }
    Element& at(std::size_t position) {
        return lines_[position / kArity].elements[position % kArity];
    }
    void place(std::size_t position, const Element& element) {
        at(position) = element;
        positionOf_[element.handle()] = static_cast<std::uint32_t>(position);
    }
    void moveUp(std::size_t position, const Element element) {
        while (position > kRoot && isBefore(element, at(parentOf(position)))) {
            place(position, at(parentOf(position)));
            position = parentOf(position);
        }
        place(position, element);
    }
    void moveDown(std::size_t position, const Element element) {
        const Rank rank = rankOf(element);
        const std::span<Line> lines(lines_);
        std::size_t line = lineOfChildren(position);
        while (line < lines.size()) {
            // One of the four lines below this one is next, and known too late to wait for it.
            const std::size_t below = lineOfChildren(line * kArity);
            if (below + 3 < lines.size()) {
                __builtin_prefetch(&lines[below]);
                __builtin_prefetch(&lines[below + 1]);
                __builtin_prefetch(&lines[below + 2]);
                __builtin_prefetch(&lines[below + 3]);
            }
            const auto& of = lines[line].elements;
            const std::array<Rank, kArity> ranks{
                rankOf(of[0]), rankOf(of[1]), rankOf(of[2]), rankOf(of[3])};
            const bool isLeft1 = ranks[1] < ranks[0];
            const bool isRight3 = ranks[3] < ranks[2];
            const Rank left = isLeft1 ? ranks[1] : ranks[0];
            const Rank right = isRight3 ? ranks[3] : ranks[2];
            const bool isRight = right < left;
            const Rank first = isRight ? right : left;
            if (first >= rank) {
                break;
            }
            place(position,
                  {static_cast<std::uint64_t>(first >> 64U), static_cast<std::uint64_t>(first)});
            // Chosen without a branch, too.
            const std::size_t inLeft{isLeft1};
            const std::size_t inRight = 2 + std::size_t{isRight3};
            const std::size_t best = inLeft ^ ((inLeft ^ inRight) & -std::size_t{isRight});
            position = line * kArity + best;
            line = below + best;
        }
        place(position, element);
    }

    std::vector<Line> lines_;
    std::size_t size_ = 0;
    std::vector<std::uint32_t> positionOf_;
};

}  // namespace bifocal::schedule
