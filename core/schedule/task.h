// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/tracer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

namespace bifocal::schedule {

/// What a prompt is made of. The weights are those of the mission's first source document (text
/// 0.2, image 0.7, video 1.0; audio is named there without a weight, 0.2 is ours); the policy
/// SeedDecay multiplies them, all others show them. Threads: value.
struct PromptFeatures {
    bool hasText = false;
    bool hasImage = false;
    bool hasVideo = false;
    bool hasSpeech = false;

    /// Largest weight among the modalities present; 0 for none.
    double weight() const;
};

/// Index of a lane in SchedulerConfig::lanes.
struct LaneId {
    std::uint32_t index = 0;

    friend bool operator==(const LaneId&, const LaneId&) = default;
};

/// Slot and generation of a task: stays unique after the slot is used again. Threads: value.
using TaskId = Id<struct TaskTag>;

/// Why work was not run.
enum class Abandoned : std::uint8_t {
    Cancelled = 1,  ///< its stop token or cancel()
    Shutdown,       ///< the scheduler was destroyed first
    Expired,        ///< its expiry passed, or it was to be dropped and could no longer be in time
};

/// Where a piece of work runs. Threads: value, valid during run().
struct WorkerContext {
    LaneId lane;
    std::uint32_t worker = 0;  ///< index within the lane, to pick this worker's own encoder
    std::uint32_t lanePeers =
        0;  ///< workers of all lanes that are running something now, this one too
};

/// One piece of one request. It ends with exactly one of run() and abandon(), called with no lock
/// held; both must not throw. run() must poll its request's stop token between long steps.
/// Threads: run() and runSegment() on a worker of its lane, one at a time; abandon() on any thread.
class Work {
public:
    Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    virtual ~Work() = default;

    virtual void run(const WorkerContext& worker) = 0;
    virtual void abandon(Abandoned why) = 0;

    /// Runs `members`, the tasks that were joined, this one first, up to the next boundary. True:
    /// there is more to do. At a boundary more urgent work may pass, and then, when all members
    /// were stopped, each is abandoned instead of going on; the next call may come from another
    /// worker. The default runs each member to its end and knows no boundary.
    virtual bool runSegment(std::span<const std::shared_ptr<Work>> members,
                            const WorkerContext& worker);
};

/// What becomes of a task that can no longer meet its deadline when its turn comes.
enum class OnLate : std::uint8_t {
    Continue = 1,  ///< it runs: late is better than nothing
    Drop,          ///< it is abandoned (Expired), so that others can be in time
};

/// A piece of work and how it wants to be served. Threads: value.
struct TaskSpec {
    RequestId request;
    const char* stage = "";  ///< string literal; names the span
    LaneId lane;
    Urgency urgency = Urgency::Interactive;
    PromptFeatures features;
    OnLate onLate = OnLate::Continue;
    std::uint32_t itemCount = 1;    ///< pictures in the batch
    std::uint32_t shapeBucket = 0;  ///< tasks of one stage and bucket cost alike
    /// Largest run, in items, that tasks of this stage and bucket may be joined to
    /// (Work::runSegment()); 1: it runs alone.
    std::uint32_t maxJoined = 1;
    std::uint64_t bytes = 0;  ///< reserved in the ledger from admission to the end of run()
    std::optional<TimePoint> deadline;  ///< orders, sizes joined runs, and see onLate
    std::optional<TimePoint> expiry;    ///< still queued then, it is abandoned (Expired)
    Duration predictedCost{0};  ///< set by the scheduler, from what its like took; 0: unknown
    /// A queued task whose stop was requested is abandoned at the latest when it would be
    /// dispatched; Scheduler::cancelRequest() does it at once.
    std::stop_token stop;
};

}  // namespace bifocal::schedule
