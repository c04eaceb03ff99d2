// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/index/vector_index.h"
#include "core/inference/row_layout.h"
#include "core/library/library.h"
#include "core/pipeline/results.h"
#include "core/prompt/prompt.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal {

/// Labels from the query's own score distribution over everything it was compared with.
///
/// A score's *excess* is (score − mean of all candidates) / (largest score this query could give):
/// how far, as a share of the whole range, it stands out of the background that this very query
/// has. The mean does not depend on any picture in particular, so a prompt that everything is a
/// little like gets no credit for it. The answer's excess is that of the mean of its ten best: one
/// lucky picture does not make an answer.
/// Threads: value.
class ConfidenceScale {
public:
    /// `bestScores`: the best scores, best first. `maxScore` > 0: see maxScoreOf().
    ConfidenceScale(const kernels::ScoreMoments& moments,
                    std::span<const float> bestScores,
                    double maxScore);

    Confidence labelOf(double score) const;
    Answer answer() const;
    /// Excess of the mean of the ten best.
    double separation() const { return separation_; }

    /// What the answer is worth in one number: 1 is where it begins to be one, less is None.
    double strength() const { return std::max(separation_ / kNothing, best_ / kFair); }

    static constexpr double kStrong = 0.40;
    static constexpr double kFair = 0.27;
    static constexpr double kNothing = 0.20;  ///< below it the answer is None

private:
    double excess(double score) const;

    double mean_ = 0;
    double maxScore_ = 1;
    double separation_ = 0;
    double best_ = 0;
};

/// The largest score a query can give: rows have blocks of at most unit length, so it is the sum of
/// the lengths of the query's blocks.
double maxScoreOf(const RowLayout& layout, std::span<const float> query);

/// What ranking needs. Threads: value; borrows, for the time of one call.
struct RankRequest {
    const IndexSnapshot& snapshot;
    const Library& library;
    const RowLayout& layout;
    std::span<const float> query;
    const NormalizedPrompt& prompt;
    std::optional<ContentKey> promptContent;  ///< of the whole picture that is the prompt
    std::uint64_t promptHash = 0;             ///< its perceptual hash; 0: none
    /// Whether a file with that hash and another content shows the same picture; required with a
    /// hash, as equal hashes alone do not say so.
    std::function<bool(const FileRecord&)> isSamePicture;
    std::stop_token stop;
};

/// The most files that a name may have to count: what more share tells none from the others.
inline constexpr std::size_t kMostNamed = 4096;
/// A file whose own name holds all words is a fair match whatever its vector says, when at most
/// about twice as many names do.
inline constexpr double kTellingNameRank = 50;

/// Searches, fuses the ranking of the vectors with that of names (fuseRanks(); the weight of names
/// falls with the balance's way from the middle to looks), joins the rows with their files, puts
/// the prompt's own picture first, labels, and leaves out what is weaker than the prompt's
/// strictness: of the same best rows, so that stricter answers are parts of laxer ones. Fills rows,
/// answer, hiddenCount and searchedCount of the set. Cancelled, and the errors of the library.
Result<ResultSet> rank(const RankRequest& request);

}  // namespace bifocal
