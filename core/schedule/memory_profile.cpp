// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/memory_profile.h"

#include "core/base/assert.h"

#include <algorithm>
#include <limits>

namespace bifocal::schedule {

namespace {

/// bytes · part / whole, rounded up; the largest value there is when that is more.
std::uint64_t scaled(std::uint64_t bytes, std::uint32_t part, std::uint32_t whole) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t per = bytes / whole;
    const std::uint64_t rest = (bytes % whole * part + whole - 1) / whole;
    if (per > (kMost - rest) / part) {
        return kMost;
    }
    return per * part + rest;
}

}  // namespace

std::optional<MemoryAttempt> splitAfterOutOfMemory(const MemoryAttempt& failed) {
    if (failed.batch <= 1) {
        return std::nullopt;
    }
    return MemoryAttempt{(failed.batch + 1) / 2, failed.bytes};
}

void MemoryProfile::record(std::string_view stage,
                           std::uint32_t shapeBucket,
                           std::uint32_t batch,
                           std::uint64_t bytes) {
    BIFOCAL_ASSERT(batch > 0);
    const std::lock_guard lock(mutex_);
    std::uint64_t& known = findOrAdd(stage, shapeBucket).bytesOf[batch];
    known = std::max(known, bytes);
}

std::optional<std::uint64_t> MemoryProfile::estimate(std::string_view stage,
                                                     std::uint32_t shapeBucket,
                                                     std::uint32_t batch) const {
    BIFOCAL_ASSERT(batch > 0);
    const std::lock_guard lock(mutex_);
    const Row* row = find(stage, shapeBucket);
    if (row == nullptr) {
        return std::nullopt;
    }
    const auto found = row->bytesOf.lower_bound(batch);
    if (found != row->bytesOf.end()) {
        return found->second;
    }
    const auto& [largest, bytes] = *row->bytesOf.rbegin();
    return scaled(bytes, batch, largest);
}

void MemoryProfile::raise(std::string_view stage,
                          std::uint32_t shapeBucket,
                          const MemoryAttempt& failed) {
    BIFOCAL_ASSERT(failed.batch > 0);
    const std::uint64_t doubled = scaled(failed.bytes, 2, 1);
    const std::lock_guard lock(mutex_);
    auto& bytesOf = findOrAdd(stage, shapeBucket).bytesOf;
    bytesOf[failed.batch] = std::max(bytesOf[failed.batch], doubled);
    for (auto& [batch, bytes] : bytesOf) {
        if (batch < failed.batch) {
            bytes = std::max(bytes, scaled(doubled, batch, failed.batch));
        }
    }
}

const MemoryProfile::Row* MemoryProfile::find(std::string_view stage,
                                              std::uint32_t shapeBucket) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
        return row.shapeBucket == shapeBucket && row.stage == stage;
    });
    return found == rows_.end() ? nullptr : &*found;
}

MemoryProfile::Row& MemoryProfile::findOrAdd(std::string_view stage, std::uint32_t shapeBucket) {
    if (const Row* row = find(stage, shapeBucket)) {
        return rows_[static_cast<std::size_t>(row - rows_.data())];
    }
    return rows_.emplace_back(Row{std::string(stage), shapeBucket, {}});
}

}  // namespace bifocal::schedule
