// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/prompt_run.h"

#include "core/library/walk.h"
#include "core/pipeline/prompt_image.h"
#include "core/pipeline/ranking.h"
#include "core/pipeline/same_picture.h"

#include <algorithm>
#include <utility>

namespace bifocal {
namespace {

schedule::PromptFeatures featuresOf(const Prompt& prompt) {
    schedule::PromptFeatures features;
    features.hasText = !prompt.text.empty();
    features.hasImage = prompt.image.has_value();
    features.hasVideo = prompt.image && std::holds_alternative<VideoFrame>(prompt.image->source);
    features.hasSpeech = prompt.speech.has_value();
    return features;
}

double milliseconds(Duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

PromptRun::PromptRun(const PipelineContext& context,
                     RequestId request,
                     NormalizedPrompt prompt,
                     PromptHandler handler,
                     std::function<void(profile::Outcome)> onEnd)
    : context_(context),
      request_(request),
      prompt_(std::move(prompt)),
      begin_(context.clock.now()),
      channel_(
          request,
          std::move(handler),
          [this, onEnd = std::move(onEnd)] {
              profile::Outcome outcome{};
              {
                  const std::lock_guard lock(mutex_);
                  outcome = outcome_;
              }
              onEnd(outcome);
          },
          [this] {
              context_.events.post([self = shared_from_this()] { self->channel_.deliver(); });
          }) {}

Result<void> PromptRun::start() {
    const bool hasTextBranch = hasText() || !prompt_.prompt.negatives.empty();
    branchesLeft_ = (hasTextBranch ? 1 : 0) + (hasImage() ? 1 : 0);
    Result<void> outcome;
    if (hasImage()) {
        outcome = enqueue({"decode",
                           context_.lanes.pool,
                           &PromptRun::decodeImage,
                           &PromptRun::queueImageEncoder});
    }
    if (outcome && prompt_.prompt.speech) {
        outcome = enqueue({"recognize",
                           context_.lanes.pool,
                           &PromptRun::recognize,
                           &PromptRun::queueTextEncoder});
    } else if (outcome && hasTextBranch) {
        outcome = queueTextEncoder();
    }
    if (!outcome) {
        channel_.close();
        stop_.request_stop();
        context_.scheduler.cancelRequest(request_);
    }
    return outcome;
}

void PromptRun::cancel(profile::Outcome outcome) {
    {
        const std::lock_guard lock(mutex_);
        outcome_ = outcome;
    }
    stop_.request_stop();
    context_.scheduler.cancelRequest(request_);
}

Result<void> PromptRun::enqueue(const Step& step) {
    schedule::TaskSpec spec;
    spec.request = request_;
    spec.stage = step.stage;
    spec.lane = step.lane;
    spec.urgency = prompt_.prompt.urgency;
    spec.features = featuresOf(prompt_.prompt);
    spec.bytes = context_.memory.estimate(step.stage, 0, 1).value_or(0);
    spec.stop = stop_.get_token();
    auto work = schedule::makeWork(
        [self = shared_from_this(), step](const schedule::WorkerContext& worker) {
            self->runStep(step, worker);
        },
        [self = shared_from_this()](schedule::Abandoned /*why*/) {
            self->end({ErrorCode::Cancelled, "abandoned"});
        });
    BIFOCAL_CHECK(context_.scheduler.enqueue(spec, std::move(work)));
    return {};
}

void PromptRun::runStep(const Step& step, const schedule::WorkerContext& worker) {
    if (stop_.stop_requested()) {
        end({ErrorCode::Cancelled, "stopped"});
        return;
    }
    channel_.accept();
    channel_.stage(step.stage);
    const TimePoint begin = context_.clock.now();
    Result<void> outcome = (this->*step.run)(worker);
    {
        const std::lock_guard lock(mutex_);
        stages_.push_back({step.stage, milliseconds(context_.clock.now() - begin)});
    }
    if (outcome && step.next != nullptr) {
        outcome = (this->*step.next)();
    }
    if (!outcome) {
        end(std::move(outcome).error());
    }
}

void PromptRun::end(Error error) {
    {
        const std::lock_guard lock(mutex_);
        if (error.code != ErrorCode::Cancelled) {
            outcome_ = profile::Outcome::Failed;
        } else if (outcome_ == profile::Outcome::Done) {
            outcome_ = profile::Outcome::Cancelled;
        }
    }
    channel_.fail(std::move(error));
    stop_.request_stop();  // the other branch has nothing left to do
}

void PromptRun::addNotice(Notice notice) {
    const std::lock_guard lock(mutex_);
    if (std::find(notices_.begin(), notices_.end(), notice) == notices_.end()) {
        notices_.push_back(notice);
    }
}

Result<void> PromptRun::recognize(const schedule::WorkerContext& worker) {
    BIFOCAL_TRY(RecognizedSpeech heard,
                context_.speech.recognize(prompt_.prompt.speech->samples,
                                          context_.scheduler.models(),
                                          context_.memory,
                                          worker,
                                          stop_.get_token()));
    if (heard.text.empty() && prompt_.prompt.text.empty() && !hasImage()) {
        return Error{ErrorCode::InvalidArgument, "nothing was said: the clip holds no speech"};
    }
    const std::lock_guard lock(mutex_);
    spoken_ = std::move(heard.text);
    return {};
}

Result<void> PromptRun::queueTextEncoder() {
    return enqueue(
        {"encode_text", context_.lanes.text, &PromptRun::encodeText, &PromptRun::finishText});
}

/// What was typed and, behind it, what was said.
std::string PromptRun::words() {
    const std::lock_guard lock(mutex_);
    const std::string& typed = prompt_.prompt.text;
    return typed.empty() || spoken_.empty() ? typed + spoken_ : typed + " " + spoken_;
}

Result<void> PromptRun::encodeText(const schedule::WorkerContext& worker) {
    BIFOCAL_TRY(TextEncoder* const encoder, context_.encoders.text(worker));
    if (const std::string text = words(); !text.empty()) {
        Result<EncodedText> encoded = encoder->encode(text, stop_.get_token());
        if (encoded) {
            if (encoded->isTruncated) {
                addNotice(Notice::TextTruncated);
            }
            if (encoded->isPartlyUnread) {
                addNotice(Notice::TextPartlyUnread);
            }
            const std::lock_guard lock(mutex_);
            textRow_ = std::move(encoded->row);
        } else if (encoded.error().code == ErrorCode::Unsupported && hasImage()) {
            addNotice(Notice::TextUnread);
        } else {
            return std::move(encoded).error();
        }
        context_.memory.record("encode_text", 0, 1, encoder->peakBytes());
    }
    return encodeNegatives(*encoder);
}

Result<void> PromptRun::encodeNegatives(TextEncoder& encoder) {
    for (const std::string& negative : prompt_.prompt.negatives) {
        Result<EncodedText> encoded = encoder.encode(negative, stop_.get_token());
        if (encoded) {
            const std::lock_guard lock(mutex_);
            negativeRows_.push_back(std::move(encoded->row));
        } else if (encoded.error().code == ErrorCode::Unsupported) {
            addNotice(Notice::TextUnread);
        } else {
            return std::move(encoded).error();
        }
    }
    return {};
}

Result<void> PromptRun::decodeImage(const schedule::WorkerContext& /*worker*/) {
    BIFOCAL_TRY(LoadedImage loaded, loadPromptImage(*prompt_.prompt.image, kEncodeSide));
    image_.content = loaded.content;
    image_.perceptualHash = loaded.perceptualHash;
    image_.pixels = std::move(loaded.pixels);
    return {};
}

Result<void> PromptRun::queueImageEncoder() {
    return enqueue(
        {"encode_image", context_.lanes.image, &PromptRun::encodeImage, &PromptRun::finishImage});
}

Result<void> PromptRun::encodeImage(const schedule::WorkerContext& worker) {
    BIFOCAL_TRY(ImageEncoder* const encoder,
                context_.encoders.image(worker, prompt_.prompt.urgency));
    std::vector<float> row(context_.pack->info().layout.dim);
    const ImageView view = image_.pixels.view();
    BIFOCAL_CHECK(encoder->encode({&view, 1}, row, stop_.get_token()));
    context_.memory.record("encode_image", 0, 1, encoder->peakBytes());
    const std::lock_guard lock(mutex_);
    imageRow_ = std::move(row);
    return {};
}

Result<void> PromptRun::finishBranch(Branch branch) {
    bool isLast = false;
    bool hasOwnAnswer = false;
    {
        const std::lock_guard lock(mutex_);
        isLast = --branchesLeft_ == 0;
        hasOwnAnswer = branch == Branch::Text ? !textRow_.empty() : !imageRow_.empty();
    }
    if (isLast) {
        return enqueue({"search", context_.lanes.pool, &PromptRun::searchFinally, nullptr});
    }
    if (hasOwnAnswer) {
        return enqueue(
            {"search_partial", context_.lanes.pool, &PromptRun::searchPartially, nullptr});
    }
    return {};
}

Result<void> PromptRun::searchPartially(const schedule::WorkerContext& /*worker*/) {
    {
        const std::lock_guard lock(mutex_);
        if (branchesLeft_ == 0) {
            return {};  // the final search is queued already
        }
    }
    BIFOCAL_TRY(std::shared_ptr<const ResultSet> results, answer(false));
    channel_.partial(std::move(results));
    return {};
}

Result<void> PromptRun::searchFinally(const schedule::WorkerContext& /*worker*/) {
    BIFOCAL_TRY(std::shared_ptr<const ResultSet> results, answer(true));
    channel_.finish(std::move(results));
    return {};
}

bool PromptRun::showsPromptImage(const FileRecord& file) const {
    const Result<ImageBuffer> stored = context_.loadSmall(file);
    return stored && pictureDistance(image_.pixels.view(), stored->view()) < kSamePictureDistance;
}

Result<std::shared_ptr<const ResultSet>> PromptRun::answer(bool isFinal) {
    std::vector<float> text;
    std::vector<float> image;
    std::vector<std::vector<float>> negatives;
    std::vector<Notice> notices;
    std::vector<StageTime> stages;
    std::string spoken;
    {
        const std::lock_guard lock(mutex_);
        text = textRow_;
        image = imageRow_;
        negatives = negativeRows_;
        notices = notices_;
        stages = stages_;
        spoken = spoken_;
    }
    const TimePoint fuseBegin = context_.clock.now();
    QueryParts parts;
    parts.text = text;
    parts.image = image;
    parts.negatives.assign(negatives.begin(), negatives.end());
    parts.balance = prompt_.prompt.balance;
    BIFOCAL_TRY(const std::vector<float> query, context_.pack->makeQuery(parts));
    const TimePoint searchBegin = context_.clock.now();
    BIFOCAL_CHECK(context_.index.refresh());
    const auto snapshot = context_.index.snapshot();
    NormalizedPrompt ranked = prompt_;
    ranked.mode = text.empty()    ? PromptMode::ImageOnly
                  : image.empty() ? PromptMode::TextOnly
                                  : PromptMode::Fused;
    ranked.prompt.text = words();
    BIFOCAL_TRY(ResultSet set,
                rank({*snapshot,
                      context_.library,
                      context_.pack->info().layout,
                      query,
                      ranked,
                      image.empty() ? std::nullopt : image_.content,
                      image.empty() ? 0 : image_.perceptualHash,
                      [this](const FileRecord& file) { return showsPromptImage(file); },
                      stop_.get_token()}));
    const TimePoint end = context_.clock.now();
    stages.push_back({"fuse", milliseconds(searchBegin - fuseBegin)});
    stages.push_back({"search", milliseconds(end - searchBegin)});
    if (!isFinal) {
        notices.push_back(Notice::PartialLens);
    }
    if (isIndexing_ && isIndexing_()) {
        notices.push_back(Notice::StillIndexing);
    }
    set.request = request_;
    set.mode = prompt_.mode;
    set.spoken = std::move(spoken);
    set.notices = std::move(notices);
    set.stages = std::move(stages);
    set.totalMs = milliseconds(end - begin_);
    set.pack = context_.pack->info().id;
    set.device = context_.pack->info().device;
    return std::make_shared<const ResultSet>(std::move(set));
}

}  // namespace bifocal
