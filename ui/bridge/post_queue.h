// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace bifocal::ui {

/// Brings calls from any thread to the thread of Qt, in order, through one queue that is swapped
/// out under its lock and run outside it. Calls that are queued when the queue is closed are
/// dropped: whoever owns what they touch closes it first.
/// Threads: safe; close() and the calls themselves: gui.
/// Invariants: (1) receiver_ is null exactly when closed; (2) a wake-up event is on its way exactly
/// while calls_ is not empty.
class PostQueue final {
public:
    using Call = std::function<void()>;

    static std::shared_ptr<PostQueue> make();
    ~PostQueue();
    PostQueue(const PostQueue&) = delete;
    PostQueue& operator=(const PostQueue&) = delete;

    void post(Call call);
    /// No call runs after this returns.
    void close();

private:
    class Receiver;

    PostQueue();
    void drain();

    std::mutex mutex_;
    std::vector<Call> calls_;
    Receiver* receiver_;
};

}  // namespace bifocal::ui
