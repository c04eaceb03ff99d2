// SPDX-License-Identifier: Apache-2.0
#include "core/profile/histogram.h"

#include "core/base/assert.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bifocal::profile {

namespace {

constexpr unsigned kStepBits = 7;  // log2(Histogram::kStepsPerOctave)
constexpr std::uint64_t kLimit = std::uint64_t{1} << 40U;

static_assert(Histogram::kStepsPerOctave == std::size_t{1} << kStepBits);
static_assert(Histogram::kBucketCount == (40 - kStepBits + 1) * Histogram::kStepsPerOctave);

}  // namespace

void Histogram::add(std::uint64_t nanoseconds, std::uint64_t count) {
    std::uint64_t seen = max_.load(std::memory_order_relaxed);
    while (count != 0 && nanoseconds > seen &&
           !max_.compare_exchange_weak(seen, nanoseconds, std::memory_order_relaxed)) {
    }
    buckets_[bucketOf(nanoseconds)].fetch_add(count, std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const {
    std::uint64_t sum = 0;
    for (const auto& bucket : buckets_) {
        sum += bucket.load(std::memory_order_relaxed);
    }
    return sum;
}

std::uint64_t Histogram::max() const {
    return max_.load(std::memory_order_relaxed);
}

std::uint64_t Histogram::quantile(double q) const {
    BIFOCAL_ASSERT(q >= 0.0 && q <= 1.0);
    const std::uint64_t total = count();
    if (total == 0) {
        return 0;
    }
    const auto rank = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(total))), 1, total);
    const std::uint64_t largest = max();
    if (rank == total) {
        return largest;
    }
    std::uint64_t below = 0;
    for (std::size_t bucket = 0; bucket < kBucketCount; ++bucket) {
        below += buckets_[bucket].load(std::memory_order_relaxed);
        if (below >= rank) {
            return std::min(valueOf(bucket), largest);
        }
    }
    return largest;
}

std::size_t Histogram::bucketOf(std::uint64_t nanoseconds) {
    if (nanoseconds >= kLimit) {
        return kBucketCount - 1;
    }
    if (nanoseconds < kStepsPerOctave) {
        return static_cast<std::size_t>(nanoseconds);
    }
    // The top 8 bits are 1 and the step; the shift that leaves them counts the octaves.
    const auto shift = static_cast<unsigned>(std::bit_width(nanoseconds)) - kStepBits - 1;
    return (static_cast<std::size_t>(shift) << kStepBits) +
           static_cast<std::size_t>(nanoseconds >> shift);
}

std::uint64_t Histogram::valueOf(std::size_t bucket) {
    BIFOCAL_ASSERT(bucket < kBucketCount);
    if (bucket < kStepsPerOctave) {
        return bucket;
    }
    const auto shift = static_cast<unsigned>(bucket >> kStepBits) - 1;
    const std::uint64_t low = (bucket - (std::size_t{shift} << kStepBits)) << shift;
    return low + ((std::uint64_t{1} << shift) >> 1U);
}

}  // namespace bifocal::profile
