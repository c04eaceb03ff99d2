// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace bifocal::kernels {

/// How fast one thread can read every one of `bytes` once, in GB/s (10⁹ bytes per second): wide
/// loads that do nothing else, the better of a pass in one stream and of a pass in four. What a
/// search that reads the same buffer is compared with; call it in turn with the search, so that
/// both meet the same machine, and compare medians. 0 for an empty buffer. Costs two passes.
/// Threads: compatible; pure over its argument.
double measureReadBandwidth(std::span<const std::byte> bytes);

}  // namespace bifocal::kernels
