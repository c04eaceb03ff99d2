// SPDX-License-Identifier: Apache-2.0
#include "core/inference/torch/torch_packs.h"

#include "core/inference/label_mixture.h"
#include "core/inference/manifest.h"
#include "core/inference/torch/counted_memory.h"
#include "core/inference/torch/starter_pack.h"
#include "core/inference/torch/whisper_model.h"
#include "core/inference/whisper.h"

#include <cstdlib>

namespace bifocal::torch_backend {
namespace {

Error unknown(const std::filesystem::path& folder,
              const PackManifest& manifest,
              const std::string& purpose) {
    return {ErrorCode::Unsupported,
            folder.string() + ": architecture '" + manifest.architecture +
                "' is none that this build can " + purpose};
}

}  // namespace

bool environmentIsReady() {
    constexpr const char* kVariable = "OMP_WAIT_POLICY";
    if (std::getenv(kVariable) != nullptr) {  // NOLINT(concurrency-mt-unsafe): see the header
        return true;
    }
    ::setenv(kVariable, "passive", 1);  // NOLINT(concurrency-mt-unsafe): see the header
    return false;
}

bool computesInBf16() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16") != 0;
}

Result<std::shared_ptr<const ModelPack>> loadPack(const std::filesystem::path& folder,
                                                  PackOptions options) {
    BIFOCAL_TRY(const PackManifest manifest, readManifest(folder));
    startCounting();
    if (manifest.architecture == kLabelMixture) {
        return loadStarterPack(folder, manifest, options);
    }
    return unknown(folder, manifest, "search with");
}

Result<std::shared_ptr<const SpeechModel>> loadSpeech(const std::filesystem::path& folder,
                                                      PackOptions options) {
    BIFOCAL_TRY(const PackManifest manifest, readManifest(folder));
    startCounting();
    if (manifest.architecture == kWhisper) {
        return loadWhisper(folder, manifest, options);
    }
    return unknown(folder, manifest, "recognise speech with");
}

}  // namespace bifocal::torch_backend
