// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/task.h"

#include <array>
#include <cstdint>
#include <memory>

namespace bifocal::schedule {

/// The order inside a class: one static 64-bit key per enqueue, smaller is served first, equal keys
/// in order of arrival.
/// Threads: compatible; key() is called under a lane's lock and must be short.
class Policy {
public:
    Policy() = default;
    Policy(const Policy&) = delete;
    Policy& operator=(const Policy&) = delete;
    virtual ~Policy() = default;

    virtual const char* name() const = 0;
    virtual std::uint64_t key(const TaskSpec& task, TimePoint now) const = 0;
};

/// Default: the task's own deadline, or now + the slack of its class (virtual deadline).
std::unique_ptr<Policy> makeDeadlinePolicy();
/// Order of arrival.
std::unique_ptr<Policy> makeFifoPolicy();
/// The exact order of continuously re-evaluating `weight · urgency · 0.9^age` (age in seconds), by
/// the static key −(ln(weight · urgency) + λ·t), λ = −ln 0.9; t in fixed point from the policy's
/// making. Kept for comparison: it is newest-first within a class (mission row A2).
std::unique_ptr<Policy> makeSeedDecayPolicy(TimePoint epoch);

}  // namespace bifocal::schedule
