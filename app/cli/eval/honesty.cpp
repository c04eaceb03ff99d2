// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/honesty.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

namespace bifocal::cli {
namespace {

/// Strengths of answers, and how many of them were called "nothing matches".
struct Answers {
    std::vector<double> strengths;
    std::size_t noneCount = 0;

    void add(const ConfidenceScale& scale) {
        strengths.push_back(scale.strength());
        noneCount += scale.answer() == Answer::None ? 1 : 0;
    }
    double noneShare() const {
        return strengths.empty()
                   ? 0
                   : static_cast<double>(noneCount) / static_cast<double>(strengths.size());
    }
};

Separation separate(const Answers& trusted, const Answers& wrong) {
    return {areaUnderCurve(trusted.strengths, wrong.strengths),
            wrong.noneShare(),
            wrong.strengths.size()};
}

/// The query of a prompt; none when the pack does not read its script.
Result<std::optional<std::vector<float>>> queryOf(const ModelPack& pack,
                                                  TextEncoder& encoder,
                                                  const std::string& prompt) {
    const Result<EncodedText> text = encoder.encode(prompt, {});
    if (!text && text.error().code == ErrorCode::Unsupported) {
        return std::optional<std::vector<float>>{};
    }
    if (!text) {
        return text.error().withContext(prompt);
    }
    QueryParts parts;
    parts.text = text->row;
    BIFOCAL_TRY(std::vector<float> query, pack.makeQuery(parts));
    return std::optional(std::move(query));
}

template <typename Prompts>
Result<Answers> ask(const ModelPack& pack,
                    TextEncoder& encoder,
                    const CandidateSet& candidates,
                    const Prompts& prompts) {
    Answers answers;
    for (const auto& prompt : prompts) {
        BIFOCAL_TRY(const auto query, queryOf(pack, encoder, std::string(prompt)));
        if (query) {
            BIFOCAL_TRY(const ConfidenceScale scale,
                        candidates.confidence(pack.info().layout, *query, {}));
            answers.add(scale);
        }
    }
    return answers;
}

}  // namespace

double areaUnderCurve(std::span<const double> trusted, std::span<const double> wrong) {
    if (trusted.empty() || wrong.empty()) {
        return 0;
    }
    std::vector<double> sorted(wrong.begin(), wrong.end());
    std::sort(sorted.begin(), sorted.end());
    double wins = 0;
    for (const double value : trusted) {
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
        wins += static_cast<double>(first - sorted.begin()) + static_cast<double>(last - first) / 2;
    }
    return wins / (static_cast<double>(trusted.size()) * static_cast<double>(wrong.size()));
}

std::vector<std::string> gibberishPrompts(std::size_t count) {
    std::mt19937 random(473);  // the standard fixes its numbers; its distributions it does not
    std::vector<std::string> prompts;
    for (std::size_t i = 0; i < count; ++i) {
        std::string prompt;
        const std::size_t words = 1 + random() % 3;
        for (std::size_t word = 0; word < words; ++word) {
            prompt += word > 0 ? " " : "";
            const std::size_t letters = 4 + random() % 8;
            for (std::size_t letter = 0; letter < letters; ++letter) {
                prompt += static_cast<char>('a' + random() % 26);
            }
        }
        prompts.push_back(std::move(prompt));
    }
    return prompts;
}

Result<HonestyOutcome> evaluateHonesty(const ModelPack& pack,
                                       TextEncoder& encoder,
                                       const CandidateSet& candidates,
                                       std::span<const EvalPicture> queries) {
    Answers trusted;
    Answers robbed;
    for (const EvalPicture& asked : queries) {
        BIFOCAL_TRY(const auto query, queryOf(pack, encoder, asked.prompt));
        if (!query) {
            continue;
        }
        const IsHit isHit = [&asked](const EvalPicture& candidate) {
            return candidate.prompt == asked.prompt;
        };
        BIFOCAL_TRY(const ConfidenceScale whole,
                    candidates.confidence(pack.info().layout, *query, {}));
        BIFOCAL_TRY(const ConfidenceScale without,
                    candidates.confidence(pack.info().layout, *query, isHit));
        trusted.add(whole);
        robbed.add(without);
    }
    BIFOCAL_TRY(const Answers absent, ask(pack, encoder, candidates, absentSentences()));
    BIFOCAL_TRY(const Answers gibberish,
                ask(pack, encoder, candidates, gibberishPrompts(absentSentences().size())));
    HonestyOutcome outcome;
    outcome.count = trusted.strengths.size();
    outcome.answered = trusted.strengths.empty() ? 0 : 1 - trusted.noneShare();
    outcome.leaveOneOut = separate(trusted, robbed);
    outcome.absent = separate(trusted, absent);
    outcome.gibberish = separate(trusted, gibberish);
    return outcome;
}

}  // namespace bifocal::cli
