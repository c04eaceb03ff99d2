// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/schedule/policy.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bifocal::schedule {

inline constexpr std::size_t kClassCount = 3;

/// Which class of a lane comes next. The most urgent one does, but a less urgent one earns a credit
/// c of φ for each device-second that others run while it has work, pays 1 − φ for each of its own,
/// and has a guard turn while c > 0. c stays within [−q, φ·q], q the longest recent time that was
/// not interrupted. So a class with work gets at least φ·τ − (1 + φ)·q device-seconds in any τ, and
/// work with A device-seconds of its class before it begins within (A + (1 + φ)·q) / φ.
/// The proof: each device-second adds φ to c and each served one takes 1, so what was served in τ
/// is c(t₀) + φ·τ − c(t₀ + τ); c(t₀) ≥ −q by the clamp, and c ≤ φ·q, because from c > 0 on at most
/// one uninterrupted run of another class passes before the class is served. Threads: compatible.
class ClassArbiter {
public:
    using Flags = std::array<bool, kClassCount>;

    /// `share` is φ, 0 to 0.5; 0: no guard turns.
    explicit ClassArbiter(double share) : share_(share) {}

    struct Order {
        std::array<std::size_t, kClassCount> classes{};
        std::size_t count = 0;
        std::size_t guardCount = 0;  ///< of the first ones: they have a guard turn
    };
    /// The classes that have work, in the order to try them. Requires: order is not Ignored.
    Order order(const Flags& hasWork, ClassOrder order) const;
    /// Another φ from now on; what was earned stays, within the new bounds.
    void setShare(double share);
    /// A device ran `cls` for `time` without a break.
    void charge(std::size_t cls, Duration time, const Flags& hasWork);
    bool hasGuardTurn(std::size_t cls) const { return cls > 0 && credits_[cls] > 0; }

    double credit(std::size_t cls) const { return credits_[cls]; }  ///< device-seconds
    double longestRun() const;                                      ///< q, seconds

private:
    static constexpr std::uint32_t kRunsPerWindow = 256;

    double share_;
    std::array<double, kClassCount> credits_{};
    std::array<double, 2> longest_{};  // of this window of runs, of the one before
    std::uint32_t runCount_ = 0;
};

}  // namespace bifocal::schedule
