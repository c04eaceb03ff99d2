// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench/report.h"

#include <cstdint>
#include <string>

namespace bifocal::cli {

/// One line that names this machine: processor, cores this process may use, memory, the widest
/// instructions that our kernels use here. Threads: safe.
std::string describeMachine();

/// An empty report of a bench on this machine. Threads: safe.
BenchReport reportOf(const char* bench);

/// Bytes that can be had without swapping; 0 when the system does not say. Threads: safe.
std::uint64_t availableMemoryBytes();

}  // namespace bifocal::cli
