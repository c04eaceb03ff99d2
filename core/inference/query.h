// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/half.h"
#include "core/base/result.h"
#include "core/inference/model_pack.h"
#include "core/inference/row_layout.h"

#include <span>
#include <vector>

namespace bifocal {

/// What a negative adds to a query, relative to the text it stands beside.
inline constexpr float kNegativeWeight = -0.5F;

/// Folds the parts into one query of layout.dim numbers, so that score = query · row:
///   words blocks: (1 − b) · text + kNegativeWeight · Σ negatives   (colours are words)
///   looks blocks: b · image
///   joint blocks: (1 − b) · text + b · image + kNegativeWeight · Σ negatives
/// where b is parts.balance with both text and image, 0 with text alone, 1 with an image alone.
/// Numbers outside the blocks (padding) are 0.
/// InvalidArgument: neither text nor image, a row that has not layout.dim numbers or holds one that
/// is not finite, a balance outside [0, 1]. Threads: value.
Result<std::vector<float>> foldQuery(const RowLayout& layout, const QueryParts& parts);

/// A score taken apart by lens; the sum is the score. Threads: value.
struct LensScores {
    float words = 0;  ///< what words say, colours included
    float looks = 0;
    float joint = 0;  ///< blocks that both lenses share cannot be told apart
};

/// The partial dot products of `query` and a stored `row`, per lens of the layout; both have
/// layout.dim numbers. Threads: value.
LensScores lensScores(const RowLayout& layout,
                      std::span<const float> query,
                      std::span<const Half> row);

}  // namespace bifocal
