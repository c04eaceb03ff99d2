// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/rank_fusion.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace bifocal {
namespace {

/// `byName`, strongest first, as fused rows with the mean rank of each tie.
std::vector<FusedRow> rankNames(std::span<const NamedRow> byName, double weight) {
    std::vector<NamedRow> order(byName.begin(), byName.end());
    std::sort(order.begin(), order.end(), [](const NamedRow& a, const NamedRow& b) {
        return a.strength != b.strength ? a.strength > b.strength : a.row < b.row;
    });
    std::vector<FusedRow> ranked;
    ranked.reserve(order.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && order[end].strength == order[begin].strength) {
            ++end;
        }
        const double rank = static_cast<double>(begin + 1 + end) / 2;
        for (; begin < end; ++begin) {
            ranked.push_back({order[begin].row,
                              0,
                              weight / (kFusionOffset + rank),
                              rank,
                              order[begin].isOwnName});
        }
    }
    return ranked;
}

}  // namespace

std::vector<FusedRow> fuseRanks(std::span<const kernels::RowScore> byVector,
                                std::span<const NamedRow> byName,
                                const FusionWeights& weights) {
    std::vector<FusedRow> fused;
    fused.reserve(byVector.size() + byName.size());
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (std::size_t i = 0; i < byVector.size(); ++i) {
        const double rank = static_cast<double>(i) + 1;
        places.emplace(byVector[i].row, fused.size());
        fused.push_back({byVector[i].row, weights.vectors / (kFusionOffset + rank)});
    }
    for (const FusedRow& named : rankNames(byName, weights.names)) {
        const auto place = places.find(named.row);
        if (place == places.end()) {
            fused.push_back(named);
        } else {
            FusedRow& row = fused[place->second];
            row.namePart = named.namePart;
            row.nameRank = named.nameRank;
            row.isOwnName = named.isOwnName;
        }
    }
    // Stable: what is equal stays in the order of the vectors, and names alone in theirs.
    std::stable_sort(fused.begin(), fused.end(), [](const FusedRow& a, const FusedRow& b) {
        return a.total() > b.total();
    });
    return fused;
}

}  // namespace bifocal
