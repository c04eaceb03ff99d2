// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/dispatch_peers.h"

#include <latch>
#include <random>
#include <utility>

#ifdef BIFOCAL_HAS_TBB
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

namespace bifocal::cli {

MutexQueuePool::MutexQueuePool(std::size_t workerCount) {
    for (std::size_t i = 0; i < workerCount; ++i) {
        threads_.emplace_back([this] { serve(); });
    }
}

MutexQueuePool::~MutexQueuePool() {
    {
        const std::lock_guard lock(mutex_);
        isStopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void MutexQueuePool::enqueue(std::uint64_t key, const std::function<void()>& work) {
    bool somebodySleeps = false;
    {
        const std::lock_guard lock(mutex_);
        queue_.push({key, ++lastSequence_, &work});
        somebodySleeps = idleCount_ > 0;
    }
    if (somebodySleeps) {
        changed_.notify_one();
    }
}

void MutexQueuePool::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idleCount_;
        changed_.wait(lock, [this] { return isStopping_ || !queue_.empty(); });
        --idleCount_;
        if (queue_.empty()) {
            return;
        }
        const std::function<void()>& work = *queue_.top().work;
        queue_.pop();
        lock.unlock();
        work();
        lock.lock();
    }
}

std::vector<double> timeMutexQueue(std::span<const std::uint64_t> keys,
                                   std::size_t workerCount,
                                   std::size_t rounds) {
    MutexQueuePool pool(workerCount);
    std::vector<double> times;
    for (std::size_t round = 0; round <= rounds; ++round) {
        std::latch over(static_cast<std::ptrdiff_t>(keys.size()));
        const std::function<void()> work = [&over] { over.count_down(); };
        const TimePoint begin = SteadyClock().now();
        for (const std::uint64_t key : keys) {
            pool.enqueue(key, work);
        }
        over.wait();
        if (round > 0) {
            times.push_back(nanosecondsEach(begin, keys.size()));
        }
    }
    return times;
}

#ifdef BIFOCAL_HAS_TBB
std::vector<double> timeTbbArena(std::size_t taskCount,
                                 std::size_t workerCount,
                                 std::size_t rounds) {
    // Without this there are as many workers as cores, less the one of this thread.
    const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism,
                                          workerCount + 1);
    tbb::task_arena arena(static_cast<int>(workerCount), 0);
    std::vector<double> times;
    for (std::size_t round = 0; round <= rounds; ++round) {
        std::latch over(static_cast<std::ptrdiff_t>(taskCount));
        const TimePoint begin = SteadyClock().now();
        for (std::size_t i = 0; i < taskCount; ++i) {
            arena.enqueue([&over] { over.count_down(); });
        }
        over.wait();
        if (round > 0) {
            times.push_back(nanosecondsEach(begin, taskCount));
        }
    }
    return times;
}
#else
std::vector<double> timeTbbArena(std::size_t /*taskCount*/,
                                 std::size_t /*workerCount*/,
                                 std::size_t /*rounds*/) {
    return {};
}
#endif

double timeMutexQueueOperations(std::span<const std::uint64_t> keys, std::size_t operationCount) {
    using Entry = std::pair<std::uint64_t, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::mutex mutex;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        queue.emplace(keys[i], static_cast<std::uint32_t>(i));
    }
    std::mt19937_64 random(2);
    const TimePoint begin = SteadyClock().now();
    for (std::size_t i = 0; i < operationCount; ++i) {
        Entry entry;
        {
            const std::lock_guard lock(mutex);
            entry = queue.top();
            queue.pop();
        }
        entry.first = random();
        const std::lock_guard lock(mutex);
        queue.push(entry);
    }
    return nanosecondsEach(begin, operationCount);
}

double nanosecondsEach(TimePoint begin, std::size_t count) {
    return static_cast<double>((SteadyClock().now() - begin).count()) / static_cast<double>(count);
}

}  // namespace bifocal::cli
