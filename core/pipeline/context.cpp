// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/context.h"

#include <thread>
#include <utility>

namespace bifocal {
namespace {

int threadsWhenAlone() {
    return std::thread::hardware_concurrency() >= 2 ? 2 : 1;
}

}  // namespace

EncoderPool::EncoderPool(std::shared_ptr<const ModelPack> pack,
                         std::size_t imageWorkerCount,
                         std::size_t textWorkerCount)
    : pack_(std::move(pack)), image_(imageWorkerCount), text_(textWorkerCount) {}

Result<ImageEncoder*> EncoderPool::image(const schedule::WorkerContext& worker, Urgency urgency) {
    BIFOCAL_ASSERT(worker.worker < image_.size());
    const bool isAlone = urgency == Urgency::Interactive && worker.lanePeers <= 1;
    auto& slot = isAlone ? image_[worker.worker].alone : image_[worker.worker].shared;
    if (!slot) {
        BIFOCAL_TRY(slot, pack_->makeImageEncoder({isAlone ? threadsWhenAlone() : 1}));
    }
    return slot.get();
}

Result<TextEncoder*> EncoderPool::text(const schedule::WorkerContext& worker) {
    BIFOCAL_ASSERT(worker.worker < text_.size());
    const bool isAlone = worker.lanePeers <= 1;
    auto& slot = isAlone ? text_[worker.worker].alone : text_[worker.worker].shared;
    if (!slot) {
        BIFOCAL_TRY(slot, pack_->makeTextEncoder({isAlone ? threadsWhenAlone() : 1}));
    }
    return slot.get();
}

}  // namespace bifocal
