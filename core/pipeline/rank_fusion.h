// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/index/vector_index.h"

#include <cstdint>
#include <span>
#include <vector>

namespace bifocal {

/// How much a list counts in fuseRanks().
struct FusionWeights {
    double vectors = 1;
    double names = 1;
};

/// A row that a name speaks for; equal strengths are a tie. Threads: value.
struct NamedRow {
    std::uint32_t row = 0;
    float strength = 0;
    bool isOwnName = false;
};

/// A row of the fused ranking, with what each list gave it. Threads: value.
struct FusedRow {
    std::uint32_t row = 0;
    double vectorPart = 0;
    double namePart = 0;
    double nameRank = 0;  ///< from 1, the mean of its tie; 0: no name speaks for it
    bool isOwnName = false;

    double total() const { return vectorPart + namePart; }
};

/// k of the formula below: how fast a list's vote falls with the rank.
inline constexpr double kFusionOffset = 60;

/// Reciprocal-rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a row's value is the sum of
/// weight / (kFusionOffset + rank) over the lists that hold it, ranks from 1. Rows that are tied in
/// a list share the mean of their ranks, so a name that a thousand files have is a vote for none of
/// them. `byVector` is best first; `byName` in any order, each row once. Best first; equal values
/// in the order of the vectors, then by row number. Threads: value.
std::vector<FusedRow> fuseRanks(std::span<const kernels::RowScore> byVector,
                                std::span<const NamedRow> byName,
                                const FusionWeights& weights);

}  // namespace bifocal
