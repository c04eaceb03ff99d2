// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

namespace bifocal::schedule {

/// Bytes promised to work on one device. Invariant: persistent + reserved ≤ budget after every
/// successful reserve. Threads: safe.
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

    /// Counts bytes that are there already, even past the budget; a queued task that no longer fits
    /// beside them waits for removePersistent().
    void addPersistent(std::uint64_t bytes);
    void removePersistent(std::uint64_t bytes);
    Snapshot snapshot() const;

    /// Called after each release() and removePersistent(), by their thread, with no lock of the
    /// ledger held. Requires: set before other threads know the ledger.
    void setFreedHandler(std::function<void()> freed);

private:
    mutable std::mutex mutex_;
    Snapshot state_;  // guarded by mutex_
    std::function<void()> freed_;
};

}  // namespace bifocal::schedule
