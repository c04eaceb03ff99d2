// SPDX-License-Identifier: Apache-2.0
#include "core/engine/internal/engine_impl.h"

#include <memory>
#include <utility>

namespace bifocal {

Result<RequestId> EngineImpl::recognize(SpeechClip clip, SpeechHandler handler) {
    if (!speech_.isInstalled()) {
        return Error{ErrorCode::Unsupported, "no speech model is installed"};
    }
    const RequestId request = nextRequest();
    std::stop_source stop;
    {
        const std::lock_guard lock(mutex_);
        if (isClosing_) {
            return Error{ErrorCode::Cancelled, "shutting down"};
        }
        recognitions_.emplace(request, stop);
    }
    profiler_.beginRequest(request, "speech", Urgency::Interactive);
    schedule::TaskSpec spec;
    spec.request = request;
    spec.stage = "recognize";
    spec.lane = lanes_.pool;
    spec.features.hasSpeech = true;
    spec.bytes = memory_.estimate(spec.stage, 0, 1).value_or(0);
    spec.stop = stop.get_token();
    const auto samples = std::make_shared<const std::vector<float>>(std::move(clip.samples));
    auto work = schedule::makeWork(
        [this, request, samples, handler, token = stop.get_token()](
            const schedule::WorkerContext& worker) {
            Result<RecognizedSpeech> heard =
                speech_.recognize(*samples, scheduler_->models(), memory_, worker, token);
            endRecognition(request,
                           heard ? profile::Outcome::Done
                           : heard.error().code == ErrorCode::Cancelled
                               ? profile::Outcome::Cancelled
                               : profile::Outcome::Failed);
            handler(std::move(heard));
        },
        [this, request, handler](schedule::Abandoned /*why*/) {
            endRecognition(request, profile::Outcome::Cancelled);
            handler(Error{ErrorCode::Cancelled, "no longer wanted"});
        });
    if (const Result<schedule::TaskId> queued = scheduler_->enqueue(spec, std::move(work));
        !queued) {
        endRecognition(request, profile::Outcome::Failed);
        return queued.error();
    }
    sampling_.notify_all();
    return request;
}

void EngineImpl::endRecognition(RequestId request, profile::Outcome outcome) {
    profiler_.endRequest(request, outcome);
    const std::lock_guard lock(mutex_);
    recognitions_.erase(request);
}

bool EngineImpl::cancelRecognition(RequestId request) {
    std::stop_source stop(std::nostopstate);
    {
        const std::lock_guard lock(mutex_);
        const auto found = recognitions_.find(request);
        if (found == recognitions_.end()) {
            return false;
        }
        stop = found->second;
    }
    stop.request_stop();
    scheduler_->cancelRequest(request);
    return true;
}

}  // namespace bifocal
