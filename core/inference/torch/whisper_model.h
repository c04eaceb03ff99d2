// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/manifest.h"
#include "core/inference/model_pack.h"
#include "core/inference/torch/torch_packs.h"

#include <filesystem>
#include <memory>

namespace bifocal::torch_backend {

/// Loads a recogniser of the architecture kWhisper on the CPU. Corruption, naming file and tensor;
/// Unsupported for Precision::Bf16 on a machine that does not compute in it.
Result<std::shared_ptr<const SpeechModel>> loadWhisper(const std::filesystem::path& folder,
                                                       const PackManifest& manifest,
                                                       PackOptions options);

}  // namespace bifocal::torch_backend
