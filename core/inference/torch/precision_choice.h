// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/manifest.h"
#include "core/inference/model_pack.h"
#include "core/inference/torch/image_tower.h"
#include "core/inference/torch/torch_packs.h"

namespace bifocal::torch_backend {

/// In which numbers a model computes here, and why. Threads: value.
struct PrecisionChoice {
    TowerPrecision tower;
    const char* name;
    PrecisionReason reason;
    const char* why;
};

/// Unsupported for Precision::Bf16 on a machine that does not compute in it.
Result<PrecisionChoice> choosePrecision(Precision wanted);

/// What a manifest and a choice say of a pack on the CPU; without the bytes of its weights.
/// `subject` begins the sentence of deviceWhy ("The starter pack").
PackInfo makePackInfo(const PackManifest& manifest,
                      const PrecisionChoice& precision,
                      const char* subject);

}  // namespace bifocal::torch_backend
