// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace bifocal::profile {

/// Counts of durations in log-spaced buckets: 1 ns to 2^40 ns (18 minutes), 128 steps per power of
/// two, so that a quantile is within 0.6 % of the true sample.
/// Threads: safe; add() is one relaxed increment; a reader sees a recent state.
class Histogram {
public:
    void add(std::uint64_t nanoseconds, std::uint64_t count = 1);
    std::uint64_t count() const;
    std::uint64_t max() const;
    /// Nearest-rank quantile, q in [0, 1], in nanoseconds; 0 when empty.
    std::uint64_t quantile(double q) const;

    static std::size_t bucketOf(std::uint64_t nanoseconds);
    /// Middle of the bucket.
    static std::uint64_t valueOf(std::size_t bucket);

    static constexpr std::size_t kBucketCount = 34 * 128;

private:
    std::array<std::atomic<std::uint32_t>, kBucketCount> buckets_{};
    std::atomic<std::uint64_t> count_{0};
    std::atomic<std::uint64_t> max_{0};
};

}  // namespace bifocal::profile
