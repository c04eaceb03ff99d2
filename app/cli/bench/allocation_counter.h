// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace bifocal::cli {

/// Counts this process's calls of operator new, of all threads, while it lives. The program that
/// links it has an operator new of its own: malloc and one look at a flag. One at a time.
/// Threads: compatible.
class AllocationCounter {
public:
    AllocationCounter();
    AllocationCounter(const AllocationCounter&) = delete;
    AllocationCounter& operator=(const AllocationCounter&) = delete;
    ~AllocationCounter();

    /// Calls so far; none in a build with sanitizers, which have an operator new of their own.
    std::optional<std::uint64_t> count() const;
};

}  // namespace bifocal::cli
