// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <map>
#include <string>

#include "models/convert/state_dict.h"

namespace bifocal::models {

/// EfficientNet-Lite0 as trained → imageTowerTensors(): every batch norm (epsilon 1e-3) is folded
/// into the convolution before it, in FP64: w' = w · g / √(var + ε), b' = beta − mean · g / √(var +
/// ε). Corruption, naming the tensor, when one is missing, misshapen or unexpected.
/// Threads: value.
Result<std::map<std::string, FloatTensor>> foldEfficientNet(
    std::map<std::string, FloatTensor> stateDict);

}  // namespace bifocal::models
