// SPDX-License-Identifier: Apache-2.0
#include "app/cli/load/estimate.h"

#include "core/base/assert.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr std::size_t kFewestOfAll = 5;

/// Nearest rank; changes the order. Requires: not empty.
double takeQuantile(std::span<double> values, double q) {
    const double rank = std::ceil(q * static_cast<double>(values.size()));
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

/// Quantiles of made-up series that could have been measured instead. Threads: compatible.
class BlockResampler {
public:
    BlockResampler(std::span<const double> values, double q)
        : values_(values),
          q_(q),
          block_(static_cast<std::size_t>(
              std::max(1.0, std::round(std::cbrt(static_cast<double>(values.size())))))),
          scratch_(values.size()) {}

    double measured() {
        std::copy(values_.begin(), values_.end(), scratch_.begin());
        return takeQuantile(scratch_, q_);
    }
    double draw(std::mt19937_64& random) {
        std::size_t filled = 0;
        while (filled < scratch_.size()) {
            std::size_t from = random() % values_.size();
            for (std::size_t i = 0; i < block_ && filled < scratch_.size(); ++i) {
                scratch_[filled++] = values_[from];
                from = from + 1 == values_.size() ? 0 : from + 1;
            }
        }
        return takeQuantile(scratch_, q_);
    }

private:
    std::span<const double> values_;
    double q_;
    std::size_t block_;
    std::vector<double> scratch_;
};

template <typename Draw>
Estimate estimateFrom(double value, const Resampling& resampling, Draw draw) {
    BIFOCAL_ASSERT(resampling.count > 0 && resampling.confidence > 0 && resampling.confidence < 1);
    std::vector<double> drawn(resampling.count);
    std::generate(drawn.begin(), drawn.end(), draw);
    const double tail = (1 - resampling.confidence) / 2;
    const double low = takeQuantile(drawn, tail);
    const double high = takeQuantile(drawn, 1 - tail);
    return {value, low, high};
}

}  // namespace

std::size_t fewestSamples(double q) {
    BIFOCAL_ASSERT(q >= 0 && q < 1);
    return std::max(kFewestOfAll, static_cast<std::size_t>(std::llround(1 / (1 - q))));
}

std::optional<Estimate> estimateQuantile(std::span<const double> values,
                                         double q,
                                         const Resampling& resampling) {
    if (values.size() < fewestSamples(q)) {
        return std::nullopt;
    }
    BlockResampler resampler(values, q);
    std::mt19937_64 random(resampling.seed);
    const double value = resampler.measured();
    return estimateFrom(value, resampling, [&] { return resampler.draw(random); });
}

std::optional<Estimate> estimateMedianDifference(std::span<const double> before,
                                                 std::span<const double> after,
                                                 const Resampling& resampling) {
    if (std::min(before.size(), after.size()) < fewestSamples(0.5)) {
        return std::nullopt;
    }
    BlockResampler first(before, 0.5);
    BlockResampler second(after, 0.5);
    std::mt19937_64 random(resampling.seed);
    const double value = second.measured() - first.measured();
    return estimateFrom(value, resampling, [&] {
        const double earlier = first.draw(random);
        return second.draw(random) - earlier;
    });
}

}  // namespace bifocal::cli
