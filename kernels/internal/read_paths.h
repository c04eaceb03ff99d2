// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Plain data alone, for the reason given in dot_paths.h.
namespace bifocal::kernels {

/// Reads every byte once, as `streams` parts side by side; returns the exclusive or of its 64-bit
/// words (a last, shorter one filled with zeros), so that no read can be left out. streams ≥ 1.
using ReadAll = std::uint64_t (*)(const std::byte* data, std::size_t bytes, std::size_t streams);

std::uint64_t readAllPortable(const std::byte* data, std::size_t bytes, std::size_t streams);
std::uint64_t readAllAvx2(const std::byte* data, std::size_t bytes, std::size_t streams);

}  // namespace bifocal::kernels
