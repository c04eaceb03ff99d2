// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifocal {

/// One text that a decoder may be writing. Threads: value.
struct Beam {
    std::vector<std::int32_t> tokens;
    double logProbability = 0;  ///< of its tokens together, the end included where it was reached

    /// For each token and the end: long texts and short ones compare by it.
    double meanLogProbability() const {
        return logProbability / static_cast<double>(tokens.size() + 1);
    }
    friend bool operator==(const Beam&, const Beam&) = default;
};

/// Follows the few most probable texts at once. It ends when as many have ended as are followed;
/// the best is the most probable per token (Wu et al., Google's Neural Machine Translation System,
/// 2016, section 7, with α = 1). With one beam it takes the best token each time. Threads:
/// compatible.
class BeamSearch {
public:
    /// `end`: the token that ends a text; `mostTokens`: where a text ends anyway.
    BeamSearch(std::size_t beamCount, std::int32_t end, std::size_t mostTokens);
    /// Goes on where another one was.
    BeamSearch(std::size_t beamCount,
               std::int32_t end,
               std::size_t mostTokens,
               std::vector<Beam> live,
               std::vector<Beam> finished);

    /// A token after one of the live beams.
    struct Continuation {
        std::size_t beam = 0;
        std::int32_t token = 0;
        double logProbability = 0;
    };
    /// One step: of each live beam the beamCount + 1 best tokens, at least. → for each beam that is
    /// live now, the one that it continues; its last token is what the decoder reads next.
    std::vector<std::size_t> advance(std::vector<Continuation> continuations);

    bool isOver() const { return live_.empty() || finished_.size() >= beamCount_; }
    /// Most probable first.
    const std::vector<Beam>& live() const { return live_; }
    const std::vector<Beam>& finished() const { return finished_; }
    /// Of those that ended; before the first one has, of all.
    const Beam& best() const;

private:
    std::size_t beamCount_;
    std::int32_t end_;
    std::size_t mostTokens_;
    std::vector<Beam> live_;
    std::vector<Beam> finished_;
};

}  // namespace bifocal
