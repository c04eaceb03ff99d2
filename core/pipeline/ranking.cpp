// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/ranking.h"

#include "core/inference/query.h"
#include "core/pipeline/rank_fusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace bifocal {
namespace {

constexpr std::size_t kAnswerDepth = 10;
/// Ranks of the vectors that names are fused with: the order does not depend on how many are shown.
constexpr std::size_t kFusionDepth = kMaxResultCount + kAnswerDepth;

bool passes(const FileRecord& file, const Filters& filters) {
    const auto& wanted = filters.collections;
    if (!wanted.empty() &&
        std::find(wanted.begin(), wanted.end(), file.collection) == wanted.end()) {
        return false;
    }
    const std::chrono::sys_seconds modified{
        std::chrono::seconds(file.stamp.modifiedNanoseconds / 1'000'000'000)};
    return (!filters.modifiedAfter || modified >= *filters.modifiedAfter) &&
           (!filters.modifiedBefore || modified < *filters.modifiedBefore) &&
           passesFile(filters, file.path, file.stamp.sizeBytes);
}

bool looksAtFiles(const Filters& filters) {
    return !filters.types.empty() || filters.smallestBytes > 0 || filters.largestBytes ||
           !filters.folder.empty();
}

bool narrows(const Filters& filters) {
    return !filters.collections.empty() || filters.modifiedAfter || filters.modifiedBefore ||
           looksAtFiles(filters);
}

/// One bit per row that the filters let through; at least one word, so that "nothing passes" is not
/// mistaken for "no filter".
Result<std::vector<std::uint64_t>> filterBits(const RankRequest& request) {
    const Filters& filters = request.prompt.prompt.filters;
    if (!narrows(filters)) {
        return std::vector<std::uint64_t>{};
    }
    Library::FileTest accepts;
    if (looksAtFiles(filters)) {
        accepts = [&filters](const std::filesystem::path& path, std::uint64_t bytes) {
            return passesFile(filters, path, bytes);
        };
    }
    BIFOCAL_TRY(const std::vector<ContentKey> contents,
                request.library.contentsMatching(
                    filters.collections, filters.modifiedAfter, filters.modifiedBefore, accepts));
    std::vector<std::uint64_t> bits(
        std::max<std::size_t>(1, (request.snapshot.rowCount() + 63) / 64));
    for (const ContentKey& content : contents) {
        if (const auto row = request.snapshot.find(content)) {
            bits[*row / 64] |= std::uint64_t{1} << (*row % 64);
        }
    }
    return bits;
}

double nameWeight(const NormalizedPrompt& prompt) {
    const double words = prompt.mode == PromptMode::ImageOnly ? 0.0
                         : prompt.mode == PromptMode::Fused
                             ? std::min(1.0, 2 * (1 - prompt.prompt.balance))
                             : 1.0;
    return words * prompt.prompt.nameWeight;
}

/// Rows that a name speaks for and the filter lets through, none that a negative names.
Result<std::vector<NamedRow>> namedRows(const RankRequest& request,
                                        std::span<const std::uint64_t> filter) {
    std::vector<NamedRow> rows;
    if (nameWeight(request.prompt) <= 0) {
        return rows;
    }
    std::unordered_set<std::uint64_t> unwanted;
    for (const std::string& negative : request.prompt.prompt.negatives) {
        BIFOCAL_TRY(const std::vector<NameMatch> named,
                    request.library.filesNamed(negative, kMostNamed));
        for (const NameMatch& match : named) {
            unwanted.insert(match.file.value);
        }
    }
    BIFOCAL_TRY(const std::vector<NameMatch> named,
                request.library.filesNamed(request.prompt.prompt.text, kMostNamed));
    std::unordered_set<std::uint32_t> seen;  // copies share a row; the strongest name comes first
    for (const NameMatch& match : named) {
        const auto row = request.snapshot.find(match.content);
        const bool passes =
            row && (filter.empty() || ((filter[*row / 64] >> (*row % 64)) & 1U) != 0);
        if (passes && !unwanted.contains(match.file.value) && seen.insert(*row).second) {
            rows.push_back({*row, match.strength, match.isOwnName});
        }
    }
    return rows;
}

Confidence weakestShown(Strictness strictness) {
    switch (strictness) {
        case Strictness::Any: return Confidence::Weak;
        case Strictness::Fair: return Confidence::Fair;
        case Strictness::Strong: return Confidence::Strong;
    }
    return Confidence::Weak;
}

/// Sorts within the results; the prompt's own picture stays before all.
void sortRows(std::vector<ResultRow>& rows, SortOrder order) {
    const auto isBefore = [order](const FileRecord& a, const FileRecord& b) {
        switch (order) {
            case SortOrder::Best: return false;
            case SortOrder::Newest:
                return a.stamp.modifiedNanoseconds > b.stamp.modifiedNanoseconds;
            case SortOrder::Oldest:
                return a.stamp.modifiedNanoseconds < b.stamp.modifiedNanoseconds;
            case SortOrder::Largest: return a.stamp.sizeBytes > b.stamp.sizeBytes;
            case SortOrder::Smallest: return a.stamp.sizeBytes < b.stamp.sizeBytes;
            case SortOrder::Name: return a.path.filename() < b.path.filename();
        }
        return false;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const ResultRow& a, const ResultRow& b) {
        return a.isThisPicture != b.isThisPicture ? a.isThisPicture : isBefore(a.file, b.file);
    });
}

WhyMatched whyMatched(const RankRequest& request, std::uint32_t row) {
    const LensScores lenses =
        lensScores(request.layout, request.query, request.snapshot.values(row));
    const PromptMode mode = request.prompt.mode;
    const auto share =
        static_cast<float>(mode == PromptMode::TextOnly    ? 0.0
                           : mode == PromptMode::ImageOnly ? 1.0
                                                           : request.prompt.prompt.balance);
    return {lenses.looks + share * lenses.joint, lenses.words + (1 - share) * lenses.joint};
}

/// Turns scored contents into result rows, each file once.
class RowMaker {
public:
    RowMaker(const RankRequest& request, const ConfidenceScale& scale)
        : request_(request), scale_(scale) {}

    /// The prompt's own picture: by content, else by perceptual hash and a look at the pixels.
    Result<void> addThisPicture() {
        std::vector<FileRecord> files;
        if (request_.promptContent) {
            BIFOCAL_TRY(files, request_.library.filesWithContent(*request_.promptContent));
        }
        if (files.empty() && request_.promptHash != 0) {
            BIFOCAL_TRY(files, request_.library.filesWithPerceptualHash(request_.promptHash));
            std::erase_if(files,
                          [this](const FileRecord& file) { return !request_.isSamePicture(file); });
        }
        for (FileRecord& file : files) {
            if (const auto row = request_.snapshot.find(file.content)) {
                const std::span<const Half> values = request_.snapshot.values(*row);
                const float score = kernels::dot(values, request_.query.first(values.size()));
                add(std::move(file), {score, *row}, {}, true);
            }
        }
        return {};
    }

    Result<void> addFused(const FusedRow& fused) {
        BIFOCAL_TRY(std::vector<FileRecord> files,
                    request_.library.filesWithContent(request_.snapshot.key(fused.row)));
        const std::span<const Half> values = request_.snapshot.values(fused.row);
        const float score = kernels::dot(values, request_.query.first(values.size()));
        for (FileRecord& file : files) {
            if (passes(file, request_.prompt.prompt.filters)) {
                add(std::move(file), {score, fused.row}, fused, false);
            }
        }
        return {};
    }

    bool isFull() const { return rows_.size() >= limit(); }
    std::vector<ResultRow> take() {
        rows_.resize(std::min(rows_.size(), limit()));
        return std::move(rows_);
    }

private:
    std::size_t limit() const {
        return static_cast<std::size_t>(request_.prompt.prompt.resultCount);
    }

    void add(FileRecord file,
             const kernels::RowScore& scored,
             const FusedRow& fused,
             bool isThisPicture) {
        if (!seen_.insert(file.id.value).second) {
            return;
        }
        const double total = fused.total();
        const bool isTelling = fused.isOwnName && fused.nameRank <= kTellingNameRank;
        Confidence confidence = scale_.labelOf(scored.score);
        if (isThisPicture) {
            confidence = Confidence::Strong;
        } else if (isTelling) {
            confidence = std::min(confidence, Confidence::Fair);
        }
        rows_.push_back(
            {std::move(file),
             scored.score,
             confidence,
             whyMatched(request_, scored.row),
             {total > 0 ? static_cast<float>(fused.namePart / total) : 0.0F, fused.isOwnName},
             isThisPicture});
    }

    const RankRequest& request_;
    const ConfidenceScale& scale_;
    std::vector<ResultRow> rows_;
    std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

ConfidenceScale::ConfidenceScale(const kernels::ScoreMoments& moments,
                                 std::span<const float> bestScores,
                                 double maxScore)
    : mean_(moments.mean()), maxScore_(maxScore) {
    BIFOCAL_ASSERT(maxScore > 0);
    const auto best = bestScores.first(std::min(kAnswerDepth, bestScores.size()));
    if (!best.empty()) {
        const double sum = std::accumulate(best.begin(), best.end(), 0.0);
        separation_ = excess(sum / static_cast<double>(best.size()));
        best_ = excess(best.front());
    }
}

double ConfidenceScale::excess(double score) const {
    return (score - mean_) / maxScore_;
}

Confidence ConfidenceScale::labelOf(double score) const {
    const double value = excess(score);
    if (value >= kStrong) {
        return Confidence::Strong;
    }
    return value >= kFair ? Confidence::Fair : Confidence::Weak;
}

Answer ConfidenceScale::answer() const {
    if (separation_ < kNothing && best_ < kFair) {
        return Answer::None;
    }
    if (best_ >= kStrong) {
        return Answer::Strong;
    }
    return best_ >= kFair ? Answer::Fair : Answer::Weak;
}

double maxScoreOf(const RowLayout& layout, std::span<const float> query) {
    double sum = 0;
    for (const RowBlock& block : layout.blocks) {
        double squares = 0;
        for (const float value : query.subspan(block.offset, block.dim)) {
            squares += double{value} * value;
        }
        sum += std::sqrt(squares);
    }
    return std::max(sum, 1e-9);
}

Result<ResultSet> rank(const RankRequest& request) {
    const auto wanted = static_cast<std::size_t>(request.prompt.prompt.resultCount);
    BIFOCAL_TRY(const std::vector<std::uint64_t> filter, filterBits(request));
    ResultSet set;
    BIFOCAL_TRY(const std::vector<NamedRow> named, namedRows(request, filter));
    // What is filtered out belongs to the background all the same: a match is as strong with a
    // filter as without it.
    std::optional<kernels::ScoreMoments> background;
    if (!filter.empty()) {
        std::array<kernels::RowScore, 1> unused;
        BIFOCAL_TRY(const kernels::TopKResult all,
                    request.snapshot.search(request.query, {}, unused, request.stop));
        background = all.moments;
    }
    const FusionWeights weights{1, nameWeight(request.prompt)};
    // Vectors whose file is not committed yet have no row to show: ask again for more when they
    // take places. Rarely more than one round.
    for (std::size_t depth = named.empty() ? wanted + kAnswerDepth : kFusionDepth;; depth *= 4) {
        std::vector<kernels::RowScore> best(std::min(depth, request.snapshot.rowCount()));
        BIFOCAL_TRY(const kernels::TopKResult found,
                    request.snapshot.search(request.query, filter, best, request.stop));
        best.resize(found.count);
        std::vector<float> scores(best.size());
        std::transform(best.begin(), best.end(), scores.begin(), [](const auto& entry) {
            return entry.score;
        });
        const ConfidenceScale scale(
            background.value_or(found.moments), scores, maxScoreOf(request.layout, request.query));
        RowMaker maker(request, scale);
        BIFOCAL_CHECK(maker.addThisPicture());
        for (const FusedRow& row : fuseRanks(best, named, weights)) {
            if (maker.isFull()) {
                break;
            }
            BIFOCAL_CHECK(maker.addFused(row));
        }
        if (maker.isFull() || best.size() < depth) {
            set.searchedCount = found.moments.count;
            set.answer = scale.answer();
            set.rows = maker.take();
            const bool hasFair =
                std::any_of(set.rows.begin(), set.rows.end(), [](const ResultRow& row) {
                    return row.confidence <= Confidence::Fair;
                });
            if (hasFair) {
                set.answer = std::min(set.answer, Answer::Fair);
            }
            if (!set.rows.empty() && set.rows.front().isThisPicture) {
                set.answer = Answer::Strong;
            }
            set.hiddenCount =
                std::erase_if(set.rows,
                              [weakest = weakestShown(request.prompt.prompt.strictness)](
                                  const ResultRow& row) { return row.confidence > weakest; });
            sortRows(set.rows, request.prompt.prompt.order);
            return set;
        }
    }
}

}  // namespace bifocal
