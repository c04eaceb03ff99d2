// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/image_buffer.h"
#include "core/base/result.h"
#include "core/index/vector_index.h"
#include "core/inference/model_pack.h"
#include "core/library/library.h"
#include "core/pipeline/event_delivery.h"
#include "core/pipeline/speech_pool.h"
#include "core/profile/profiler.h"
#include "core/schedule/memory_profile.h"
#include "core/schedule/scheduler.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace bifocal {

/// Each worker's own encoders over the pack's shared weights, made when the worker first needs
/// them. A worker that serves prompts has two of each: one for when nothing else runs (two intra-op
/// threads) and one for when the cores are shared (one thread).
/// Threads: lane(the worker in the context) per entry; different workers never meet.
class EncoderPool {
public:
    EncoderPool(std::shared_ptr<const ModelPack> pack,
                std::size_t imageWorkerCount,
                std::size_t textWorkerCount);

    Result<ImageEncoder*> image(const schedule::WorkerContext& worker, Urgency urgency);
    Result<TextEncoder*> text(const schedule::WorkerContext& worker);

private:
    template <typename Encoder>
    struct Slot {
        std::unique_ptr<Encoder> alone;
        std::unique_ptr<Encoder> shared;
    };

    std::shared_ptr<const ModelPack> pack_;
    std::vector<Slot<ImageEncoder>> image_;
    std::vector<Slot<TextEncoder>> text_;
};

struct PipelineLanes {
    schedule::LaneId text;
    schedule::LaneId image;
    schedule::LaneId pool;
};

/// What the prompt graph and the indexing graph work with. The engine owns all of it and outlives
/// every run. Threads: compatible; the parts have their own contracts.
struct PipelineContext {
    schedule::Scheduler& scheduler;
    profile::Profiler& profiler;
    const Clock& clock;
    PipelineLanes lanes;
    std::shared_ptr<const ModelPack> pack;
    EncoderPool& encoders;
    VectorIndex& index;      ///< this process's reader
    const Library& library;  ///< this process's reader
    /// The file's picture, small (at least 32 pixels wide and high where it has them). Called on
    /// the pool.
    std::function<Result<ImageBuffer>(const FileRecord&)> loadSmall;
    EventDelivery& events;            ///< calls the handlers of prompts
    schedule::MemoryProfile& memory;  ///< what the stages were seen to take
    const SpeechPool& speech;         ///< its workers are the pool's
};

/// Long side to which pictures are reduced while they are decoded for the tower: about four times
/// its input, so that the antialiased resize still sees more than it can use.
inline constexpr int kEncodeSide = 1024;

}  // namespace bifocal
