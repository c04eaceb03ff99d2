// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/engine.h"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

namespace bifocal::cli {

/// Turns SIGINT and SIGTERM into the cancellation of one request; while there is none to cancel the
/// program ends at once (nothing is half done then). Make it before any other thread.
/// Threads: safe.
class Interrupt {
public:
    /// `farewell` goes to standard output when the program ends at once.
    explicit Interrupt(std::string farewell);
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// `engine` must outlive this object's use of it: call before requests are named.
    void watch(Engine& engine);
    void cancels(RequestId request);
    /// Number of the signal that came last; 0: none did.
    int lastSignal() const { return lastSignal_; }

private:
    void wait();

    const std::string farewell_;
    std::mutex mutex_;  ///< guards the next two
    Engine* engine_ = nullptr;
    RequestId request_;
    std::atomic<bool> isOver_{false};
    std::atomic<int> lastSignal_{0};
    std::thread thread_;
};

}  // namespace bifocal::cli
