// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/task.h"

#include <chrono>
#include <cstdint>
#include <memory>

namespace bifocal::schedule {

/// The order inside a class: one static 64-bit key per enqueue, smaller is served first, equal keys
/// in order of arrival.
/// Threads: compatible; key() is called by several threads at once and must be short.
class Policy {
public:
    Policy() = default;
    Policy(const Policy&) = delete;
    Policy& operator=(const Policy&) = delete;
    virtual ~Policy() = default;

    virtual const char* name() const = 0;
    virtual std::uint64_t key(const TaskSpec& task, TimePoint now) const = 0;
};

/// Slack of a class: how long after its arrival a task without a deadline is due.
inline constexpr Duration kInteractiveSlack = std::chrono::milliseconds(100);
inline constexpr Duration kPrefetchSlack = std::chrono::seconds(1);
inline constexpr Duration kBatchSlack = std::chrono::seconds(30);

/// Default: the earlier of the task's own deadline and now + the slack of its class (virtual
/// deadline), so that no task falls behind later arrivals for longer than its slack.
std::unique_ptr<Policy> makeDeadlinePolicy();
/// Order of arrival.
std::unique_ptr<Policy> makeFifoPolicy();
/// λ of the mission's first source document: 0.9^age = e^(−λ·age), age in seconds.
inline constexpr long double kSeedDecayPerSecond =
    0.1053605156578263012275009808393128L;  // −ln 0.9
/// Its factors for interactive work and for the rest.
inline constexpr double kSeedInteractiveUrgency = 1.0;
inline constexpr double kSeedOtherUrgency = 0.3;

/// The exact order of continuously re-evaluating `weight · urgency · 0.9^age` (age in seconds), by
/// the static key −(ln(weight · urgency) + λ·t), λ = −ln 0.9; t in fixed point from `epoch`, exact
/// for 9 years either side of it. Tasks of weight zero come last. Kept for comparison: it is
/// newest-first within a class (mission row A2).
std::unique_ptr<Policy> makeSeedDecayPolicy(TimePoint epoch);

}  // namespace bifocal::schedule
