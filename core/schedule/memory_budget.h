// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/schedule/memory_ledger.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace bifocal::schedule {

/// The machine's main memory at one moment. Threads: value.
struct MachineMemory {
    std::uint64_t totalBytes = 0;
    std::uint64_t availableBytes = 0;  ///< that programs can still get without swapping
};

/// From the kernel (MemTotal, MemAvailable); none where it does not say. Threads: safe.
std::optional<MachineMemory> readMachineMemory();

/// What a ledger of main memory may hold: what it holds already, as far as that is among the
/// process's `residentBytes`, and what is available, less max(512 MiB, 5 %) that stay free for
/// other programs. Never less than what stays plus kLeastRoomBytes: on a machine that is full a
/// prompt is answered slowly, which is better than not at all.
std::uint64_t budgetBeside(const MachineMemory& machine,
                           std::uint64_t residentBytes,
                           const MemoryLedger::Snapshot& ledger);
inline constexpr std::uint64_t kLeastRoomBytes = std::uint64_t{256} << 20U;

/// Keeps a ledger's budget true while other programs take memory and give it back, without a thread
/// or a timer of its own: whoever is about to admit work asks it to look, and it looks when the
/// last look is older than kMaxAge. Threads: safe.
class MemoryBudget {
public:
    static constexpr Duration kMaxAge = std::chrono::milliseconds(200);

    /// The budget at this moment, for a ledger in this state; the ledger's first one is its cap.
    using Read = std::function<std::uint64_t(const MemoryLedger::Snapshot&)>;
    /// Lets go of at least so many bytes that nobody uses, if there are some.
    using Evict = std::function<void(std::uint64_t)>;

    /// `read` empty: the budget stays as it is; `evict` empty: nothing can go. The ledger must
    /// outlive it.
    MemoryBudget(MemoryLedger& ledger, Read read, Evict evict);

    bool isLive() const { return static_cast<bool>(read_); }
    /// Whether work that waits for bytes has anything to ask for here.
    bool mayHelp() const { return isLive() || evict_; }
    /// Reads the budget if it is time; what is above it then goes, as far as nobody uses it.
    /// Requires: the caller holds no lock; `read`, `evict` and the ledger's handler are called.
    void refresh(TimePoint now);
    /// Lets go of so many bytes that nobody uses, if there are some. Requires: the same.
    void makeRoom(std::uint64_t bytes) const;

private:
    MemoryLedger& ledger_;
    const std::uint64_t cap_;
    const Read read_;
    const Evict evict_;
    std::atomic<Duration::rep> nextLook_{0};  // since the epoch of the clock
};

}  // namespace bifocal::schedule
