// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/prompt_event.h"

#include <utility>

namespace bifocal {

PromptChannel::PromptChannel(RequestId request,
                             PromptHandler handler,
                             std::function<void()> beforeTerminal,
                             std::function<void()> summon)
    : request_(request),
      handler_(std::move(handler)),
      beforeTerminal_(std::move(beforeTerminal)),
      summon_(std::move(summon)) {}

void PromptChannel::accept() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(accepted_, true)) {
            return;
        }
    }
    post({.kind = PromptEventKind::Accepted});
}

void PromptChannel::stage(const char* name) {
    post({.kind = PromptEventKind::Stage, .stage = name});
}

void PromptChannel::partial(std::shared_ptr<const ResultSet> results) {
    post({.kind = PromptEventKind::Partial, .results = std::move(results)});
}

bool PromptChannel::finish(std::shared_ptr<const ResultSet> results) {
    return post({.kind = PromptEventKind::Done, .results = std::move(results)});
}

bool PromptChannel::fail(Error error) {
    if (error.code == ErrorCode::Cancelled) {
        return post({.kind = PromptEventKind::Cancelled});
    }
    return post({.kind = PromptEventKind::Failed, .error = std::move(error)});
}

bool PromptChannel::isOver() const {
    const std::lock_guard lock(mutex_);
    return over_;
}

void PromptChannel::close() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    pending_.clear();
}

bool PromptChannel::post(PromptEvent event) {
    {
        const std::lock_guard lock(mutex_);
        if (over_) {
            return false;
        }
        event.request = request_;
        event.sequence = ++sequence_;
        over_ = event.isTerminal();
        if (event.kind == PromptEventKind::Partial) {
            std::erase_if(pending_, [](const PromptEvent& older) {
                return older.kind == PromptEventKind::Partial;
            });
        }
        pending_.push_back(std::move(event));
        if (std::exchange(delivering_, true)) {
            return true;  // the thread in deliver() takes it
        }
    }
    if (summon_) {
        summon_();
    } else {
        deliver();
    }
    return true;
}

void PromptChannel::deliver() {
    for (;;) {
        PromptEvent event;
        {
            const std::lock_guard lock(mutex_);
            if (pending_.empty()) {
                delivering_ = false;
                return;
            }
            event = std::move(pending_.front());
            pending_.pop_front();
        }
        if (event.isTerminal() && beforeTerminal_) {
            beforeTerminal_();
        }
        handler_(event);
        if (event.isTerminal()) {
            return;  // nothing can follow: delivering_ stays set on purpose
        }
    }
}

}  // namespace bifocal
