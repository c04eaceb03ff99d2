// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/eval/candidate_set.h"
#include "app/cli/eval/looks_query.h"
#include "core/base/result.h"
#include "core/inference/model_pack.h"
#include "core/library/library.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bifocal::cli {

/// What a task of words found. Threads: value.
struct TextOutcome {
    RankTally ranks;         ///< by the pack's whole query, as a prompt has it
    RankTally wordsAlone;    ///< the same without the colours block
    RankTally namesAlone;    ///< by file and folder names; empty without a NameSource
    RankTally fused;         ///< by both, as the search ranks them; empty without a NameSource
    std::size_t unread = 0;  ///< prompts in a script that the pack does not read: misses
};

/// Which contents names speak for, as the library says it of a prompt.
using NameSource = std::function<Result<std::vector<NameMatch>>(const std::string& prompt)>;

/// Asks each query's prompt of the candidates; a hit is any candidate with that prompt, byte for
/// byte. The errors of the pack and of the index. Threads: lane(the encoder's).
Result<TextOutcome> evaluateText(const ModelPack& pack,
                                 TextEncoder& encoder,
                                 const CandidateSet& candidates,
                                 std::span<const EvalPicture> queries,
                                 const NameSource& names = {});

/// What the task of pictures found, and what a perceptual hash finds on the same queries.
struct LooksOutcome {
    RankTally ranks;
    RankTally hashRanks;
};

/// The whole picture of a query, by its path relative to the collection's root.
using PictureSource = std::function<Result<ImageBuffer>(const std::string& path)>;

/// Asks each changed part of the candidates, in the pack's own weighting of a picture alone.
/// The errors of the pack, the index and `source`. Threads: lane(the encoder's).
Result<LooksOutcome> evaluateLooks(const ModelPack& pack,
                                   ImageEncoder& encoder,
                                   const CandidateSet& candidates,
                                   std::span<const LooksQuery> queries,
                                   const PictureSource& source);

}  // namespace bifocal::cli
