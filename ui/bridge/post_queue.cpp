// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/post_queue.h"

#include <QCoreApplication>
#include <QEvent>

#include <utility>

namespace bifocal::ui {

/// Lives on Qt's thread and answers the wake-up event.
class PostQueue::Receiver final : public QObject {
public:
    void attach(std::weak_ptr<PostQueue> queue) { queue_ = std::move(queue); }

    static QEvent::Type wakeUp() {
        static const auto type = static_cast<QEvent::Type>(QEvent::registerEventType());
        return type;
    }

    bool event(QEvent* event) override {
        if (event->type() != wakeUp()) {
            return QObject::event(event);
        }
        // Kept for the call: what runs may drop the last other reference.
        if (const std::shared_ptr<PostQueue> queue = queue_.lock()) {
            queue->drain();
        }
        return true;
    }

private:
    std::weak_ptr<PostQueue> queue_;
};

std::shared_ptr<PostQueue> PostQueue::make() {
    std::shared_ptr<PostQueue> queue(new PostQueue());
    queue->receiver_->attach(queue);
    return queue;
}

PostQueue::PostQueue() : receiver_(new Receiver()) {}

PostQueue::~PostQueue() {
    if (receiver_ != nullptr) {
        receiver_->deleteLater();  // the last reference may go on any thread
    }
}

void PostQueue::post(Call call) {
    const std::lock_guard lock(mutex_);
    if (receiver_ == nullptr) {
        return;
    }
    calls_.push_back(std::move(call));
    if (calls_.size() == 1) {
        // Under the lock on purpose: close() must not free the receiver in between.
        QCoreApplication::postEvent(receiver_, new QEvent(Receiver::wakeUp()));
    }
}

void PostQueue::close() {
    const std::lock_guard lock(mutex_);
    if (receiver_ != nullptr) {
        receiver_->deleteLater();  // it may be inside event() right now
        receiver_ = nullptr;
        calls_.clear();
    }
}

void PostQueue::drain() {
    std::vector<Call> calls;
    {
        const std::lock_guard lock(mutex_);
        calls.swap(calls_);
    }
    for (const Call& call : calls) {
        {
            const std::lock_guard lock(mutex_);
            if (receiver_ == nullptr) {
                return;
            }
        }
        call();
    }
}

}  // namespace bifocal::ui
