// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/internal/admission.h"

#include <optional>
#include <string>

namespace bifocal::schedule {

inline constexpr Claimant kInteractive0{0, Urgency::Interactive};
inline constexpr Claimant kInteractive2{2, Urgency::Interactive};
inline constexpr Claimant kPrefetch0{0, Urgency::Prefetch};
inline constexpr Claimant kPrefetch2{2, Urgency::Prefetch};
inline constexpr Claimant kBatch0{0, Urgency::Batch};
inline constexpr Claimant kBatch1{1, Urgency::Batch};
inline constexpr Claimant kBatch2{2, Urgency::Batch};
inline constexpr Claimant kBatch3{3, Urgency::Batch};

/// "batch 1", or "none".
inline std::string describe(const std::optional<Claimant>& claimant) {
    return claimant
               ? std::string(toString(claimant->urgency)) + ' ' + std::to_string(claimant->lane)
               : "none";
}

}  // namespace bifocal::schedule
