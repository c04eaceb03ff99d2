// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/admission.h"

#include "core/base/assert.h"

#include <algorithm>
#include <tuple>

namespace bifocal::schedule {

Admission::Admission(MemoryLedger& ledger, std::size_t laneCount, std::uint32_t maxSlots)
    : ledger_(ledger), maxSlots_(maxSlots), claims_(laneCount * kClassCount) {}

Admitted Admission::tryAdmit(Claimant who,
                             std::uint64_t bytes,
                             const std::optional<Prediction>& prediction) {
    if (!takesRoom(bytes)) {
        return Admitted::Yes;
    }
    const std::lock_guard lock(mutex_);
    if (!mayBegin(who, bytes, prediction) || !ledger_.tryReserve(bytes)) {
        claim(who, bytes, prediction);
        return Admitted::No;
    }
    Claim& own = claims_[indexOf(who)];
    if (own.ticket != 0) {
        own = Claim{};
        --claimCount_;
    }
    ++usedSlots_;
    if (prediction) {
        addEnding({prediction->end(), bytes, 1});
    }
    return claimCount_ > 0 ? Admitted::YesOthersWait : Admitted::Yes;
}

bool Admission::claimIfItMustWait(Claimant who,
                                  std::uint64_t bytes,
                                  const std::optional<Prediction>& prediction) {
    if (!takesRoom(bytes)) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    if (mayBegin(who, bytes, prediction)) {
        return false;
    }
    claim(who, bytes, prediction);
    return true;
}

bool Admission::tryExtend(std::uint64_t bytes, std::optional<TimePoint> predictedEnd) {
    if (bytes == 0) {
        return true;
    }
    const std::lock_guard lock(mutex_);
    if (claimCount_ > 0 || !ledger_.tryReserve(bytes)) {
        return false;
    }
    if (predictedEnd) {
        addEnding({*predictedEnd, bytes, 0});
    }
    return true;
}

void Admission::release(std::uint64_t bytes, std::optional<TimePoint> predictedEnd) {
    if (!takesRoom(bytes)) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        BIFOCAL_ASSERT(usedSlots_ > 0);
        --usedSlots_;
        if (predictedEnd) {
            removeEnding({*predictedEnd, bytes, 1});
        }
    }
    ledger_.release(bytes);
}

void Admission::repredict(std::uint64_t bytes, TimePoint from, TimePoint to) {
    if (!takesRoom(bytes)) {
        return;
    }
    const std::lock_guard lock(mutex_);
    removeEnding({from, bytes, 1});
    addEnding({to, bytes, 1});
}

void Admission::withdraw(Claimant who) {
    const std::lock_guard lock(mutex_);
    Claim& own = claims_[indexOf(who)];
    BIFOCAL_ASSERT(own.ticket != 0);
    own = Claim{};
    --claimCount_;
}

std::optional<Claimant> Admission::firstServable(std::optional<TimePoint> now) const {
    const std::lock_guard lock(mutex_);
    const std::optional<std::size_t> first = firstClaim();
    if (!first || !hasSlot()) {
        return std::nullopt;
    }
    if (hasBytes(claims_[*first].bytes)) {
        return claimantAt(*first);
    }
    const auto kept = now && claimCount_ > 1 ? reservationOf(*first, *now) : std::nullopt;
    if (!kept) {
        return std::nullopt;
    }
    std::optional<std::size_t> best;
    for (std::size_t index = 0; index < claims_.size(); ++index) {
        const Claim& other = claims_[index];
        if (other.ticket != 0 && index != *first && other.time &&
            (!best || isBefore(index, *best)) && hasBytes(other.bytes) &&
            isBeside(*kept, other.bytes, {*now, *other.time}) &&
            !wouldPassMoreUrgent(index, *first)) {
            best = index;
        }
    }
    return best ? std::optional(claimantAt(*best)) : std::nullopt;
}

std::optional<Claimant> Admission::firstInOrder() const {
    const std::lock_guard lock(mutex_);
    const std::optional<std::size_t> first = firstClaim();
    return first ? std::optional(claimantAt(*first)) : std::nullopt;
}

std::uint64_t Admission::lackingBytes() const {
    const std::lock_guard lock(mutex_);
    const std::optional<std::size_t> first = firstClaim();
    if (!first || hasBytes(claims_[*first].bytes)) {
        return 0;
    }
    const MemoryLedger::Snapshot memory = ledger_.snapshot();
    return memory.usedBytes() + claims_[*first].bytes - memory.budgetBytes;
}

std::optional<Reservation> Admission::reservation(TimePoint now) const {
    const std::lock_guard lock(mutex_);
    const std::optional<std::size_t> first = firstClaim();
    return first ? reservationOf(*first, now) : std::nullopt;
}

bool Admission::isTurnOf(Claimant who) const {
    const std::optional<std::size_t> first = firstClaim();
    // A claim of one's own goes by its place; without one, a claim of the same class is older.
    return !first || *first == indexOf(who) ||
           (claims_[indexOf(who)].ticket == 0 && *first % kClassCount > indexOf(who) % kClassCount);
}

bool Admission::mayBegin(Claimant who,
                         std::uint64_t bytes,
                         const std::optional<Prediction>& prediction) const {
    if (!hasSlot() || !hasBytes(bytes)) {
        return false;
    }
    if (isTurnOf(who)) {
        return true;
    }
    const std::size_t first = *firstClaim();
    if (!prediction || wouldPassMoreUrgent(indexOf(who), first)) {
        return false;
    }
    const auto kept = reservationOf(first, prediction->now);
    return kept && isBeside(*kept, bytes, *prediction);
}

bool Admission::wouldPassMoreUrgent(std::size_t index, std::size_t first) const {
    for (std::size_t other = 0; other < claims_.size(); ++other) {
        if (claims_[other].ticket != 0 && other != first &&
            other % kClassCount < index % kClassCount) {
            return true;
        }
    }
    return false;
}

std::optional<Reservation> Admission::reservationOf(std::size_t index, TimePoint now) const {
    const MemoryLedger::Snapshot memory = ledger_.snapshot();
    const std::uint64_t bytes = claims_[index].bytes;
    Reservation kept{claimantAt(index), TimePoint::max(), 0, 0};
    if (bytes > memory.roomBytes()) {
        return kept;
    }
    const std::uint64_t mayStay = memory.roomBytes() - bytes;
    std::uint64_t reserved = memory.reservedBytes;
    std::uint32_t slots = usedSlots_;
    const auto fits = [&] { return reserved <= mayStay && (maxSlots_ == 0 || slots < maxSlots_); };
    TimePoint start = now;
    auto next = endings_.begin();
    for (; !fits() && next != endings_.end(); ++next) {
        reserved -= next->bytes;
        slots -= next->slots;
        start = next->at;
    }
    if (!fits()) {
        return std::nullopt;  // it waits for work of which nobody knows the end
    }
    kept.start = std::max(start, now);
    kept.spareBytes = mayStay - reserved;
    kept.spareSlots = maxSlots_ == 0 ? 1 : maxSlots_ - slots - 1;
    return kept;
}

bool Admission::isBeside(const Reservation& reservation,
                         std::uint64_t bytes,
                         const Prediction& prediction) {
    return prediction.end() <= reservation.start ||
           (bytes <= reservation.spareBytes && reservation.spareSlots > 0);
}

void Admission::claim(Claimant who,
                      std::uint64_t bytes,
                      const std::optional<Prediction>& prediction) {
    Claim& own = claims_[indexOf(who)];
    if (own.ticket == 0) {
        own.ticket = ++lastTicket_;
        ++claimCount_;
    }
    own.bytes = bytes;
    own.time = prediction ? std::optional(prediction->time) : std::nullopt;
}

void Admission::addEnding(const Ending& ending) {
    if (ending.at == TimePoint::max()) {
        return;
    }
    const auto place = std::lower_bound(
        endings_.begin(), endings_.end(), ending.at, [](const Ending& other, TimePoint at) {
            return other.at < at;
        });
    if (place == endings_.end() || place->at != ending.at) {
        endings_.insert(place, ending);
        return;
    }
    place->bytes += ending.bytes;
    place->slots += ending.slots;
}

void Admission::removeEnding(const Ending& ending) {
    if (ending.at == TimePoint::max()) {
        return;
    }
    const auto found = std::lower_bound(
        endings_.begin(), endings_.end(), ending.at, [](const Ending& other, TimePoint at) {
            return other.at < at;
        });
    BIFOCAL_ASSERT(found != endings_.end() && found->at == ending.at &&
                   found->bytes >= ending.bytes && found->slots >= ending.slots);
    found->bytes -= ending.bytes;
    found->slots -= ending.slots;
    if (found->slots == 0) {
        endings_.erase(found);
    }
}

bool Admission::isBefore(std::size_t a, std::size_t b) const {
    return std::tuple(a % kClassCount, claims_[a].ticket) <
           std::tuple(b % kClassCount, claims_[b].ticket);
}

std::optional<std::size_t> Admission::firstClaim() const {
    if (claimCount_ == 0) {
        return std::nullopt;
    }
    std::optional<std::size_t> first;
    for (std::size_t index = 0; index < claims_.size(); ++index) {
        if (claims_[index].ticket != 0 && (!first || isBefore(index, *first))) {
            first = index;
        }
    }
    return first;
}

}  // namespace bifocal::schedule
