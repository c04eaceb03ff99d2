// SPDX-License-Identifier: Apache-2.0
#include "core/inference/query.h"

#include <cmath>
#include <string>

namespace bifocal {
namespace {

Result<void> checkRow(std::span<const float> row, std::size_t dim, const char* what) {
    if (row.size() != dim) {
        return Error{ErrorCode::InvalidArgument,
                     std::string(what) + " row has " + std::to_string(row.size()) +
                         " numbers, the pack's rows have " + std::to_string(dim)};
    }
    for (const float value : row) {
        if (!std::isfinite(value)) {
            return Error{ErrorCode::InvalidArgument,
                         std::string(what) + " row holds a number that is not finite"};
        }
    }
    return {};
}

Result<void> checkParts(const RowLayout& layout, const QueryParts& parts) {
    if (parts.text.empty() && parts.image.empty()) {
        return Error{ErrorCode::InvalidArgument, "a query needs a text or an image"};
    }
    if (!(parts.balance >= 0 && parts.balance <= 1)) {
        return Error{ErrorCode::InvalidArgument,
                     "balance " + std::to_string(parts.balance) + " is outside [0, 1]"};
    }
    if (!parts.text.empty()) {
        BIFOCAL_CHECK(checkRow(parts.text, layout.dim, "text"));
    }
    if (!parts.image.empty()) {
        BIFOCAL_CHECK(checkRow(parts.image, layout.dim, "image"));
    }
    for (const auto& negative : parts.negatives) {
        BIFOCAL_CHECK(checkRow(negative, layout.dim, "negative"));
    }
    return {};
}

void addScaled(std::span<const float> from,
               const RowBlock& block,
               float weight,
               std::vector<float>& to) {
    for (std::size_t i = block.offset; i < block.offset + block.dim; ++i) {
        to[i] += weight * from[i];
    }
}

float partialDot(const RowBlock& block, std::span<const float> query, std::span<const Half> row) {
    float sum = 0;
    for (std::size_t i = block.offset; i < block.offset + block.dim; ++i) {
        sum += query[i] * toFloat(row[i]);
    }
    return sum;
}

}  // namespace

Result<std::vector<float>> foldQuery(const RowLayout& layout, const QueryParts& parts) {
    BIFOCAL_CHECK(checkParts(layout, parts));
    const bool fused = !parts.text.empty() && !parts.image.empty();
    const float imageWeight = fused ? static_cast<float>(parts.balance) : 1.0F;
    const float textWeight = fused ? 1.0F - imageWeight : 1.0F;
    std::vector<float> query(layout.dim, 0.0F);
    for (const RowBlock& block : layout.blocks) {
        if (block.lens != Lens::Looks) {
            if (!parts.text.empty()) {
                addScaled(parts.text, block, textWeight, query);
            }
            for (const auto& negative : parts.negatives) {
                addScaled(negative, block, kNegativeWeight, query);
            }
        }
        if (block.lens != Lens::Words && !parts.image.empty()) {
            addScaled(parts.image, block, imageWeight, query);
        }
    }
    return query;
}

LensScores lensScores(const RowLayout& layout,
                      std::span<const float> query,
                      std::span<const Half> row) {
    BIFOCAL_ASSERT(query.size() >= layout.dim && row.size() >= layout.dim);
    LensScores scores;
    for (const RowBlock& block : layout.blocks) {
        float& score = block.lens == Lens::Words   ? scores.words
                       : block.lens == Lens::Looks ? scores.looks
                                                   : scores.joint;
        score += partialDot(block, query, row);
    }
    return scores;
}

}  // namespace bifocal
