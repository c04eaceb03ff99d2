// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dot_top_k.h"
#include "kernels/internal/isa.h"

namespace bifocal::kernels {

/// dotTopK on a path of the caller's choice. Unsupported when this machine lacks it.
Result<TopKResult> dotTopKOn(Isa isa,
                             const HalfRows& rows,
                             std::span<const float> query,
                             std::span<const std::uint64_t> filter,
                             std::span<RowScore> best,
                             std::uint32_t firstRow = 0);

/// dot on a path of the caller's choice. Requires: isa ≤ bestIsa().
float dotOn(Isa isa, std::span<const Half> row, std::span<const float> query);

}  // namespace bifocal::kernels
