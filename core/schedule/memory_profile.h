// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::schedule {

/// One try at a batch under a promise of bytes. Threads: value.
struct MemoryAttempt {
    std::uint32_t batch = 1;  ///< items
    std::uint64_t bytes = 0;  ///< reserved for it

    friend bool operator==(const MemoryAttempt&, const MemoryAttempt&) = default;
};

/// What to try after `failed` ran out of memory and was unwound: half of the batch under the same
/// bytes, which doubles the estimate per item. None for a batch of one: that item fails, alone.
/// A batch of b is thereby tried again at most ⌈log₂ b⌉ times.
std::optional<MemoryAttempt> splitAfterOutOfMemory(const MemoryAttempt& failed);

/// How many bytes of the device's allocator a stage takes, by shape and batch size: what
/// TaskSpec::bytes should be. Learned by running each size once, from the largest to the smallest,
/// and reading what the allocator reserved, not the sum of the tensors.
/// Threads: safe.
class MemoryProfile {
public:
    /// A run of this size was seen to take `bytes`; the largest value counts.
    void record(std::string_view stage,
                std::uint32_t shapeBucket,
                std::uint32_t batch,
                std::uint64_t bytes);
    /// Enough for a batch of this size: as recorded; else what the next larger recorded size took;
    /// else the largest recorded size in proportion. None for a stage and shape never seen.
    std::optional<std::uint64_t> estimate(std::string_view stage,
                                          std::uint32_t shapeBucket,
                                          std::uint32_t batch) const;
    /// It ran out of memory under this promise: from now on the size counts twice as many bytes,
    /// and smaller ones no less than their part of them.
    void raise(std::string_view stage, std::uint32_t shapeBucket, const MemoryAttempt& failed);

private:
    struct Row {
        std::string stage;
        std::uint32_t shapeBucket = 0;
        std::map<std::uint32_t, std::uint64_t> bytesOf;  // by batch size
    };

    // With mutex_ held:
    const Row* find(std::string_view stage, std::uint32_t shapeBucket) const;
    Row& findOrAdd(std::string_view stage, std::uint32_t shapeBucket);

    mutable std::mutex mutex_;
    std::vector<Row> rows_;  // guarded by mutex_; a dozen
};

}  // namespace bifocal::schedule
