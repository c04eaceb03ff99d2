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

/// Loads the recogniser prepared in `folder`. Errors as loadPack(); each says so of a pack of the
/// other kind: Unsupported.
Result<std::shared_ptr<const SpeechModel>> loadSpeech(const std::filesystem::path& folder,
                                                      PackOptions options = {});

/// Whether this processor multiplies BF16 numbers itself; emulated, it would be slower than FP32.
bool computesInBf16();

/// Bytes LibTorch's CPU allocator holds now; 0 before the first loadPack(), which starts counting.
/// Threads: safe.
std::uint64_t allocatedBytes();
/// The most it ever held.
std::uint64_t peakAllocatedBytes();

/// Sets what LibTorch needs before its first call: passive OpenMP waiting needs the environment
/// variable OMP_WAIT_POLICY before libgomp loads, so main() re-executes itself once when this
/// returns false; the variable is set by then. A value the user chose is left alone: true.
/// Threads: none but main's may run yet.
bool environmentIsReady();

}  // namespace bifocal::torch_backend
