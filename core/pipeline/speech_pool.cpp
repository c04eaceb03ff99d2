// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/speech_pool.h"

#include "core/inference/manifest.h"

#include <system_error>
#include <utility>

namespace bifocal {

SpeechPool::SpeechPool(SpeechLoader load,
                       std::filesystem::path folder,
                       std::size_t workerCount,
                       std::function<void(std::uint64_t)> onLoaded)
    : load_(std::move(load)),
      folder_(std::move(folder)),
      onLoaded_(std::move(onLoaded)),
      recognizers_(workerCount) {}

bool SpeechPool::isInstalled() const {
    std::error_code ignored;
    return load_ && !folder_.empty() && std::filesystem::exists(folder_ / kManifestName, ignored);
}

Result<std::shared_ptr<const SpeechModel>> SpeechPool::model() {
    const std::lock_guard lock(mutex_);
    if (!model_) {
        BIFOCAL_TRY(model_, load_(folder_));
        onLoaded_(model_->info().weightBytes);
    }
    return model_;
}

Result<SpeechRecognizer*> SpeechPool::recognizer(const schedule::WorkerContext& worker) {
    BIFOCAL_ASSERT(worker.worker < recognizers_.size());
    auto& own = recognizers_[worker.worker];
    if (!own) {
        BIFOCAL_TRY(const std::shared_ptr<const SpeechModel> loaded, model());
        BIFOCAL_TRY(own, loaded->makeRecognizer());
    }
    return own.get();
}

}  // namespace bifocal
