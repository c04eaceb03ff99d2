// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/model_pack.h"
#include "core/schedule/memory_profile.h"
#include "core/schedule/model_cache.h"
#include "core/schedule/task.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>

namespace bifocal {

/// The recogniser of spoken prompts: its weights, loaded when the first one needs them and gone
/// when their memory is needed and nobody speaks, and each worker's own recogniser over them.
/// Threads: safe; a recogniser belongs to the worker of the context, as EncoderPool's encoders do.
class SpeechPool {
public:
    /// `load` may be empty and `folder` need not be there: then nothing can be recognised.
    SpeechPool(SpeechLoader load, std::filesystem::path folder, std::size_t workerCount);

    /// Whether there is something to load. One look at the disk.
    bool isInstalled() const;

    /// The text of mono samples at 16 kHz. Loads the weights into `models` when they are not there;
    /// others wait for that. `memory` learns what it took, as stage "recognize". The errors of the
    /// loader, which are not kept: the next clip tries again; of ModelCache::acquire(); and of
    /// SpeechRecognizer::recognize().
    Result<RecognizedSpeech> recognize(std::span<const float> samples,
                                       schedule::ModelCache& models,
                                       schedule::MemoryProfile& memory,
                                       const schedule::WorkerContext& worker,
                                       const std::stop_token& stop) const;

private:
    schedule::ModelSource source() const;

    const SpeechLoader load_;
    const std::filesystem::path folder_;
    const std::size_t workerCount_;
};

}  // namespace bifocal
