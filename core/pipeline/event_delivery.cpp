// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/event_delivery.h"

#include <utility>

namespace bifocal {

EventDelivery::EventDelivery(std::size_t threadCount) {
    for (std::size_t i = 0; i < threadCount; ++i) {
        threads_.emplace_back([this] { serve(); });
    }
}

EventDelivery::~EventDelivery() {
    {
        const std::lock_guard lock(mutex_);
        isClosing_ = true;
    }
    changed_.notify_all();
    threads_.clear();
}

void EventDelivery::post(std::function<void()> call) {
    {
        const std::lock_guard lock(mutex_);
        calls_.push_back(std::move(call));
    }
    changed_.notify_one();
}

void EventDelivery::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return isClosing_ || !calls_.empty(); });
        if (calls_.empty()) {
            return;
        }
        std::function<void()> call = std::move(calls_.front());
        calls_.pop_front();
        lock.unlock();
        call();
        call = nullptr;  // what it keeps alive goes with no lock held
        lock.lock();
    }
}

}  // namespace bifocal
