// SPDX-License-Identifier: Apache-2.0
#include "core/inference/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace bifocal {
namespace {

using Tokens = std::vector<std::int32_t>;
using Continuation = BeamSearch::Continuation;

constexpr std::int32_t kEnd = 0;
constexpr std::int32_t kTokenCount = 4;

/// Probabilities of the next token that depend on all tokens before.
std::vector<double> oddsAfter(const Tokens& tokens, std::uint32_t seed) {
    for (const std::int32_t token : tokens) {
        seed = seed * 31 + static_cast<std::uint32_t>(token) + 1;
    }
    std::mt19937 random(seed);
    std::vector<double> odds(kTokenCount);
    double sum = 0;
    for (double& one : odds) {
        one = std::uniform_real_distribution<>(0.05, 1)(random);
        sum += one;
    }
    for (double& one : odds) {
        one = std::log(one / sum);
    }
    return odds;
}

using Odds = std::function<std::vector<double>(const Tokens&)>;

void step(BeamSearch& search, const Odds& odds) {
    std::vector<Continuation> continuations;
    for (std::size_t beam = 0; beam < search.live().size(); ++beam) {
        const std::vector<double> next = odds(search.live()[beam].tokens);
        for (std::size_t token = 0; token < next.size(); ++token) {
            continuations.push_back({beam, static_cast<std::int32_t>(token), next[token]});
        }
    }
    search.advance(std::move(continuations));
}

Beam run(BeamSearch search, const Odds& odds) {
    while (!search.isOver()) {
        step(search, odds);
    }
    return search.best();
}

/// The best of all texts there are.
Beam bestOfAll(const Odds& odds, std::size_t mostTokens) {
    Beam best{{}, -1e9};
    const std::function<void(const Beam&)> visit = [&](const Beam& beam) {
        if (beam.tokens.size() == mostTokens) {
            if (beam.meanLogProbability() > best.meanLogProbability()) {
                best = beam;
            }
            return;
        }
        const std::vector<double> next = odds(beam.tokens);
        for (std::int32_t token = 0; token < kTokenCount; ++token) {
            Beam longer{beam.tokens, beam.logProbability + next[static_cast<std::size_t>(token)]};
            if (token == kEnd) {
                if (longer.meanLogProbability() > best.meanLogProbability()) {
                    best = longer;
                }
            } else {
                longer.tokens.push_back(token);
                visit(longer);
            }
        }
    };
    visit({});
    return best;
}

TEST(BeamSearchTest, OneBeamTakesTheBestTokenEachTime) {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const Odds odds = [seed](const Tokens& tokens) { return oddsAfter(tokens, seed); };
        Beam greedy;
        while (greedy.tokens.size() < 6) {
            const std::vector<double> next = odds(greedy.tokens);
            const auto best = std::max_element(next.begin(), next.end());
            greedy.logProbability += *best;
            if (best - next.begin() == kEnd) {
                break;
            }
            greedy.tokens.push_back(static_cast<std::int32_t>(best - next.begin()));
        }
        EXPECT_EQ(run(BeamSearch(1, kEnd, 6), odds).tokens, greedy.tokens) << seed;
    }
}

TEST(BeamSearchTest, WideEnoughItFindsTheBestOfAllTexts) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        const Odds odds = [seed](const Tokens& tokens) { return oddsAfter(tokens, seed); };
        const Beam found = run(BeamSearch(500, kEnd, 4), odds);
        const Beam best = bestOfAll(odds, 4);
        EXPECT_EQ(found.tokens, best.tokens) << seed;
        EXPECT_NEAR(found.logProbability, best.logProbability, 1e-9);
    }
}

TEST(BeamSearchTest, ASecondBeamFindsWhatTheFirstTokenHides) {
    // "1" looks better at first; "2" is sure of itself afterwards.
    const Odds odds = [](const Tokens& tokens) -> std::vector<double> {
        if (tokens.empty()) {
            return {-9, std::log(0.55), std::log(0.45), -9};
        }
        return tokens.front() == 1 ? std::vector<double>{std::log(0.3), -1.5, -1.5, -1.5}
                                   : std::vector<double>{std::log(0.99), -9, -9, -9};
    };
    EXPECT_EQ(run(BeamSearch(1, kEnd, 8), odds).tokens.front(), 1);
    EXPECT_EQ(run(BeamSearch(2, kEnd, 8), odds).tokens, (Tokens{2}));
}

TEST(BeamSearchTest, ParentsSayWhichBeamGoesOn) {
    BeamSearch search(2, kEnd, 8);
    EXPECT_EQ(search.advance({{0, 1, -1}, {0, 2, -2}, {0, 3, -3}}),
              (std::vector<std::size_t>{0, 0}));
    EXPECT_EQ(search.advance({{0, 1, -5}, {0, 2, -6}, {1, 3, -0.5}, {1, kEnd, -1}, {1, 1, -2}}),
              (std::vector<std::size_t>{1, 1}));
    EXPECT_EQ(search.live()[0].tokens, (Tokens{2, 3}));
    EXPECT_DOUBLE_EQ(search.live()[0].logProbability, -2.5);
    ASSERT_EQ(search.finished().size(), 1U);
    EXPECT_EQ(search.finished()[0], (Beam{{2}, -3}));
}

TEST(BeamSearchTest, WhatNeverEndsEndsAtTheCap) {
    const Odds odds = [](const Tokens&) { return std::vector<double>{-9, -0.1, -3, -4}; };
    EXPECT_EQ(run(BeamSearch(3, kEnd, 5), odds).tokens, (Tokens{1, 1, 1, 1, 1}));
}

TEST(BeamSearchTest, PutAsideAnywhereItEndsTheSame) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        const Odds odds = [seed](const Tokens& tokens) { return oddsAfter(tokens, seed); };
        const Beam whole = run(BeamSearch(3, kEnd, 6), odds);
        BeamSearch first(3, kEnd, 6);
        while (!first.isOver()) {
            const BeamSearch second(3, kEnd, 6, first.live(), first.finished());
            EXPECT_EQ(run(second, odds), whole);
            step(first, odds);
        }
    }
}

}  // namespace
}  // namespace bifocal
