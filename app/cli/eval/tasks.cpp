// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/tasks.h"

#include "core/imaging/decode.h"

#include <algorithm>
#include <utility>

namespace bifocal::cli {
namespace {

std::vector<float> withoutColours(const RowLayout& layout, std::vector<float> query) {
    if (const RowBlock* block = layout.find("colours")) {
        std::fill_n(query.begin() + static_cast<std::ptrdiff_t>(block->offset), block->dim, 0.0F);
    }
    return query;
}

}  // namespace

Result<TextOutcome> evaluateText(const ModelPack& pack,
                                 TextEncoder& encoder,
                                 const CandidateSet& candidates,
                                 std::span<const EvalPicture> queries,
                                 const NameSource& names) {
    TextOutcome outcome;
    for (const EvalPicture& asked : queries) {
        const Result<EncodedText> text = encoder.encode(asked.prompt, {});
        if (!text && text.error().code == ErrorCode::Unsupported) {
            ++outcome.unread;
            outcome.ranks.add(std::nullopt);
            outcome.wordsAlone.add(std::nullopt);
            if (names) {
                outcome.namesAlone.add(std::nullopt);
                outcome.fused.add(std::nullopt);
            }
            continue;
        }
        if (!text) {
            return text.error().withContext(asked.path);
        }
        QueryParts parts;
        parts.text = text->row;
        BIFOCAL_TRY(std::vector<float> query, pack.makeQuery(parts));
        const IsHit isHit = [&asked](const EvalPicture& candidate) {
            return candidate.prompt == asked.prompt;
        };
        BIFOCAL_TRY(const auto rank, candidates.rankByVector(query, isHit));
        outcome.ranks.add(rank);
        if (names) {
            BIFOCAL_TRY(const std::vector<NameMatch> named, names(asked.prompt));
            outcome.namesAlone.add(candidates.rankByName(named, isHit));
            BIFOCAL_TRY(const auto fusedRank, candidates.rankByBoth(query, named, isHit));
            outcome.fused.add(fusedRank);
        }
        BIFOCAL_TRY(
            const auto wordsRank,
            candidates.rankByVector(withoutColours(pack.info().layout, std::move(query)), isHit));
        outcome.wordsAlone.add(wordsRank);
    }
    return outcome;
}

Result<LooksOutcome> evaluateLooks(const ModelPack& pack,
                                   ImageEncoder& encoder,
                                   const CandidateSet& candidates,
                                   std::span<const LooksQuery> queries,
                                   const PictureSource& source) {
    LooksOutcome outcome;
    std::vector<float> row(pack.info().layout.dim);
    for (const LooksQuery& asked : queries) {
        BIFOCAL_TRY(const ImageBuffer whole, source(asked.picture));
        BIFOCAL_TRY(const ImageBuffer part, looksPicture(whole.view(), asked));
        const ImageView view = part.view();
        if (const Result<void> encoded = encoder.encode({&view, 1}, row, {}); !encoded) {
            return encoded.error().withContext(asked.picture);
        }
        QueryParts parts;
        parts.image = row;
        BIFOCAL_TRY(const std::vector<float> query, pack.makeQuery(parts));
        const IsHit isHit = [&asked](const EvalPicture& candidate) {
            return isLooksHit(asked, candidate.path);
        };
        BIFOCAL_TRY(const auto rank, candidates.rankByVector(query, isHit));
        outcome.ranks.add(rank);
        outcome.hashRanks.add(candidates.rankByHash(imaging::perceptualHash(view), isHit));
    }
    return outcome;
}

}  // namespace bifocal::cli
