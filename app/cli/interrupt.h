// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/engine.h"

#include <atomic>
#include <mutex>
#include <thread>

namespace bifocal::cli {

/// Turns SIGINT and SIGTERM into the cancellation of one request; while there is none to cancel the
/// program ends at once (nothing is half done then). Make it before any other thread.
/// Threads: safe.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    /// `engine` must outlive this object's use of it: call before requests are named.
    void watch(Engine& engine);
    void cancels(RequestId request);

private:
    void wait();

    std::mutex mutex_;  ///< guards the next two
    Engine* engine_ = nullptr;
    RequestId request_;
    std::atomic<bool> isOver_{false};
    std::thread thread_;
};

}  // namespace bifocal::cli
