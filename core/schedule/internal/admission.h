// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/tracer.h"
#include "core/schedule/memory_ledger.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace bifocal::schedule {

/// One class of one lane: at most one task of it waits for room at a time. Threads: value.
struct Claimant {
    std::uint32_t lane = 0;
    Urgency urgency = Urgency::Interactive;
};

enum class Admitted : std::uint8_t {
    No = 1,        ///< its claim is noted; firstServable() will name it when its turn has come
    Yes,           ///< bytes and slot are taken until release()
    YesOthersWait  ///< the same, and there are claims: look at firstServable()
};

/// Who may run, by bytes and by slots. A task that does not fit leaves a claim; from then on nobody
/// takes room before it but a more urgent class, or an older claim of its own class. So small tasks
/// cannot starve a big one of their class, and less urgent work never delays more urgent work.
/// Work that needs neither bytes nor a slot passes at once.
/// Invariants: (1) of the claims, only the first in order of (class, age) is ever served; (2) when
/// room comes free, or a claim goes, the caller asks firstServable() and wakes whom it names.
/// Threads: safe. Called with a lane's lock held; calls only the ledger.
class Admission {
public:
    /// `maxSlots` 0: no cap. The ledger must outlive it.
    Admission(MemoryLedger& ledger, std::size_t laneCount, std::uint32_t maxSlots);

    Admitted tryAdmit(Claimant who, std::uint64_t bytes);
    /// Notes the claim of a task that could not be admitted now: true. Takes nothing.
    bool claimIfItMustWait(Claimant who, std::uint64_t bytes);
    /// More bytes for a run that was admitted, when they fit and nobody has a claim; they are given
    /// back by the run's release(). Leaves no claim and takes no slot.
    bool tryExtend(std::uint64_t bytes);
    /// The work is over. The ledger then tells its handler of the room.
    void release(std::uint64_t bytes);
    /// The claiming task is gone.
    void withdraw(Claimant who);
    /// The first claim, if it fits now.
    std::optional<Claimant> firstServable() const;

private:
    static constexpr std::size_t kClassCount = 3;

    struct Claim {
        std::uint64_t ticket = 0;  // 0: none
        std::uint64_t bytes = 0;
    };

    static std::size_t indexOf(Claimant who) {
        return who.lane * kClassCount + static_cast<std::size_t>(who.urgency) - 1;
    }
    // With mutex_ held:
    std::optional<std::size_t> firstClaim() const;
    bool hasSlot() const { return maxSlots_ == 0 || usedSlots_ < maxSlots_; }
    bool hasBytes(std::uint64_t bytes) const;
    bool isTurnOf(Claimant who) const;
    void claim(Claimant who, std::uint64_t bytes);

    MemoryLedger& ledger_;
    const std::uint32_t maxSlots_;
    mutable std::mutex mutex_;
    std::vector<Claim> claims_;  // by lane, then class
    std::uint64_t lastTicket_ = 0;
    std::uint32_t claimCount_ = 0;
    std::uint32_t usedSlots_ = 0;
};

}  // namespace bifocal::schedule
