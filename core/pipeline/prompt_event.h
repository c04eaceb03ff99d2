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

/// Called on the engine's threads for events (a prompt that ends before it could begin: inside the
/// call that ends it), never from inside the call that registered it, never two at once for one
/// request. One that is slow delays no work, but other handlers; it must not destroy the engine.
using PromptHandler = std::function<void(const PromptEvent&)>;

/// Delivers one prompt's events in order, whatever thread they come from, with no lock held: inside
/// the call that sends them, or, with a `summon`, when deliver() is called.
/// Invariants: (1) one delivery at a time; (2) nothing after the terminal event; (3) an undelivered
/// partial answer gives way to a newer one.
/// Threads: safe.
class PromptChannel {
public:
    /// `beforeTerminal` runs once, just before the handler gets the terminal event: who hears of
    /// the end finds everything settled. `summon` sees to it that deliver() is called soon, and
    /// must not call it itself.
    PromptChannel(RequestId request,
                  PromptHandler handler,
                  std::function<void()> beforeTerminal,
                  std::function<void()> summon = {});

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
    /// Calls the handler for what is pending. Once for each summons.
    void deliver();

private:
    bool post(PromptEvent event);

    mutable std::mutex mutex_;
    const RequestId request_;
    const PromptHandler handler_;
    const std::function<void()> beforeTerminal_;
    const std::function<void()> summon_;
    std::deque<PromptEvent> pending_;
    std::uint32_t sequence_ = 0;
    bool accepted_ = false;
    bool over_ = false;        ///< a terminal event has been posted
    bool delivering_ = false;  ///< some thread is in deliver(), or was summoned
};

}  // namespace bifocal
