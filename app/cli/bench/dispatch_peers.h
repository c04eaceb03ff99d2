// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

#include <queue>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

namespace bifocal::cli {

/// What anybody would write first: threads around a std::priority_queue with a mutex and a
/// condition. Runs the smallest key first, equal ones by arrival; has no classes, no cancelling and
/// no memory. Threads: safe. The destructor runs what is queued and joins.
class MutexQueuePool {
public:
    explicit MutexQueuePool(std::size_t workerCount);
    MutexQueuePool(const MutexQueuePool&) = delete;
    MutexQueuePool& operator=(const MutexQueuePool&) = delete;
    ~MutexQueuePool();

    /// `work` must outlive its run.
    void enqueue(std::uint64_t key, const std::function<void()>& work);

private:
    struct Entry {
        std::uint64_t key = 0;
        std::uint64_t sequence = 0;
        const std::function<void()>* work = nullptr;

        bool operator>(const Entry& other) const {
            return std::tie(key, sequence) > std::tie(other.key, other.sequence);
        }
    };

    void serve();

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
    std::uint64_t lastSequence_ = 0;
    std::size_t idleCount_ = 0;
    bool isStopping_ = false;
    std::vector<std::thread> threads_;
};

/// Nanoseconds per task of each of `rounds` passes of empty tasks with these keys, after one pass
/// to warm up; enqueued by this thread. Threads: compatible.
std::vector<double> timeMutexQueue(std::span<const std::uint64_t> keys,
                                   std::size_t workerCount,
                                   std::size_t rounds);

/// The same number of empty tasks in an arena of oneTBB, which knows no order among them; empty
/// when this build has no oneTBB. Threads: compatible.
std::vector<double> timeTbbArena(std::size_t taskCount,
                                 std::size_t workerCount,
                                 std::size_t rounds);

/// Nanoseconds per pop and push of a std::priority_queue of these keys with a mutex around both.
double timeMutexQueueOperations(std::span<const std::uint64_t> keys, std::size_t operationCount);

/// Nanoseconds since `begin`, by `count`.
double nanosecondsEach(TimePoint begin, std::size_t count);

}  // namespace bifocal::cli
