// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/speech_pool.h"

#include "core/inference/manifest.h"

#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace bifocal {
namespace {

/// What the cache keeps and evicts as one.
struct LoadedSpeech {
    std::shared_ptr<const SpeechModel> model;
    // By worker, each touched by that one alone, while it holds a pin.
    mutable std::vector<std::unique_ptr<SpeechRecognizer>> recognizers;
};

/// FP16 numbers of the files may become FP32 in memory.
std::uint64_t mostBytesOf(const std::filesystem::path& folder) {
    constexpr std::uint64_t kGrowth = 2;
    std::uint64_t bytes = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        if (entry.is_regular_file(ignored)) {
            bytes += kGrowth * entry.file_size(ignored);
        }
    }
    return bytes;
}

}  // namespace

SpeechPool::SpeechPool(SpeechLoader load, std::filesystem::path folder, std::size_t workerCount)
    : load_(std::move(load)), folder_(std::move(folder)), workerCount_(workerCount) {}

bool SpeechPool::isInstalled() const {
    std::error_code ignored;
    return load_ && !folder_.empty() && std::filesystem::exists(folder_ / kManifestName, ignored);
}

schedule::ModelSource SpeechPool::source() const {
    schedule::ModelSource source;
    source.key = folder_.string();
    source.bytes = mostBytesOf(folder_);
    source.load = [this]() -> Result<schedule::CachedModel> {
        auto loaded = std::make_shared<LoadedSpeech>();
        BIFOCAL_TRY(loaded->model, load_(folder_));
        loaded->recognizers.resize(workerCount_);
        return schedule::CachedModel(std::move(loaded));
    };
    source.bytesOf = [](const void* model) -> std::uint64_t {
        return static_cast<const LoadedSpeech*>(model)->model->info().weightBytes;
    };
    return source;
}

Result<RecognizedSpeech> SpeechPool::recognize(std::span<const float> samples,
                                               schedule::ModelCache& models,
                                               schedule::MemoryProfile& memory,
                                               const schedule::WorkerContext& worker,
                                               const std::stop_token& stop) const {
    BIFOCAL_ASSERT(worker.worker < workerCount_);
    BIFOCAL_TRY(const schedule::ModelCache::Pin pin, models.acquire(source(), stop));
    const auto& loaded = pin.as<LoadedSpeech>();
    auto& own = loaded.recognizers[worker.worker];
    if (!own) {
        BIFOCAL_TRY(own, loaded.model->makeRecognizer());
    }
    Result<RecognizedSpeech> heard = own->recognize(samples, {.stop = stop});
    memory.record("recognize", 0, 1, own->peakBytes());
    return heard;
}

}  // namespace bifocal
