// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/model_pack.h"
#include "core/schedule/model_cache.h"
#include "core/schedule/task.h"

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <utility>

namespace bifocal {

/// The recogniser of spoken prompts: its weights, loaded when the first one needs them and gone
/// when their memory is needed and nobody speaks, and each worker's own recogniser over them.
/// Threads: safe; a recogniser belongs to the worker of the context, as EncoderPool's encoders do.
class SpeechPool {
public:
    /// A worker's recogniser, which stays as long as this lives. Threads: compatible.
    class Lease {
    public:
        SpeechRecognizer* operator->() const { return recognizer_; }

    private:
        friend class SpeechPool;
        Lease(schedule::ModelCache::Pin pin, SpeechRecognizer* recognizer)
            : pin_(std::move(pin)), recognizer_(recognizer) {}

        schedule::ModelCache::Pin pin_;
        SpeechRecognizer* recognizer_;
    };

    /// `load` may be empty and `folder` need not be there: then nothing can be recognised.
    SpeechPool(SpeechLoader load, std::filesystem::path folder, std::size_t workerCount);

    /// Whether there is something to load. One look at the disk.
    bool isInstalled() const;

    /// Loads the weights into `models` when they are not there; others wait for that. The loader's
    /// errors, which are not kept: the next prompt tries again; and those of ModelCache::acquire().
    Result<Lease> lease(schedule::ModelCache& models,
                        const schedule::WorkerContext& worker,
                        const std::stop_token& stop) const;

private:
    schedule::ModelSource source() const;

    const SpeechLoader load_;
    const std::filesystem::path folder_;
    const std::size_t workerCount_;
};

}  // namespace bifocal
