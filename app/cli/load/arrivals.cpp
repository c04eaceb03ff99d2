// SPDX-License-Identifier: Apache-2.0
#include "app/cli/load/arrivals.h"

#include "core/base/assert.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr double kLargestWeight = 1'000'000;

/// A number that is all of `text`. NaN passes: bounds are checked so that it fails them.
std::optional<double> numberOf(std::string_view text) {
    double number = 0;
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    return code == std::errc{} && rest == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

std::optional<std::size_t> kindIndexOf(std::string_view name) {
    for (std::size_t i = 0; i < kLoadKinds.size(); ++i) {
        if (name == toString(kLoadKinds[i])) {
            return i;
        }
    }
    return std::nullopt;
}

Error badMix(const std::string& text, const std::string& why) {
    return {ErrorCode::InvalidArgument, "--mix: '" + text + "': " + why};
}

/// "text:3" into the mix; a weight below zero marks a kind that was not named yet.
Result<void> addPart(const std::string& text, std::string_view part, LoadMix& mix) {
    const std::size_t colon = part.find(':');
    const auto kind = kindIndexOf(part.substr(0, colon));
    if (!kind) {
        return badMix(text, "'" + std::string(part) + "' is not text, image or fused, ':', number");
    }
    const auto weight =
        colon == std::string_view::npos ? std::nullopt : numberOf(part.substr(colon + 1));
    if (!weight || !(*weight >= 0 && *weight <= kLargestWeight)) {
        return badMix(text, "'" + std::string(part) + "' has no number from 0 to 1000000");
    }
    if (mix.weights[*kind] >= 0) {
        return badMix(text, std::string(toString(kLoadKinds[*kind])) + " is named twice");
    }
    mix.weights[*kind] = *weight;
    return {};
}

/// In [0, 1); the same on every standard library, unlike std::uniform_real_distribution.
double unit(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11U) * 0x1p-53;
}

}  // namespace

const char* toString(LoadKind kind) {
    switch (kind) {
        case LoadKind::Text: return "text";
        case LoadKind::Image: return "image";
        case LoadKind::Fused: return "fused";
    }
    return "";
}

Result<LoadMix> parseMix(const std::string& text) {
    LoadMix mix;
    mix.weights.fill(-1);
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        BIFOCAL_CHECK(addPart(text, std::string_view(text).substr(begin, end - begin), mix));
        begin = end + 1;
    }
    double sum = 0;
    for (double& weight : mix.weights) {
        weight = std::max(weight, 0.0);
        sum += weight;
    }
    if (!(sum > 0)) {
        return badMix(text, "no kind has a weight above zero");
    }
    return mix;
}

Result<RateRange> parseRates(const std::string& text) {
    const std::size_t colon = text.find(':');
    const auto from = numberOf(std::string_view(text).substr(0, colon));
    const auto to =
        colon == std::string::npos ? from : numberOf(std::string_view(text).substr(colon + 1));
    const auto isRate = [](const std::optional<double>& rate) {
        return rate && *rate > 0 && *rate <= kMostPromptsPerSecond;
    };
    if (!isRate(from) || !isRate(to) || *from > *to) {
        return Error{ErrorCode::InvalidArgument,
                     "--rate: '" + text +
                         "' is not A or A:B in prompts per second, above 0, up to 10000, A first"};
    }
    return RateRange{*from, *to};
}

std::vector<double> ratesOf(const RateRange& range, std::size_t count) {
    BIFOCAL_ASSERT(count >= 2);
    if (range.from == range.to) {
        return {range.from};
    }
    std::vector<double> rates;
    for (std::size_t i = 0; i < count; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(count - 1);
        rates.push_back(range.from * std::pow(range.to / range.from, share));
    }
    rates.back() = range.to;
    return rates;
}

std::vector<Arrival> makeArrivals(double rate,
                                  double seconds,
                                  const LoadMix& mix,
                                  std::uint64_t seed) {
    BIFOCAL_ASSERT(rate > 0 && seconds > 0);
    std::mt19937_64 random(seed);
    const auto count =
        static_cast<std::size_t>(std::max<long long>(1, std::llround(rate * seconds)));
    std::vector<Arrival> arrivals(count);
    double sum = 0;
    for (const double weight : mix.weights) {
        sum += weight;
    }
    for (Arrival& arrival : arrivals) {
        // Given their number, the times of a Poisson process are independent and uniform.
        arrival.due = Duration(static_cast<Duration::rep>(unit(random) * seconds * 1e9));
        double place = unit(random) * sum;
        for (const LoadKind kind : kLoadKinds) {
            if (mix.weightOf(kind) > 0) {
                arrival.kind = kind;
                if (place < mix.weightOf(kind)) {
                    break;
                }
            }
            place -= mix.weightOf(kind);
        }
    }
    std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
        return a.due < b.due;
    });
    return arrivals;
}

}  // namespace bifocal::cli
