// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/precision_choice.h"

#include <string>

namespace bifocal::torch_backend {

Result<PrecisionChoice> choosePrecision(Precision wanted) {
    const bool native = computesInBf16();
    if (wanted == Precision::Fp32) {
        return PrecisionChoice{
            TowerPrecision::Fp32, "fp32", PrecisionReason::AskedFor, "FP32 was asked for"};
    }
    if (native) {
        return PrecisionChoice{TowerPrecision::Bf16,
                               "bf16",
                               PrecisionReason::Bf16Native,
                               "this processor computes in BF16 (AVX-512 BF16)"};
    }
    if (wanted == Precision::Bf16) {
        return Error{ErrorCode::Unsupported, "BF16 was asked for, but this processor lacks it"};
    }
    return PrecisionChoice{TowerPrecision::Fp32,
                           "fp32",
                           PrecisionReason::Bf16Missing,
                           "this processor lacks BF16 (AVX-512 BF16)"};
}

PackInfo makePackInfo(const PackManifest& manifest,
                      const PrecisionChoice& precision,
                      const char* subject) {
    PackInfo info;
    info.id = manifest.id;
    info.name = manifest.name;
    info.licence = manifest.licence;
    info.device = "cpu";
    info.deviceWhy = std::string(subject) + " runs on the CPU; " + precision.why + ".";
    info.precision = precision.name;
    info.deviceFacts = {DeviceReason::OnlyCpu, precision.reason};
    info.layout = manifest.layout;
    info.scripts = manifest.scripts;
    return info;
}

}  // namespace bifocal::torch_backend
