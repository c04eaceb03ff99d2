// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/pipeline/context.h"
#include "core/pipeline/prompt_event.h"
#include "core/pipeline/results.h"
#include "core/prompt/prompt.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal {

/// One prompt on its way through the graph:
///
///     (pool recognize →) text lane encode_text ─┐
///                                               ├── pool: search (fuse, exact top-k, rank) → Done
///     pool decode → image lane encode_image ────┘
///
/// What is said is recognised first and goes behind what was typed. Silence is as if nothing had
/// been said: InvalidArgument when there is neither text nor picture.
/// Both branches run at the same time; when the faster one is done and the other is not, its own
/// search gives a partial answer.
/// Invariants: (1) every accepted run ends in exactly one terminal event; (2) after it no task of
/// the run does work.
/// Threads: safe. Kept alive by its own tasks.
class PromptRun : public std::enable_shared_from_this<PromptRun> {
public:
    PromptRun(const PipelineContext& context,
              RequestId request,
              NormalizedPrompt prompt,
              PromptHandler handler,
              std::function<void(profile::Outcome)> onEnd);

    /// Queues the first stages. On failure nothing was and will be delivered, and onEnd is not
    /// called.
    Result<void> start();

    /// Asks it to stop; the Cancelled event follows, at the latest at the end of the stage that
    /// runs.
    void cancel(profile::Outcome outcome);

    /// `isIndexing` tells whether answers may miss pictures that are being indexed.
    void setStillIndexing(std::function<bool()> isIndexing) { isIndexing_ = std::move(isIndexing); }

private:
    enum class Branch : std::uint8_t { Text = 1, Image };

    struct PromptImage {
        ImageBuffer pixels;  ///< the region alone
        std::optional<ContentKey> content;
        std::uint64_t perceptualHash = 0;
    };

    /// One task: what it does, and what follows once its time has been noted.
    struct Step {
        const char* stage;
        schedule::LaneId lane;
        Result<void> (PromptRun::*run)(const schedule::WorkerContext&);
        Result<void> (PromptRun::*next)();
    };

    Result<void> enqueue(const Step& step);
    void runStep(const Step& step, const schedule::WorkerContext& worker);
    Result<void> recognize(const schedule::WorkerContext& worker);
    Result<void> queueTextEncoder();
    Result<void> encodeText(const schedule::WorkerContext& worker);
    Result<void> encodeNegatives(TextEncoder& encoder);
    Result<void> decodeImage(const schedule::WorkerContext& worker);
    Result<void> encodeImage(const schedule::WorkerContext& worker);
    Result<void> searchPartially(const schedule::WorkerContext& worker);
    Result<void> searchFinally(const schedule::WorkerContext& worker);
    Result<void> queueImageEncoder();
    Result<void> finishText() { return finishBranch(Branch::Text); }
    Result<void> finishImage() { return finishBranch(Branch::Image); }
    Result<void> finishBranch(Branch branch);
    Result<std::shared_ptr<const ResultSet>> answer(bool isFinal);
    bool showsPromptImage(const FileRecord& file) const;
    void end(Error error);
    void addNotice(Notice notice);
    std::string words();
    bool hasText() const { return prompt_.mode != PromptMode::ImageOnly; }
    bool hasImage() const { return prompt_.mode != PromptMode::TextOnly; }

    const PipelineContext& context_;
    const RequestId request_;
    const NormalizedPrompt prompt_;
    const TimePoint begin_;
    std::function<bool()> isIndexing_;
    std::stop_source stop_;
    PromptChannel channel_;

    std::mutex mutex_;  ///< guards everything below
    profile::Outcome outcome_ = profile::Outcome::Done;
    int branchesLeft_ = 0;
    std::string spoken_;
    std::vector<float> textRow_;
    std::vector<float> imageRow_;
    std::vector<std::vector<float>> negativeRows_;
    std::vector<Notice> notices_;
    std::vector<StageTime> stages_;
    PromptImage image_;  ///< written by the image branch alone, read once imageRow_ is there
};

}  // namespace bifocal
