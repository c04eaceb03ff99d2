// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/candidate_set.h"

#include "kernels/normalize.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace bifocal::cli {
namespace {

/// Position of the first hit in (key, picture) pairs, after sorting them.
template <typename Key>
std::optional<std::size_t> rankOfFirstHit(std::vector<std::pair<Key, std::size_t>> order,
                                          const std::vector<EvalPicture>& pictures,
                                          const IsHit& isHit) {
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (isHit(pictures[order[i].second])) {
            return i + 1;
        }
    }
    return std::nullopt;
}

}  // namespace

Result<CandidateSet> CandidateSet::make(std::shared_ptr<const IndexSnapshot> snapshot,
                                        std::vector<EvalPicture> pictures) {
    CandidateSet set;
    set.snapshot_ = std::move(snapshot);
    set.pictures_ = std::move(pictures);
    std::sort(set.pictures_.begin(), set.pictures_.end(), [](const auto& a, const auto& b) {
        return std::tie(a.path, a.file) < std::tie(b.path, b.file);
    });
    // At least one word, so that "no candidate" is not mistaken for "no filter".
    set.filter_.resize(std::max<std::size_t>(1, (set.snapshot_->rowCount() + 63) / 64));
    for (std::size_t i = 0; i < set.pictures_.size(); ++i) {
        const auto row = set.snapshot_->find(set.pictures_[i].content);
        if (!row) {
            return Error{ErrorCode::NotFound,
                         set.pictures_[i].path +
                             ": has no vector of this pack yet; index the library again"};
        }
        set.filter_[*row / 64] |= std::uint64_t{1} << (*row % 64);
        std::vector<std::size_t>& copies = set.picturesOfRow_[*row];
        copies.push_back(i);
    }
    set.rowCount_ = set.picturesOfRow_.size();
    return set;
}

Result<std::optional<std::size_t>> CandidateSet::rankByVector(const std::vector<float>& query,
                                                              const IsHit& isHit) const {
    std::vector<kernels::RowScore> best(rowCount_);
    BIFOCAL_TRY(const kernels::TopKResult found, snapshot_->search(query, filter_, best, {}));
    std::vector<std::pair<float, std::size_t>> order;
    order.reserve(pictures_.size());
    for (std::size_t i = 0; i < found.count; ++i) {
        for (const std::size_t picture : picturesOfRow_.at(best[i].row)) {
            order.emplace_back(-best[i].score, picture);
        }
    }
    return rankOfFirstHit(std::move(order), pictures_, isHit);
}

Result<ConfidenceScale> CandidateSet::confidence(const RowLayout& layout,
                                                 const std::vector<float>& query,
                                                 const IsHit& excluded) const {
    std::vector<std::uint64_t> filter = filter_;
    for (const auto& [row, copies] : picturesOfRow_) {
        const bool isOut = excluded && std::any_of(copies.begin(), copies.end(), [&](auto copy) {
                               return excluded(pictures_[copy]);
                           });
        if (isOut) {
            filter[row / 64] &= ~(std::uint64_t{1} << (row % 64));
        }
    }
    std::vector<kernels::RowScore> best(std::min<std::size_t>(rowCount_, 100));
    BIFOCAL_TRY(const kernels::TopKResult found, snapshot_->search(query, filter, best, {}));
    std::vector<float> scores;
    for (std::size_t i = 0; i < found.count; ++i) {
        scores.push_back(best[i].score);
    }
    return ConfidenceScale(found.moments, scores, maxScoreOf(layout, query));
}

std::vector<NamedRow> CandidateSet::namedRows(std::span<const NameMatch> named) const {
    std::vector<NamedRow> rows;
    std::unordered_set<std::uint32_t> seen;
    for (const NameMatch& match : named) {
        const auto row = snapshot_->find(match.content);
        if (row && picturesOfRow_.contains(*row) && seen.insert(*row).second) {
            rows.push_back({*row, match.strength, match.isOwnName});
        }
    }
    return rows;
}

std::optional<std::size_t> CandidateSet::rankOf(std::span<const FusedRow> rows,
                                                const IsHit& isHit) const {
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const std::size_t picture : picturesOfRow_.at(rows[i].row)) {
            order.emplace_back(i, picture);
        }
    }
    return rankOfFirstHit(std::move(order), pictures_, isHit);
}

std::optional<std::size_t> CandidateSet::rankByName(std::span<const NameMatch> named,
                                                    const IsHit& isHit) const {
    return rankOf(fuseRanks({}, namedRows(named), {}), isHit);
}

Result<std::optional<std::size_t>> CandidateSet::rankByBoth(const std::vector<float>& query,
                                                            std::span<const NameMatch> named,
                                                            const IsHit& isHit) const {
    std::vector<kernels::RowScore> best(rowCount_);
    BIFOCAL_TRY(const kernels::TopKResult found, snapshot_->search(query, filter_, best, {}));
    best.resize(found.count);
    return rankOf(fuseRanks(best, namedRows(named), {}), isHit);
}

std::optional<std::size_t> CandidateSet::rankByHash(std::uint64_t hash, const IsHit& isHit) const {
    if (hash == 0) {
        return std::nullopt;
    }
    constexpr int kFurthest = 65;
    std::vector<std::pair<int, std::size_t>> order;
    order.reserve(pictures_.size());
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
        const std::uint64_t other = pictures_[i].perceptualHash;
        order.emplace_back(other == 0 ? kFurthest : kernels::hammingDistance(hash, other), i);
    }
    return rankOfFirstHit(std::move(order), pictures_, isHit);
}

double RankTally::recallAt(std::size_t depth) const {
    if (ranks_.empty()) {
        return 0;
    }
    const auto hits = std::count_if(
        ranks_.begin(), ranks_.end(), [depth](const auto& rank) { return rank && *rank <= depth; });
    return static_cast<double>(hits) / static_cast<double>(ranks_.size());
}

}  // namespace bifocal::cli
