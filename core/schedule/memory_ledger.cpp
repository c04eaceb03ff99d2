// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/memory_ledger.h"

#include "core/base/assert.h"

#include <algorithm>
#include <utility>

namespace bifocal::schedule {

MemoryLedger::MemoryLedger(std::uint64_t budgetBytes) : firstBudgetBytes_(budgetBytes) {
    state_.budgetBytes = budgetBytes;
}

bool MemoryLedger::tryReserve(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!state_.fits(bytes)) {
        return false;
    }
    state_.reservedBytes += bytes;
    state_.peakReservedBytes = std::max(state_.peakReservedBytes, state_.reservedBytes);
    return true;
}

void MemoryLedger::release(std::uint64_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        BIFOCAL_ASSERT(bytes <= state_.reservedBytes);
        state_.reservedBytes -= bytes;
    }
    if (freed_) {
        freed_();
    }
}

bool MemoryLedger::canEverFit(std::uint64_t bytes, std::uint64_t evictableBytes) const {
    const std::lock_guard lock(mutex_);
    const std::uint64_t budget = std::max(firstBudgetBytes_, state_.budgetBytes);
    const std::uint64_t stays =
        state_.persistentBytes - std::min(state_.persistentBytes, evictableBytes);
    return stays <= budget && bytes <= budget - stays;
}

void MemoryLedger::setBudget(std::uint64_t budgetBytes) {
    bool grew = false;
    {
        const std::lock_guard lock(mutex_);
        grew = budgetBytes > state_.budgetBytes;
        state_.budgetBytes = budgetBytes;
    }
    if (grew && freed_) {
        freed_();
    }
}

bool MemoryLedger::tryAddPersistent(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!state_.fits(bytes)) {
        return false;
    }
    state_.persistentBytes += bytes;
    return true;
}

void MemoryLedger::addPersistent(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    state_.persistentBytes += bytes;
}

void MemoryLedger::removePersistent(std::uint64_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        BIFOCAL_ASSERT(bytes <= state_.persistentBytes);
        state_.persistentBytes -= bytes;
    }
    if (freed_) {
        freed_();
    }
}

MemoryLedger::Snapshot MemoryLedger::snapshot() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

void MemoryLedger::setFreedHandler(std::function<void()> freed) {
    freed_ = std::move(freed);
}

}  // namespace bifocal::schedule
