// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstdint>
#include <vector>

namespace bifocal::schedule {

/// How jobs are admitted to a device, and by which allocator they live there.
enum class MemoryStrategy : std::uint8_t {
    Slots = 1,    ///< unmanaged: so many jobs at once, whatever their size; caching allocator
    TensorBytes,  ///< a ledger of the sum of tensors and 8 %; caching allocator, a stream per job
    PrimedPools,  ///< ours on a stock allocator: a ledger of allocator bytes; at admission one
                  ///< segment is taken for all of the job, at its end it goes back to the device
    ExpandableSegments,  ///< a ledger of the sum of tensors and 8 %; expandable segments
    Arena,               ///< ours: a ledger of allocator bytes; one planned region per job
};

/// Stable lower-case name ("slots", "tensor_bytes", …).
const char* toString(MemoryStrategy strategy);

/// The random workload W-F. A job holds 80 to 200 MiB (30 %), 0.3 to 2.5 GiB (50 %) or 1.5 to 6 GiB
/// (20 %), in 4 to 15 tensors that are allocated over the first half of its time and freed at its
/// end. It takes 50 to 500 ms, and no less than 60 % of what is predicted. Jobs arrive at random in
/// 8 queues, about three times as fast as they can be served. At random times other programs hold
/// more or less of the device. Threads: value.
struct MemoryWorkloadOptions {
    MemoryStrategy strategy = MemoryStrategy::Arena;
    std::uint32_t maxInFlight = 0;  ///< jobs at once, up to 64; 0: 4 for slots, 12 for the others
    std::uint64_t firstSeed = 1;    ///< workload k has the seed firstSeed + k
    std::uint32_t workloadCount = 50;
    std::uint32_t jobCount = 200;                      ///< of each workload
    Duration meanGap = std::chrono::milliseconds(12);  ///< between arrivals; 0: all at once
    std::uint64_t deviceBytes = std::uint64_t{16} << 30U;
    std::uint64_t desktopBytes = std::uint64_t{700} << 20U;  ///< kept from the budget
    std::uint64_t weightBytes = std::uint64_t{3584} << 20U;
    std::uint64_t othersBytes = std::uint64_t{1} << 30U;  ///< other programs hold at most this
    /// Of jobs that need twice their estimate; a tenth of these at every batch size. Above 0 with
    /// Arena alone, whose regions hold the damage in.
    double underestimatedShare = 0;
};

/// Sums over the workloads. Threads: value.
struct MemoryWorkloadResult {
    std::uint64_t workloadCount = 0;
    std::uint64_t jobCount = 0;
    std::uint64_t completedCount = 0;
    std::uint64_t refusedCount = 0;  ///< larger than the budget could ever hold
    /// Correctly estimated jobs that ran out of memory and failed; workloads with such a job.
    std::uint64_t overflowCount = 0;
    std::uint64_t overflowedWorkloadCount = 0;
    /// Times that more was promised than the budget, or taken from the device than promised, or
    /// that a promise outlived the last job.
    std::uint64_t ledgerViolationCount = 0;
    std::uint64_t deadlockedWorkloadCount = 0;  ///< jobs were left, and nothing could happen
    /// Jobs that were the first to wait, and those of them that began later than their reservation.
    /// A reservation is made anew when other programs change the budget, and only then.
    std::uint64_t firstClaimCount = 0;
    std::uint64_t lateClaimCount = 0;
    std::uint64_t passedCount = 0;  ///< jobs that passed a waiting one
    /// Mean over time, while jobs wanted at least twice the budget, of (weights + what the running
    /// jobs need at their peak) / budget: margins and fragments are not counted as use.
    double meanUse = 0;
    /// Of underestimated jobs: how many there were, how they ended, and how often one was tried
    /// again at most.
    std::uint64_t underestimatedCount = 0;
    std::uint64_t splitCompletedCount = 0;
    std::uint64_t failedAloneCount = 0;
    std::uint32_t mostRetries = 0;
};

/// Runs the workloads one after the other, on a virtual clock and a model of the allocator, with
/// the ledger and the admission of the scheduler. The same options give the same result.
/// InvalidArgument names a value that makes no sense.
Result<MemoryWorkloadResult> runMemoryWorkload(const MemoryWorkloadOptions& options);

/// Row A6: how likely jobs in flight overflow the device. Threads: value.
struct OverflowPoint {
    std::uint32_t inFlight = 0;
    /// Share of the draws in which so many jobs, begun together, overflowed …
    double unmanagedTogether = 0;
    double managedTogether = 0;
    /// … and of the workloads of options.jobCount jobs, so many at once, in which any did.
    double unmanagedSustained = 0;
    double managedSustained = 0;
};

/// The points 1 … `mostInFlight`: Slots against Arena on the same jobs, with options.workloadCount
/// workloads and twenty times as many draws per point. options.strategy, maxInFlight and
/// underestimatedShare are not used. InvalidArgument as above, or for 0 or more than 64 in flight.
Result<std::vector<OverflowPoint>> overflowCurve(const MemoryWorkloadOptions& options,
                                                 std::uint32_t mostInFlight = 12);

}  // namespace bifocal::schedule
