// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/tracer.h"
#include "core/schedule/scheduler.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::schedule {

/// A worker for everything.
inline constexpr WorkerConfig kAnyClass{Urgency::Interactive, Urgency::Batch, 0};

/// What happened, in order; a test waits for a number of entries, never for a time. Threads: safe.
class EventLog {
public:
    void add(std::string event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(event));
        grown_.notify_all();
    }
    std::vector<std::string> waitFor(std::size_t count) {
        std::unique_lock lock(mutex_);
        grown_.wait(lock, [&] { return events_.size() >= count; });
        return events_;
    }
    std::vector<std::string> now() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable grown_;
    std::vector<std::string> events_;
};

/// Work that writes "name" when run, "name cancelled" or "name shutdown" when abandoned.
inline std::shared_ptr<Work> makeLogged(EventLog& log, const std::string& name) {
    return makeWork([&log, name](const WorkerContext&) { log.add(name); },
                    [&log, name](Abandoned why) {
                        log.add(name + (why == Abandoned::Shutdown ? " shutdown" : " cancelled"));
                    });
}

/// Holds a worker: work() runs until open() is called. The work may outlive the gate.
/// Threads: safe.
class Gate {
public:
    std::shared_ptr<Work> work() {
        return makeWork(
            [state = state_](const WorkerContext&) {
                state->entered.release();
                state->opened.acquire();
            },
            {});
    }
    void waitUntilEntered() { state_->entered.acquire(); }
    void open() { state_->opened.release(); }

private:
    struct State {
        std::counting_semaphore<> entered{0};
        std::counting_semaphore<> opened{0};
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Keeps every span. Threads: safe.
class SpanLog final : public Tracer {
public:
    void record(const Span& span) override {
        const std::lock_guard lock(mutex_);
        spans_.push_back(span);
    }
    std::vector<Span> spans() const {
        const std::lock_guard lock(mutex_);
        return spans_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Span> spans_;
};

}  // namespace bifocal::schedule
