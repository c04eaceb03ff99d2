// SPDX-License-Identifier: Apache-2.0
#include "kernels/dot_top_k.h"

#include "core/base/assert.h"
#include "kernels/internal/dot_paths.h"
#include "kernels/internal/dot_top_k_on.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace bifocal::kernels {
namespace {

constexpr std::size_t kRowAlignment = 64;
constexpr std::size_t kWordBits = 64;
constexpr std::size_t kBatch = 2048;  // rows scored before they are ranked: 16 KB of scratch

const DotPath& pathOf(Isa isa) {
    switch (isa) {
        case Isa::Avx512: return kDotAvx512;
        case Isa::Avx2: return kDotAvx2;
        case Isa::Portable: break;
    }
    return kDotPortable;
}

/// The numbers of the rows that pass the filter, in rising order, a list at a time.
class RowLister {
public:
    RowLister(std::size_t rowCount, std::span<const std::uint64_t> filter)
        : rowCount_(rowCount), filter_(filter) {}

    bool isDone() const { return next_ >= rowCount_; }

    /// Appends to `list`, which has room for kWordBits more at least, and returns its new size.
    std::size_t appendWord(std::uint32_t* list, std::size_t size) {
        const std::size_t end = std::min(next_ + kWordBits, rowCount_);
        std::uint64_t word = filter_.empty() ? ~std::uint64_t{0} : filter_[next_ / kWordBits];
        if (end - next_ < kWordBits) {
            word &= (std::uint64_t{1} << (end - next_)) - 1;
        }
        const auto first = static_cast<std::uint32_t>(next_);
        next_ = end;
        if (word == ~std::uint64_t{0}) {
            for (std::uint32_t i = 0; i < kWordBits; ++i) {
                list[size + i] = first + i;
            }
            return size + kWordBits;
        }
        for (; word != 0; word &= word - 1) {
            list[size++] = first + static_cast<std::uint32_t>(std::countr_zero(word));
        }
        return size;
    }

private:
    std::size_t rowCount_;
    std::span<const std::uint64_t> filter_;
    std::size_t next_ = 0;
};

double sumOf(const double (&chains)[MomentChains::kCount]) {
    return ((chains[0] + chains[1]) + (chains[2] + chains[3])) +
           ((chains[4] + chains[5]) + (chains[6] + chains[7]));
}

/// The best rows seen so far, in the caller's span, as a heap with the worst of them on top.
class BestRows {
public:
    explicit BestRows(std::span<RowScore> best)
        : best_(best),
          threshold_(best.empty() ? std::numeric_limits<float>::infinity()
                                  : -std::numeric_limits<float>::infinity()) {}

    /// Rows come in rising order, so one that equals the worst ranks behind it.
    void offer(const DotPath& path,
               const float* scores,
               const std::uint32_t* rows,
               std::size_t count) {
        for (std::size_t i = path.findAbove(scores, 0, count, threshold_); i < count;
             i = path.findAbove(scores, i + 1, count, threshold_)) {
            if (scores[i] <= std::numeric_limits<float>::max()) {
                insert({scores[i], rows[i]});
            }
        }
    }

    /// Best first; the number of entries.
    std::size_t finish(std::uint32_t firstRow) {
        std::sort_heap(best_.begin(), end(), isBetter);
        std::for_each(best_.begin(), end(), [=](RowScore& entry) { entry.row += firstRow; });
        return size_;
    }

private:
    static bool isBetter(const RowScore& a, const RowScore& b) {
        return a.score != b.score ? a.score > b.score : a.row < b.row;
    }

    std::span<RowScore>::iterator end() const {
        return best_.begin() + static_cast<std::ptrdiff_t>(size_);
    }

    void insert(RowScore entry) {
        if (size_ == best_.size()) {
            std::pop_heap(best_.begin(), end(), isBetter);
        } else {
            ++size_;
        }
        best_[size_ - 1] = entry;
        std::push_heap(best_.begin(), end(), isBetter);
        if (size_ == best_.size()) {
            threshold_ = best_.front().score;
        }
    }

    std::span<RowScore> best_;
    std::size_t size_ = 0;
    float threshold_;
};

Result<void> checkArguments(Isa isa,
                            const HalfRows& rows,
                            std::span<const float> query,
                            std::span<const std::uint64_t> filter,
                            std::uint32_t firstRow) {
    if (isa > bestIsa()) {
        return Error{ErrorCode::Unsupported,
                     std::string("dotTopK: this machine has no ") + toString(isa)};
    }
    if (query.size() != rows.dim) {
        return Error{ErrorCode::InvalidArgument,
                     "dotTopK: query of " + std::to_string(query.size()) + " numbers for rows of " +
                         std::to_string(rows.dim)};
    }
    if (rows.rowCount == 0) {
        return {};
    }
    const auto address = reinterpret_cast<std::uintptr_t>(rows.data);
    if (rows.data == nullptr || address % kRowAlignment != 0 ||
        rows.strideBytes % kRowAlignment != 0 || rows.dim > rows.strideBytes / sizeof(Half)) {
        return Error{ErrorCode::InvalidArgument,
                     "dotTopK: rows of " + std::to_string(rows.dim) + " numbers, stride " +
                         std::to_string(rows.strideBytes) + ": not aligned, or overlapping"};
    }
    if (rows.rowCount - 1 > std::numeric_limits<std::uint32_t>::max() - firstRow) {
        return Error{ErrorCode::InvalidArgument, "dotTopK: row numbers exceed 32 bits"};
    }
    if (!filter.empty() && filter.size() < (rows.rowCount + kWordBits - 1) / kWordBits) {
        return Error{ErrorCode::InvalidArgument,
                     "dotTopK: filter of " + std::to_string(filter.size()) + " words for " +
                         std::to_string(rows.rowCount) + " rows"};
    }
    return {};
}

}  // namespace

double ScoreMoments::variance() const {
    if (count == 0) {
        return 0.0;
    }
    const double average = mean();
    return std::max(0.0, sumOfSquares / static_cast<double>(count) - average * average);
}

void ScoreMoments::add(const ScoreMoments& other) {
    count += other.count;
    sum += other.sum;
    sumOfSquares += other.sumOfSquares;
}

Result<TopKResult> dotTopKOn(Isa isa,
                             const HalfRows& rows,
                             std::span<const float> query,
                             std::span<const std::uint64_t> filter,
                             std::span<RowScore> best,
                             std::uint32_t firstRow) {
    BIFOCAL_CHECK(checkArguments(isa, rows, query, filter, firstRow));
    const DotPath& path = pathOf(isa);
    std::array<std::uint32_t, kBatch> list;  // NOLINT: written before it is read
    std::array<float, kBatch> scores;        // NOLINT: as well
    RowLister lister(rows.rowCount, filter);
    MomentChains chains{};
    BestRows bestRows(best);
    while (!lister.isDone()) {
        std::size_t count = 0;
        while (!lister.isDone() && count + kWordBits <= kBatch) {
            count = lister.appendWord(list.data(), count);
        }
        path.dotRows({rows.data,
                      rows.strideBytes,
                      rows.dim,
                      query.data(),
                      list.data(),
                      count,
                      scores.data()});
        path.addMoments(scores.data(), count, chains);
        bestRows.offer(path, scores.data(), list.data(), count);
    }
    return TopKResult{bestRows.finish(firstRow),
                      {chains.finite, sumOf(chains.sums), sumOf(chains.squares)}};
}

Result<TopKResult> dotTopK(const HalfRows& rows,
                           std::span<const float> query,
                           std::span<const std::uint64_t> filter,
                           std::span<RowScore> best,
                           std::uint32_t firstRow) {
    return dotTopKOn(activeIsa(), rows, query, filter, best, firstRow);
}

float dotOn(Isa isa, std::span<const Half> row, std::span<const float> query) {
    BIFOCAL_ASSERT(row.size() == query.size() && isa <= bestIsa());
    const std::uint32_t rowNumber = 0;
    float score = 0;
    pathOf(isa).dotRows({reinterpret_cast<const std::byte*>(row.data()),
                         0,
                         row.size(),
                         query.data(),
                         &rowNumber,
                         1,
                         &score});
    return score;
}

float dot(std::span<const Half> row, std::span<const float> query) {
    return dotOn(activeIsa(), row, query);
}

}  // namespace bifocal::kernels
