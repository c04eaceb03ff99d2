// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/tracer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace bifocal::schedule {

/// What a request is doing when it is cancelled.
enum class CancelMoment : std::uint8_t {
    BeforeEnqueue = 1,
    Queued,
    Claimed,    ///< its task waits for memory, and others wait behind it
    Running,    ///< in the middle of a segment, or just between two
    Boundary,   ///< its own task asks for the stop as the last thing of a segment
    Suspended,  ///< stepped aside for a more urgent task
    Over,
};
inline constexpr std::size_t kCancelMomentCount = 7;

/// Simulated clients. Threads: value.
struct StormOptions {
    std::size_t clientCount = 4;
    double cancelledShare = 1;   ///< of the requests, at moments drawn with equal probability
    double failingShare = 0;     ///< of the requests: one of their tasks reports an error
    std::uint32_t maxSlots = 0;  ///< as in SchedulerConfig
    std::uint64_t seed = 1;
    /// What a worker does from one boundary to the next; it only lets others go first when empty.
    /// Called on the workers.
    std::function<void()> segment;
    /// Told how long it took from the call that cancelled a request until a task of it was
    /// abandoned: Queued for one that had not begun, Running or Suspended for one that had. Only
    /// where the cancellation named the request or its tasks: a stop token alone is looked at when
    /// the task's turn comes. Called on the clients, one at a time.
    std::function<void(CancelMoment, Duration)> onCancelled;
};

/// What became of the requests. Threads: value.
struct StormReport {
    std::uint64_t requests = 0;
    std::array<std::uint64_t, kCancelMomentCount> cancelled{};  ///< requests, by moment
    std::uint64_t failed = 0;                                   ///< requests that report an error
    std::uint64_t accepted = 0;                                 ///< tasks
    std::uint64_t refused = 0;                                  ///< tasks, Busy
    std::uint64_t completed = 0;                                ///< tasks
    std::uint64_t abandoned = 0;                                ///< tasks
    /// Accepted tasks without exactly one end, others with one, work done after an end, and calls
    /// that answered what they must not. 0, or the scheduler is wrong.
    std::uint64_t violations = 0;
    Duration wasted{0};  ///< device time of tasks that were cancelled while they were queued
    std::uint64_t reservedBytes = 0;  ///< when nothing was running any more
    std::uint64_t readyTasks = 0;     ///< then
    bool isWithinBudget = false;      ///< the ledger's peak

    std::uint64_t cancelledOf(CancelMoment moment) const {
        return cancelled[static_cast<std::size_t>(moment) - 1];
    }
};

/// Clients on a real scheduler of their own with two lanes and a small budget: requests of several
/// tasks, of every class, joined and cut into segments, some with an expiry or a deadline; and they
/// are cancelled by request, by task or by token. Threads: compatible; send() and report() return
/// when everything is over, or never when the scheduler has lost a task or a worker.
class RequestStorm {
public:
    /// `clock` and `tracer` must outlive it.
    RequestStorm(StormOptions options, const Clock& clock, Tracer& tracer);
    RequestStorm(const RequestStorm&) = delete;
    RequestStorm& operator=(const RequestStorm&) = delete;
    ~RequestStorm();

    /// So many requests from all clients together.
    void send(std::size_t requestCount);
    /// Asks every lane for the whole budget in every class it serves, and every worker for a sign
    /// of life at the same time; then what became of all that was sent.
    StormReport report();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace bifocal::schedule
