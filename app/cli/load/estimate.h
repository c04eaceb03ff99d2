// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace bifocal::cli {

/// A figure and the interval that holds the true one with the confidence asked for. Threads: value.
struct Estimate {
    double value = 0;
    double low = 0;
    double high = 0;
};

/// How an interval is made: by resampling in blocks of the cube root of the count, so that
/// neighbours in time, which are alike under load, stay together (Künsch 1989, circular blocks).
/// One seed gives one answer. Threads: value.
struct Resampling {
    std::size_t count = 1000;
    double confidence = 0.95;  ///< in (0, 1); the share count · (1 − confidence) should be ≥ 4
    std::uint64_t seed = 1;
};

/// Fewest samples that say something about the quantile q in [0, 1): the 1 / (1 − q) of which one
/// lies beyond it (20 for 0.95, 100 for 0.99), and never fewer than 5.
std::size_t fewestSamples(double q);

/// Nearest-rank quantile of samples in order of time; none with fewer than fewestSamples(q).
/// Threads: value.
std::optional<Estimate> estimateQuantile(std::span<const double> values,
                                         double q,
                                         const Resampling& resampling = {});

/// Median of `after` minus median of `before`, each in order of time; none when one of them has
/// fewer than fewestSamples(0.5). Threads: value.
std::optional<Estimate> estimateMedianDifference(std::span<const double> before,
                                                 std::span<const double> after,
                                                 const Resampling& resampling = {});

}  // namespace bifocal::cli
