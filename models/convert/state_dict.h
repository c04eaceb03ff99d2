// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace bifocal::models {

/// An FP32 tensor of its own, row-major. Threads: value.
struct FloatTensor {
    std::vector<std::size_t> shape;
    std::vector<float> values;
};

/// Reads the FP32 tensors of a state dict in the older torch.save format: five pickles (magic
/// number, protocol 1001, system information, ordered dict of tensors, list of storage keys), then
/// for each key an int64 element count and the raw elements. Strides are honoured; integer tensors
/// (counters of batch norms) are checked and left out. Runs no code (pickle.h).
/// Corruption or Unsupported, naming the tensor where there is one. Threads: value.
Result<std::map<std::string, FloatTensor>> readStateDict(std::span<const std::uint8_t> bytes);

}  // namespace bifocal::models
