// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/index/vector_index.h"
#include "core/library/library.h"
#include "core/pipeline/rank_fusion.h"
#include "core/pipeline/ranking.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace bifocal::cli {

/// A picture of the library as an evaluation knows it. Threads: value.
struct EvalPicture {
    std::string path;  ///< relative to its collection's root
    std::filesystem::path file;
    ContentKey content;
    std::uint64_t perceptualHash = 0;  ///< 0: says nothing
    std::string description;           ///< first line of the text beside it; empty: none
    std::string prompt;                ///< the same in the language that was asked for
};

/// Which pictures of a candidate set answer a query.
using IsHit = std::function<bool(const EvalPicture&)>;

/// The pictures that one task may find, over the library's stored vectors.
/// Threads: compatible. Owns: its share of the snapshot.
class CandidateSet {
public:
    /// NotFound, naming the picture, when the snapshot lacks a vector.
    static Result<CandidateSet> make(std::shared_ptr<const IndexSnapshot> snapshot,
                                     std::vector<EvalPicture> pictures);

    /// Rank from 1 of the best hit by falling score, equal scores in path order; none when no
    /// candidate is a hit.
    Result<std::optional<std::size_t>> rankByVector(const std::vector<float>& query,
                                                    const IsHit& isHit) const;

    /// The labels of a query, with every candidate that is `excluded` (none when empty) out of the
    /// library: they come from the background that is left.
    Result<ConfidenceScale> confidence(const RowLayout& layout,
                                       const std::vector<float>& query,
                                       const IsHit& excluded) const;

    /// The rank of the best hit by names, strongest first; none when names speak for no hit.
    std::optional<std::size_t> rankByName(std::span<const NameMatch> named,
                                          const IsHit& isHit) const;

    /// The same by the vectors and names together, fused as a search fuses them.
    Result<std::optional<std::size_t>> rankByBoth(const std::vector<float>& query,
                                                  std::span<const NameMatch> named,
                                                  const IsHit& isHit) const;

    /// The same by rising Hamming distance to `hash`; pictures whose hash says nothing come last,
    /// and nothing is found when `hash` is 0.
    std::optional<std::size_t> rankByHash(std::uint64_t hash, const IsHit& isHit) const;

    const std::vector<EvalPicture>& pictures() const { return pictures_; }

private:
    std::vector<NamedRow> namedRows(std::span<const NameMatch> named) const;
    std::optional<std::size_t> rankOf(std::span<const FusedRow> rows, const IsHit& isHit) const;

    std::shared_ptr<const IndexSnapshot> snapshot_;
    std::vector<EvalPicture> pictures_;  ///< by path
    std::vector<std::uint64_t> filter_;  ///< one bit per row of the snapshot
    std::size_t rowCount_ = 0;           ///< bits that are set
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> picturesOfRow_;
};

/// Ranks of the queries of one task. Threads: compatible.
class RankTally {
public:
    void add(std::optional<std::size_t> rank) { ranks_.push_back(rank); }
    std::size_t count() const { return ranks_.size(); }
    /// Share of the queries whose hit is among the first `depth`; 0 without queries.
    double recallAt(std::size_t depth) const;

private:
    std::vector<std::optional<std::size_t>> ranks_;
};

}  // namespace bifocal::cli
