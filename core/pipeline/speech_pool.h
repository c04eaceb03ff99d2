// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/model_pack.h"
#include "core/schedule/task.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace bifocal {

/// The recogniser of spoken prompts: its weights, loaded when the first one needs them, and each
/// worker's own recogniser over them. Threads: safe; a recogniser belongs to the worker of the
/// context, as EncoderPool's encoders do.
class SpeechPool {
public:
    /// `load` may be empty and `folder` need not be there: then nothing can be recognised.
    /// `onLoaded` gets the bytes of the weights once.
    SpeechPool(SpeechLoader load,
               std::filesystem::path folder,
               std::size_t workerCount,
               std::function<void(std::uint64_t)> onLoaded);

    /// Whether there is something to load. One look at the disk.
    bool isInstalled() const;

    /// Loads the weights when nobody did before; others wait for it. The loader's errors, which are
    /// not kept: the next prompt tries again.
    Result<SpeechRecognizer*> recognizer(const schedule::WorkerContext& worker);

private:
    Result<std::shared_ptr<const SpeechModel>> model();

    const SpeechLoader load_;
    const std::filesystem::path folder_;
    const std::function<void(std::uint64_t)> onLoaded_;
    std::vector<std::unique_ptr<SpeechRecognizer>> recognizers_;  ///< by worker
    std::mutex mutex_;  ///< one loading at a time; guards the next
    std::shared_ptr<const SpeechModel> model_;
};

}  // namespace bifocal
