// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/model_pack.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace bifocal::torch_backend {

enum class Precision : std::uint8_t { Automatic = 1, Fp32, Bf16 };

struct PackOptions {
    Precision precision =
        Precision::Automatic;  ///< Automatic: BF16 where the machine computes in it
};

/// Loads the pack prepared in `folder` (pack.json beside its safetensors) with LibTorch.
/// NotFound (no pack.json), Corruption (a checksum or shape that does not fit, named), Unsupported
/// (an architecture this build does not know).
Result<std::shared_ptr<const ModelPack>> loadPack(const std::filesystem::path& folder,
                                                  PackOptions options = {});

/// Bytes LibTorch's CPU allocator holds now, and the most since start; 0 when it does not count.
std::uint64_t allocatedBytes();

/// Sets what LibTorch needs before its first call: passive OpenMP waiting needs the environment
/// variable OMP_WAIT_POLICY, so main() re-executes itself once when this returns false.
bool environmentIsReady();

}  // namespace bifocal::torch_backend
