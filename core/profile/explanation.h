// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/tracer.h"
#include "core/profile/profiler.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::profile {

/// Why a request took as long as it did.
enum class Cause : std::uint8_t {
    NothingUnusual = 1,  ///< as long as others of its kind
    Mostly,              ///< one stage took at least half of it; what is usual is not known
    Spread,              ///< neither is known nor does a stage stand out
    StillRunning,
    Failed,
    Cancelled,
    Superseded,
    BehindBatch,      ///< it waited while a worker of its lane ran batch work
    BehindPrefetch,   ///< … pictures that were loaded ahead
    BehindPrompt,     ///< … another prompt
    WaitedForRoom,    ///< it was first, and its bytes did not fit the budget
    WaitedForWorker,  ///< nothing that ran on its lane explains the wait: the machine gave no turn
    ColdModels,       ///< it waited until models were loaded
    SlowStage,        ///< a stage took much longer than it usually does
    SlowedByBatch,    ///< the same, while batch work ran on other workers
    Delivery,         ///< between its last stage and its end nothing was done for it
    Background,       ///< batch work: what most of its time was spent on
    BackgroundWaited  ///< batch work that stood aside for longer than it ran
};

/// The cause with its figures; a field that a cause does not need is empty. Threads: value.
struct Explanation {
    Cause cause = Cause::Spread;
    double totalMs = 0;
    double causeMs = 0;          ///< of it, what the cause took
    double usualMs = 0;          ///< what it takes as a rule: the stage, or the whole request
    std::size_t usualCount = 0;  ///< measurements behind usualMs
    std::string stage;           ///< that waited, or took so long
    std::string lane;
    std::string otherStage;      ///< that ran meanwhile
    RequestId other;             ///< the request that it was of
    std::uint64_t bytes = 0;     ///< that did not fit
    std::size_t pieceCount = 0;  ///< runs of the stage
};

/// What else is known. Threads: value.
struct Surroundings {
    std::vector<Span> spans;        ///< of all requests, while this one was there
    std::vector<StageStats> usual;  ///< of stages, over a longer time
    std::vector<double> peersMs;    ///< totals of answered requests with the same stages
};

/// Totals of the other requests of the same class that were answered by the same stages.
std::vector<double> peersOf(const RequestTrace& trace, const std::vector<RequestTrace>& requests);

/// Why the request took so long, from its spans: the chain of waits and runs that decided its end
/// is followed back from it, and of that chain the piece that exceeds what is usual by most is the
/// cause. A prompt is unusual when it took more than 1.5 times the median of at least
/// kFewestPeers peers, or when a third of it was spent waiting. Pure. Threads: safe.
Explanation explain(const RequestTrace& trace, const Surroundings& around);

inline constexpr std::size_t kFewestPeers = 5;

}  // namespace bifocal::profile
