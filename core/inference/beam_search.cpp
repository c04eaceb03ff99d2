// SPDX-License-Identifier: Apache-2.0
#include "core/inference/beam_search.h"

#include <algorithm>
#include <utility>

namespace bifocal {

BeamSearch::BeamSearch(std::size_t beamCount, std::int32_t end, std::size_t mostTokens)
    : BeamSearch(beamCount, end, mostTokens, {Beam{}}, {}) {}

BeamSearch::BeamSearch(std::size_t beamCount,
                       std::int32_t end,
                       std::size_t mostTokens,
                       std::vector<Beam> live,
                       std::vector<Beam> finished)
    : beamCount_(beamCount),
      end_(end),
      mostTokens_(mostTokens),
      live_(std::move(live)),
      finished_(std::move(finished)) {}

std::vector<std::size_t> BeamSearch::advance(std::vector<Continuation> continuations) {
    std::vector<Beam> before = std::exchange(live_, {});
    if (!before.empty() && before.front().tokens.size() >= mostTokens_) {
        std::move(before.begin(), before.end(), std::back_inserter(finished_));
        return {};
    }
    const auto total = [&before](const Continuation& one) {
        return before[one.beam].logProbability + one.logProbability;
    };
    std::stable_sort(
        continuations.begin(), continuations.end(), [&total](const auto& one, const auto& other) {
            return total(one) > total(other);
        });
    std::vector<std::size_t> parents;
    for (const Continuation& one : continuations) {
        if (live_.size() == beamCount_ || finished_.size() == beamCount_) {
            break;
        }
        Beam next{before[one.beam].tokens, total(one)};
        if (one.token == end_) {
            finished_.push_back(std::move(next));
            continue;
        }
        next.tokens.push_back(one.token);
        live_.push_back(std::move(next));
        parents.push_back(one.beam);
    }
    return parents;
}

const Beam& BeamSearch::best() const {
    const std::vector<Beam>& among = finished_.empty() ? live_ : finished_;
    return *std::max_element(among.begin(), among.end(), [](const Beam& one, const Beam& other) {
        return one.meanLogProbability() < other.meanLogProbability();
    });
}

}  // namespace bifocal
