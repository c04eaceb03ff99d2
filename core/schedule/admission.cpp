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
    if (!isTurnOf(who) || !hasSlot() || !ledger_.tryReserve(bytes)) {
        claim(who, bytes);
        return Admitted::No;
    }
    Claim& own = claims_[indexOf(who)];
    if (own.ticket != 0) {
        own = Claim{};
        --claimCount_;
    }
    ++usedSlots_;
    return claimCount_ > 0 ? Admitted::YesOthersWait : Admitted::Yes;
}

bool Admission::claimIfItMustWait(Claimant who, std::uint64_t bytes) {
    if (bytes == 0 && maxSlots_ == 0) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    if (isTurnOf(who) && hasSlot() && hasBytes(bytes)) {
        return false;
    }
    claim(who, bytes);
    return true;
}

bool Admission::tryExtend(std::uint64_t bytes) {
    if (bytes == 0) {
        return true;
    }
    const std::lock_guard lock(mutex_);
    return claimCount_ == 0 && ledger_.tryReserve(bytes);
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
    if (!first || !hasSlot() || !hasBytes(claims_[*first].bytes)) {
        return std::nullopt;
    }
    return Claimant{static_cast<std::uint32_t>(*first / kClassCount),
                    static_cast<Urgency>(*first % kClassCount + 1)};
}

bool Admission::hasBytes(std::uint64_t bytes) const {
    const MemoryLedger::Snapshot memory = ledger_.snapshot();
    const std::uint64_t used = memory.persistentBytes + memory.reservedBytes;
    return used <= memory.budgetBytes && bytes <= memory.budgetBytes - used;
}

bool Admission::isTurnOf(Claimant who) const {
    const std::optional<std::size_t> first = firstClaim();
    // A claim of one's own goes by its place; without one, a claim of the same class is older.
    return !first || *first == indexOf(who) ||
           (claims_[indexOf(who)].ticket == 0 && *first % kClassCount > indexOf(who) % kClassCount);
}

void Admission::claim(Claimant who, std::uint64_t bytes) {
    Claim& own = claims_[indexOf(who)];
    if (own.ticket == 0) {
        own.ticket = ++lastTicket_;
        ++claimCount_;
    }
    own.bytes = bytes;
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
