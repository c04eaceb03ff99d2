// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

namespace bifocal::schedule {

/// Bytes promised to work on one device, counted as the device's allocator takes them (whole
/// segments or pages), not as the sum of tensors. Invariant: persistent + reserved ≤ budget after
/// every successful tryReserve() and tryAddPersistent(). Threads: safe.
class MemoryLedger {
public:
    struct Snapshot {
        std::uint64_t budgetBytes = 0;
        std::uint64_t persistentBytes = 0;  ///< weights and what else stays
        std::uint64_t reservedBytes = 0;    ///< by tasks that are admitted or running
        std::uint64_t peakReservedBytes = 0;

        std::uint64_t usedBytes() const { return persistentBytes + reservedBytes; }
        bool fits(std::uint64_t bytes) const {
            // Subtractions only: nothing can overflow.
            return persistentBytes <= budgetBytes && reservedBytes <= roomBytes() &&
                   bytes <= roomBytes() - reservedBytes;
        }
        /// What must go before anything is admitted again, after the budget has shrunk.
        std::uint64_t overBytes() const {
            return usedBytes() > budgetBytes ? usedBytes() - budgetBytes : 0;
        }
        /// What the budget leaves to tasks when none of them runs.
        std::uint64_t roomBytes() const {
            return persistentBytes < budgetBytes ? budgetBytes - persistentBytes : 0;
        }
    };

    explicit MemoryLedger(std::uint64_t budgetBytes);

    /// All or nothing; false when it does not fit now.
    [[nodiscard]] bool tryReserve(std::uint64_t bytes);
    void release(std::uint64_t bytes);
    /// Whether it could fit an otherwise idle device, with today's budget or the first one: what
    /// other programs took they may give back. `evictableBytes`: of those that stay, what need not.
    bool canEverFit(std::uint64_t bytes, std::uint64_t evictableBytes = 0) const;

    /// Other programs take memory or give it back. Below what is used, nothing is reserved until it
    /// fits again; Snapshot::overBytes() says how much the caller has to evict or to suspend.
    void setBudget(std::uint64_t budgetBytes);

    /// Counts bytes that stay, all or nothing; false when they do not fit now.
    [[nodiscard]] bool tryAddPersistent(std::uint64_t bytes);
    /// Counts bytes that are there already, even past the budget; a queued task that no longer fits
    /// beside them waits for removePersistent().
    void addPersistent(std::uint64_t bytes);
    void removePersistent(std::uint64_t bytes);
    Snapshot snapshot() const;

    /// Called after each release(), removePersistent() and setBudget() that grows, by their thread,
    /// with no lock of the ledger held. Requires: set before other threads know the ledger.
    void setFreedHandler(std::function<void()> freed);

private:
    const std::uint64_t firstBudgetBytes_;
    mutable std::mutex mutex_;
    Snapshot state_;  // guarded by mutex_
    std::function<void()> freed_;
};

}  // namespace bifocal::schedule
