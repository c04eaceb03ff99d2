// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/internal/isa.h"
#include "kernels/normalize.h"

namespace bifocal::kernels {

/// The conversions on a path of the caller's choice. Requires: isa ≤ bestIsa().
void toHalfOn(Isa isa, std::span<const float> from, std::span<Half> to);
void toFloatOn(Isa isa, std::span<const Half> from, std::span<float> to);

}  // namespace bifocal::kernels
