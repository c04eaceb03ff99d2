// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::cli {

/// What a prompt is made of.
enum class LoadKind : std::uint8_t { Text = 1, Image, Fused };
inline constexpr std::array kLoadKinds{LoadKind::Text, LoadKind::Image, LoadKind::Fused};
const char* toString(LoadKind kind);

/// Shares of the kinds, in the order of kLoadKinds; they need not add up to one. Threads: value.
struct LoadMix {
    std::array<double, kLoadKinds.size()> weights{};

    double weightOf(LoadKind kind) const { return weights[static_cast<std::size_t>(kind) - 1]; }
};

/// "text:3,image:1,fused:1"; a kind that is not named gets no prompt. InvalidArgument: a kind that
/// there is not or that is named twice, a weight that is no number in [0, 1,000,000], nothing but
/// zeros. Threads: value.
Result<LoadMix> parseMix(const std::string& text);

/// Prompts per second. Threads: value.
struct RateRange {
    double from = 1;
    double to = 1;
};
inline constexpr double kMostPromptsPerSecond = 10'000;

/// "A:B", or "A" alone for that one. InvalidArgument: no numbers above 0 and up to
/// kMostPromptsPerSecond, or B below A. Threads: value.
Result<RateRange> parseRates(const std::string& text);

/// `count` rates from the first to the last, each the same multiple of the one before; one when
/// they are equal. Requires: count of 2 or more. Threads: value.
std::vector<double> ratesOf(const RateRange& range, std::size_t count);

/// When a prompt is meant to start, from the beginning of the run. Threads: value.
struct Arrival {
    Duration due{0};
    LoadKind kind = LoadKind::Text;
};

/// Arrivals of a Poisson process that brought rate × seconds prompts (at least one), by rising
/// time: the rate is exact, the gaps are those of people who know nothing of each other. One seed
/// gives one list. Threads: value.
std::vector<Arrival> makeArrivals(double rate,
                                  double seconds,
                                  const LoadMix& mix,
                                  std::uint64_t seed);

}  // namespace bifocal::cli
