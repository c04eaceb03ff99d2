// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bifocal::profile {

/// Counts of durations in log-spaced buckets: below 128 ns one bucket per nanosecond, from there to
/// 2^40 ns (18 minutes) 128 buckets per power of two. A quantile is the middle of its bucket, hence
/// within 1/256 (0.4 %) of the true sample; longer durations share the last bucket, max() stays
/// exact.
/// Threads: safe; add() is one relaxed increment; a reader sees a recent state.
class Histogram {
public:
    void add(std::uint64_t nanoseconds, std::uint64_t count = 1);
    std::uint64_t count() const;
    std::uint64_t max() const;
    /// Nearest-rank quantile, q in [0, 1], in nanoseconds; 0 when empty.
    std::uint64_t quantile(double q) const;

    static std::size_t bucketOf(std::uint64_t nanoseconds);
    /// Middle of the bucket; exact below 128 ns.
    static std::uint64_t valueOf(std::size_t bucket);

    static constexpr std::size_t kStepsPerOctave = 128;
    /// The first 128 values, then the octaves 2^7 … 2^39.
    static constexpr std::size_t kBucketCount = 34 * kStepsPerOctave;

private:
    std::array<std::atomic<std::uint64_t>, kBucketCount> buckets_{};
    std::atomic<std::uint64_t> max_{0};
};

}  // namespace bifocal::profile
