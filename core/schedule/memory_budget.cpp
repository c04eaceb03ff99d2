// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/memory_budget.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

namespace bifocal::schedule {

namespace {

constexpr std::uint64_t kLeastReserveBytes = std::uint64_t{512} << 20U;
constexpr std::uint64_t kReserveDivisor = 20;  // 5 %

/// Bytes of one line of /proc/meminfo ("MemTotal:  24558324 kB").
std::optional<std::uint64_t> readField(std::ifstream& file, const std::string& name) {
    std::string word;
    while (file >> word) {
        std::uint64_t kibibytes = 0;
        if (word == name && file >> kibibytes) {
            return kibibytes * 1024;
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::nullopt;
}

}  // namespace

std::optional<MachineMemory> readMachineMemory() {
    std::ifstream machine("/proc/meminfo");
    const auto total = readField(machine, "MemTotal:");
    const auto available = readField(machine, "MemAvailable:");
    if (!total || !available) {
        return std::nullopt;
    }
    return MachineMemory{*total, *available};
}

std::uint64_t budgetBeside(const MachineMemory& machine,
                           std::uint64_t residentBytes,
                           const MemoryLedger::Snapshot& ledger) {
    const std::uint64_t reserve =
        std::max(kLeastReserveBytes, machine.totalBytes / kReserveDivisor);
    const std::uint64_t free = machine.availableBytes - std::min(machine.availableBytes, reserve);
    const std::uint64_t held = std::min(residentBytes, ledger.usedBytes());
    const std::uint64_t least = ledger.persistentBytes + kLeastRoomBytes;
    return std::max(held + free, least);
}

MemoryBudget::MemoryBudget(MemoryLedger& ledger, Read read, Evict evict)
    : ledger_(ledger),
      cap_(ledger.snapshot().budgetBytes),
      read_(std::move(read)),
      evict_(std::move(evict)) {}

void MemoryBudget::refresh(TimePoint now) {
    if (!read_) {
        return;
    }
    const Duration::rep at = now.time_since_epoch().count();
    Duration::rep next = nextLook_.load(std::memory_order_relaxed);
    if (at < next ||
        !nextLook_.compare_exchange_strong(next, at + kMaxAge.count(), std::memory_order_relaxed)) {
        return;  // not yet, or somebody else does
    }
    ledger_.setBudget(std::min(cap_, read_(ledger_.snapshot())));
    if (const std::uint64_t over = ledger_.snapshot().overBytes(); over > 0) {
        makeRoom(over);
    }
}

void MemoryBudget::makeRoom(std::uint64_t bytes) const {
    if (evict_) {
        evict_(bytes);
    }
}

}  // namespace bifocal::schedule
