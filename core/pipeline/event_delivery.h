// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bifocal {

/// The threads that call those who wait for events: a slow one costs no lane any time, and with two
/// threads it does not keep the events of the others back either.
/// Threads: safe. The destructor makes the calls that are left, and joins.
class EventDelivery {
public:
    explicit EventDelivery(std::size_t threadCount);
    EventDelivery(const EventDelivery&) = delete;
    EventDelivery& operator=(const EventDelivery&) = delete;
    ~EventDelivery();

    /// Calls it soon, on one of the threads; never blocks.
    void post(std::function<void()> call);

private:
    void serve();

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::deque<std::function<void()>> calls_;
    bool isClosing_ = false;
    std::vector<std::jthread> threads_;
};

}  // namespace bifocal
