// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/pipeline/results.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace bifocal {

enum class PromptEventKind : std::uint8_t {
    Accepted = 1,
    Stage,      ///< a stage began
    Partial,    ///< an answer from the faster branch; a later one replaces it
    Done,       ///< terminal
    Failed,     ///< terminal
    Cancelled,  ///< terminal; also when superseded
};

/// Events of one prompt, in order, with sequence numbers from 1; exactly one is terminal and it is
/// the last. A number may be missing where a newer partial answer replaced one that had not been
/// delivered yet. Threads: value.
struct PromptEvent {
    RequestId request;
    PromptEventKind kind = PromptEventKind::Accepted;
    std::uint32_t sequence = 0;
    const char* stage = "";                    ///< with Stage
    std::shared_ptr<const ResultSet> results;  ///< with Partial and Done
    std::optional<Error> error;                ///< with Failed

    bool isTerminal() const { return kind >= PromptEventKind::Done; }
};

/// Called on the engine's threads (a Cancelled event also inside cancel(), or inside the submit()
/// that supersedes it), never from inside the call that registered it, never two at once for one
/// request; must return soon and must not destroy the engine.
using PromptHandler = std::function<void(const PromptEvent&)>;

/// Delivers one prompt's events in order, whatever thread they come from, with no lock held.
/// Invariants: (1) one delivery at a time; (2) nothing after the terminal event; (3) an undelivered
/// partial answer gives way to a newer one.
/// Threads: safe.
class PromptChannel {
public:
    /// `beforeTerminal` runs once, just before the handler gets the terminal event: who hears of
    /// the end finds everything settled.
    PromptChannel(RequestId request, PromptHandler handler, std::function<void()> beforeTerminal);

    /// Sends Accepted on the first call, nothing later.
    void accept();
    void stage(const char* name);
    void partial(std::shared_ptr<const ResultSet> results);
    /// One of these ends the prompt; false when it had ended already.
    bool finish(std::shared_ptr<const ResultSet> results);
    bool fail(Error error);  ///< a Cancelled error becomes the Cancelled event
    bool isOver() const;
    /// Ends it without any event: for a submit that failed.
    void close();

private:
    bool post(PromptEvent event);
    void deliver();

    mutable std::mutex mutex_;
    const RequestId request_;
    const PromptHandler handler_;
    const std::function<void()> beforeTerminal_;
    std::deque<PromptEvent> pending_;
    std::uint32_t sequence_ = 0;
    bool accepted_ = false;
    bool over_ = false;        ///< a terminal event has been posted
    bool delivering_ = false;  ///< some thread is in deliver()
};

}  // namespace bifocal
