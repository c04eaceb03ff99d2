// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/admission.h"

#include "core/base/assert.h"

#include <tuple>

namespace bifocal::schedule {

Admission::Admission(MemoryLedger& ledger, std::size_t laneCount, std::uint32_t maxSlots)
    : ledger_(ledger), maxSlots_(maxSlots), claims_(laneCount * kClassCount) {}

Admitted Admission::tryAdmit(Claimant who, std::uint64_t bytes) {
    if (bytes == 0 && maxSlots_ == 0) {
        return Admitted::Yes;
    }
    const std::lock_guard lock(mutex_);
    Claim& own = claims_[indexOf(who)];
    const std::optional<std::size_t> first = firstClaim();
    // A claim of one's own goes by its place; without one, a claim of the same class is older.
    const bool isTurn = !first || *first == indexOf(who) ||
                        (own.ticket == 0 && *first % kClassCount > indexOf(who) % kClassCount);
    if (!isTurn || !hasSlot() || !ledger_.tryReserve(bytes)) {
        if (own.ticket == 0) {
            own.ticket = ++lastTicket_;
            ++claimCount_;
        }
        own.bytes = bytes;
        return Admitted::No;
    }
    if (own.ticket != 0) {
        own = Claim{};
        --claimCount_;
    }
    ++usedSlots_;
    return claimCount_ > 0 ? Admitted::YesOthersWait : Admitted::Yes;
}

void Admission::release(std::uint64_t bytes) {
    if (bytes == 0 && maxSlots_ == 0) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        BIFOCAL_ASSERT(usedSlots_ > 0);
        --usedSlots_;
    }
    ledger_.release(bytes);
}

void Admission::withdraw(Claimant who) {
    const std::lock_guard lock(mutex_);
    Claim& own = claims_[indexOf(who)];
    BIFOCAL_ASSERT(own.ticket != 0);
    own = Claim{};
    --claimCount_;
}

std::optional<Claimant> Admission::firstServable() const {
    const std::lock_guard lock(mutex_);
    const std::optional<std::size_t> first = firstClaim();
    if (!first || !hasSlot()) {
        return std::nullopt;
    }
    const MemoryLedger::Snapshot memory = ledger_.snapshot();
    const std::uint64_t used = memory.persistentBytes + memory.reservedBytes;
    if (used > memory.budgetBytes || claims_[*first].bytes > memory.budgetBytes - used) {
        return std::nullopt;
    }
    return Claimant{static_cast<std::uint32_t>(*first / kClassCount),
                    static_cast<Urgency>(*first % kClassCount + 1)};
}

std::optional<std::size_t> Admission::firstClaim() const {
    if (claimCount_ == 0) {
        return std::nullopt;
    }
    std::optional<std::size_t> first;
    const auto orderOf = [&](std::size_t index) {
        return std::tuple(index % kClassCount, claims_[index].ticket);
    };
    for (std::size_t index = 0; index < claims_.size(); ++index) {
        if (claims_[index].ticket != 0 && (!first || orderOf(index) < orderOf(*first))) {
            first = index;
        }
    }
    return first;
}

}  // namespace bifocal::schedule
