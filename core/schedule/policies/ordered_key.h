// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bifocal::schedule {

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;

/// The unsigned number that stands where `value` stands among the signed ones.
constexpr std::uint64_t toOrdered(std::int64_t value) {
    return static_cast<std::uint64_t>(value) ^ kSignBit;
}

/// Inverse of toOrdered().
constexpr std::int64_t fromOrdered(std::uint64_t key) {
    return static_cast<std::int64_t>(key ^ kSignBit);
}

}  // namespace bifocal::schedule
