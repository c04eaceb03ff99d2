// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/search_bench.h"

#include "app/cli/bench/machine.h"
#include "core/base/clock.h"
#include "kernels/dot_top_k.h"
#include "kernels/read_bandwidth.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/mman.h>

namespace bifocal::cli {
namespace {

constexpr std::size_t kDim = 544;  ///< words 384, looks 128, colours 11, padding
constexpr std::size_t kStrideBytes = kDim * 2;
constexpr std::size_t kResultCount = 50;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20U;
constexpr double kBandwidthTarget = 0.90;

struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte, Free>;

std::uint64_t nextRandom(std::uint64_t& state) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return state;
}

/// FP16 numbers of either sign in [1/32, 1/8), as the entries of unit vectors of this length have.
Memory makeRows(std::size_t rowCount) {
    const std::size_t wanted = rowCount * kStrideBytes;
    const std::size_t bytes = (wanted + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    Memory memory(static_cast<std::byte*>(std::aligned_alloc(kHugePageBytes, bytes)));
    if (!memory) {
        return memory;
    }
    ::madvise(memory.get(), bytes, MADV_HUGEPAGE);  // advice: a refusal costs speed, no more
    std::uint64_t state = 0x9E3779B97F4A7C15U;
    for (std::size_t at = 0; at + sizeof(state) <= wanted; at += sizeof(state)) {
        const std::uint64_t halves =
            (nextRandom(state) & 0x87FF'87FF'87FF'87FFU) | 0x2800'2800'2800'2800U;
        std::memcpy(memory.get() + at, &halves, sizeof(halves));
    }
    return memory;
}

struct SearchTimes {
    double searchMs = 0;
    double bandwidthShare = 0;
};

Result<SearchTimes> measure(const std::byte* data, std::size_t rowCount, std::size_t repetitions) {
    const SteadyClock clock;
    const kernels::HalfRows rows{data, rowCount, kStrideBytes, kDim};
    const std::span<const std::byte> bytes(data, rowCount * kStrideBytes);
    std::array<float, kDim> query{};
    for (std::size_t i = 0; i < kDim; ++i) {
        query[i] = std::sin(static_cast<float>(i));
    }
    std::array<kernels::RowScore, kResultCount> best{};
    const auto searchOnce = [&]() -> Result<double> {
        const TimePoint begin = clock.now();
        BIFOCAL_CHECK(kernels::dotTopK(rows, query, {}, best));
        return std::chrono::duration<double, std::milli>(clock.now() - begin).count();
    };
    std::vector<double> searchMs;
    std::vector<double> searchGigabytes;  // per second
    std::vector<double> readGigabytes;
    // The first round warms caches, page tables and the clock, and does not count.
    for (std::size_t i = 0; i <= repetitions; ++i) {
        const double read = kernels::measureReadBandwidth(bytes);
        // The better of two passes, as the reading is, so that neither has more chances.
        BIFOCAL_TRY(const double first, searchOnce());
        BIFOCAL_TRY(const double second, searchOnce());
        if (i > 0) {
            readGigabytes.push_back(read);
            searchGigabytes.push_back(static_cast<double>(bytes.size()) / 1e6 /
                                      std::min(first, second));
            searchMs.insert(searchMs.end(), {first, second});
        }
    }
    return SearchTimes{median(searchMs), median(searchGigabytes) / median(readGigabytes)};
}

}  // namespace

void measureSearch(std::size_t repetitions, BenchReport& report) {
    struct Size {
        const char* id;
        std::size_t rowCount;
        std::size_t roundFactor;  ///< short passes need more rounds for a steady median
    };
    for (const Size size : {Size{"search_100k", 100'000, 8}, Size{"search_1m", 1'000'000, 1}}) {
        const std::string id = size.id;
        const std::size_t bytes = size.rowCount * kStrideBytes;
        const std::uint64_t available = availableMemoryBytes();
        const Memory memory =
            available > 0 && available < bytes + bytes / 2 ? nullptr : makeRows(size.rowCount);
        Result<SearchTimes> times =
            memory ? measure(memory.get(), size.rowCount, repetitions * size.roundFactor)
                   : Error{ErrorCode::ResourceExhausted,
                           std::to_string(bytes / 1'000'000) + " MB of memory are not free"};
        if (!times) {
            report.leftOut.push_back({id + "_ms", times.error().message});
            report.leftOut.push_back({id + "_bandwidth_share", times.error().message});
            continue;
        }
        report.rows.push_back({id + "_ms", times->searchMs, "ms"});
        report.rows.push_back({id + "_bandwidth_share",
                               times->bandwidthShare,
                               "share",
                               Better::Higher,
                               kBandwidthTarget});
    }
}

}  // namespace bifocal::cli
