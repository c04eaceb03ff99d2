// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
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

/// When work that is admitted now will be over, by the caller's cost model. Threads: value.
struct Prediction {
    TimePoint now;
    Duration time{0};

    /// TimePoint::max() stands for "not known".
    TimePoint end() const { return time < TimePoint::max() - now ? now + time : TimePoint::max(); }
};

/// The place that is kept for the first claim. Threads: value.
struct Reservation {
    Claimant who;
    TimePoint start;  ///< at the latest; TimePoint::max(): not before the ledger has more room
    std::uint64_t spareBytes = 0;  ///< free beside the claim at its start
    std::uint32_t spareSlots = 0;
};

enum class Admitted : std::uint8_t {
    No = 1,        ///< its claim is noted; firstServable() will name it when its turn has come
    Yes,           ///< bytes and slot are taken until release()
    YesOthersWait  ///< the same, and there are claims: look at firstServable()
};

/// Who may run, by bytes and by slots. A task that does not fit leaves a claim; from then on nobody
/// takes room before it but a more urgent class, or an older claim of its own class. So small tasks
/// cannot starve a big one of their class, and less urgent work never delays more urgent work.
///
/// Work with a prediction may pass the first claim when that does not delay it (EASY backfilling):
/// either it is over before the claim's own predicted start, or it fits beside it then. What runs
/// without a predicted end counts as never ending, and a claim whose start is therefore unknown is
/// not passed. A claim that is larger than the whole budget leaves to tasks is passed by whatever
/// has a prediction. Nothing passes a claim of a more urgent class but the first one.
///
/// Work that needs neither bytes nor a slot passes at once.
/// Invariants: (1) of the claims, the first in order of (class, age) is served as soon as it fits,
/// and no later than reservation() said when it became the first, unless more urgent work came,
/// running work overran its prediction, or the ledger lost room; (2) when room comes free, or a
/// claim goes, the caller asks firstServable() and wakes whom it names.
/// Threads: safe. Called with a lane's lock held; calls only the ledger.
class Admission {
public:
    /// `maxSlots` 0: no cap. The ledger must outlive it.
    Admission(MemoryLedger& ledger, std::size_t laneCount, std::uint32_t maxSlots);

    /// Whether work of so many bytes can have to wait at all: it takes bytes or a slot.
    bool takesRoom(std::uint64_t bytes) const { return bytes != 0 || maxSlots_ != 0; }
    Admitted tryAdmit(Claimant who,
                      std::uint64_t bytes,
                      const std::optional<Prediction>& prediction = std::nullopt);
    /// Notes the claim of a task that could not be admitted now: true. Takes nothing.
    bool claimIfItMustWait(Claimant who,
                           std::uint64_t bytes,
                           const std::optional<Prediction>& prediction = std::nullopt);
    /// More bytes for a run that was admitted, when they fit and nobody has a claim; they are given
    /// back by the run's release(). Leaves no claim and takes no slot. `predictedEnd`: of the run,
    /// as for release().
    bool tryExtend(std::uint64_t bytes, std::optional<TimePoint> predictedEnd = std::nullopt);
    /// The work is over. The ledger then tells its handler of the room. `predictedEnd`: the end of
    /// the prediction that it was admitted with, if it had one.
    void release(std::uint64_t bytes, std::optional<TimePoint> predictedEnd = std::nullopt);
    /// Work that was admitted with the end `from` will be over at `to`: it was suspended, or its
    /// prediction is better now. release() is then called with `to`.
    void repredict(std::uint64_t bytes, TimePoint from, TimePoint to);
    /// The claiming task is gone.
    void withdraw(Claimant who);
    /// The first claim, if it fits now; else, with `now`, the first that may pass it.
    std::optional<Claimant> firstServable(std::optional<TimePoint> now = std::nullopt) const;
    /// The first claim, whether it fits now or not.
    std::optional<Claimant> firstInOrder() const;
    /// Bytes that the first claim lacks now; 0 without one.
    std::uint64_t lackingBytes() const;
    /// The first claim and when it will start; none without one, or when that is unknown.
    std::optional<Reservation> reservation(TimePoint now) const;

private:
    static constexpr std::size_t kClassCount = 3;

    struct Claim {
        std::uint64_t ticket = 0;  // 0: none
        std::uint64_t bytes = 0;
        std::optional<Duration> time;
    };
    struct Ending {
        TimePoint at;
        std::uint64_t bytes = 0;  // that come free then
        std::uint32_t slots = 0;
    };

    static std::size_t indexOf(Claimant who) {
        return who.lane * kClassCount + static_cast<std::size_t>(who.urgency) - 1;
    }
    static Claimant claimantAt(std::size_t index) {
        return {static_cast<std::uint32_t>(index / kClassCount),
                static_cast<Urgency>(index % kClassCount + 1)};
    }
    // With mutex_ held:
    bool isBefore(std::size_t a, std::size_t b) const;
    std::optional<std::size_t> firstClaim() const;
    bool hasSlot() const { return maxSlots_ == 0 || usedSlots_ < maxSlots_; }
    bool hasBytes(std::uint64_t bytes) const { return ledger_.snapshot().fits(bytes); }
    bool isTurnOf(Claimant who) const;
    bool mayBegin(Claimant who,
                  std::uint64_t bytes,
                  const std::optional<Prediction>& prediction) const;
    bool wouldPassMoreUrgent(std::size_t index, std::size_t first) const;
    std::optional<Reservation> reservationOf(std::size_t index, TimePoint now) const;
    static bool isBeside(const Reservation& reservation,
                         std::uint64_t bytes,
                         const Prediction& prediction);
    void claim(Claimant who, std::uint64_t bytes, const std::optional<Prediction>& prediction);
    void addEnding(const Ending& ending);
    void removeEnding(const Ending& ending);

    MemoryLedger& ledger_;
    const std::uint32_t maxSlots_;
    mutable std::mutex mutex_;
    std::vector<Claim> claims_;    // by lane, then class
    std::vector<Ending> endings_;  // of running work, as far as predicted, earliest first
    std::uint64_t lastTicket_ = 0;
    std::uint32_t claimCount_ = 0;
    std::uint32_t usedSlots_ = 0;
};

}  // namespace bifocal::schedule
