// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

namespace bifocal::schedule {

/// Bytes promised to work on one device. Invariant: persistent + reserved ≤ budget at every
/// reserve. Threads: safe.
class MemoryLedger {
public:
    struct Snapshot {
        std::uint64_t budgetBytes = 0;
        std::uint64_t persistentBytes = 0;  ///< weights and what else stays
        std::uint64_t reservedBytes = 0;    ///< by tasks that are admitted or running
        std::uint64_t peakReservedBytes = 0;
    };

    explicit MemoryLedger(std::uint64_t budgetBytes);

    /// All or nothing; false when it does not fit now.
    [[nodiscard]] bool tryReserve(std::uint64_t bytes);
    void release(std::uint64_t bytes);
    /// Whether it could fit an otherwise idle device.
    bool canEverFit(std::uint64_t bytes) const;

    void addPersistent(std::uint64_t bytes);
    void removePersistent(std::uint64_t bytes);
    Snapshot snapshot() const;

private:
    mutable std::mutex mutex_;
    Snapshot state_;
};

}  // namespace bifocal::schedule
