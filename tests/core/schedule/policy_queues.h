// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/schedule/internal/indexed_heap.h"
#include "core/schedule/policy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace bifocal::schedule {

/// A task of a trace, named by its place in the order of arrival. Threads: value.
struct Arrival {
    TaskSpec task;
    TimePoint time;
};

inline constexpr std::array kAllUrgencies = {
    Urgency::Interactive, Urgency::Prefetch, Urgency::Batch};

/// The queues of a lane with a policy and nothing else: one device, no joined runs, no share.
/// Threads: compatible.
class PolicyQueues {
public:
    explicit PolicyQueues(Policy& policy)
        : policy_(policy), heaps_(kAllUrgencies.size() * policy.queueCount()) {}

    /// Name of the new task.
    std::size_t add(const TaskSpec& task, TimePoint now) {
        const std::size_t name = arrivals_.size();
        arrivals_.push_back({task, now});
        heapOf(name).push({policy_.key(task, now), name, static_cast<std::uint32_t>(name)});
        ++size_;
        return name;
    }
    bool isEmpty() const { return size_ == 0; }
    const Arrival& at(std::size_t name) const { return arrivals_[name]; }

    /// The task to serve at `now`; none when none may begin.
    std::optional<std::size_t> first(TimePoint now) const {
        std::optional<QueueHead> best;
        for (std::size_t index = 0; index < heaps_.size(); ++index) {
            if (index % policy_.queueCount() == 0 && best &&
                policy_.classOrder() != ClassOrder::Ignored) {
                break;  // a more urgent class has one
            }
            const Urgency urgency = kAllUrgencies[index / policy_.queueCount()];
            if (heaps_[index].isEmpty() || policy_.mayBeginAt(urgency, now) > now) {
                continue;
            }
            const IndexedHeap::Entry& top = heaps_[index].top();
            const QueueHead head{top.key, top.sequence, index % policy_.queueCount()};
            if (!best || policy_.goesBefore(head, *best, now)) {
                best = head;
            }
        }
        return best ? std::optional<std::size_t>(best->sequence) : std::nullopt;
    }
    void dispatch(std::size_t name, TimePoint now) {
        erase(name);
        policy_.onDispatch(arrivals_[name].task, now - arrivals_[name].time, now);
    }
    /// Removes a task that was cancelled.
    void erase(std::size_t name) {
        heapOf(name).erase(static_cast<std::uint32_t>(name));
        --size_;
    }

private:
    IndexedHeap& heapOf(std::size_t name) {
        const TaskSpec& task = arrivals_[name].task;
        const std::size_t cls = static_cast<std::size_t>(task.urgency) - 1;
        return heaps_[cls * policy_.queueCount() + policy_.queueOf(task)];
    }

    Policy& policy_;
    std::vector<IndexedHeap> heaps_;  // by class, then queue of the policy
    std::vector<Arrival> arrivals_;
    std::size_t size_ = 0;
};

/// A number below `end`, which is above zero.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t end) {
    return random() % end;
}

inline Duration durationBelow(std::mt19937_64& random, Duration end) {
    return Duration(
        static_cast<Duration::rep>(below(random, static_cast<std::uint64_t>(end.count()))));
}

/// A class, what the prompt is made of, a cost; a deadline for one in four.
inline TaskSpec randomTask(std::mt19937_64& random, TimePoint now) {
    TaskSpec task;
    task.urgency = kAllUrgencies[below(random, kAllUrgencies.size())];
    task.features = {.hasText = below(random, 2) == 0,
                     .hasImage = below(random, 3) == 0,
                     .hasVideo = below(random, 5) == 0,
                     .hasSpeech = below(random, 5) == 0};
    task.predictedCost = std::chrono::milliseconds(below(random, 8));
    if (below(random, 4) == 0) {
        task.deadline =
            now + durationBelow(random, std::chrono::seconds(60)) - std::chrono::seconds(10);
    }
    return task;
}

/// What an order is, in the plainest form: asked with everything that waits. Threads: compatible.
class NaiveOrder {
public:
    NaiveOrder() = default;
    NaiveOrder(const NaiveOrder&) = delete;
    NaiveOrder& operator=(const NaiveOrder&) = delete;
    virtual ~NaiveOrder() = default;

    virtual void onArrival(std::size_t /*name*/, const Arrival& /*arrival*/) {}
    /// Which of `waiting`, in order of arrival and not empty, is served; none: nothing may begin.
    virtual std::optional<std::size_t> choose(std::span<const std::size_t> waiting,
                                              const PolicyQueues& queues,
                                              TimePoint now) = 0;
    virtual void onDispatch(const Arrival& /*arrival*/, TimePoint /*now*/) {}
};

/// Shape of a random trace. Threads: value.
struct TraceShape {
    std::size_t taskCount = 200;
    Duration longestStep{1};  ///< between two events; every other one has none
    TimePoint begin;
};

/// Number of the first event at which the queues serve other than the naive order; none: they agree
/// to the end, when all is served.
inline std::optional<std::size_t> firstDifference(Policy& policy,
                                                  NaiveOrder& naive,
                                                  const TraceShape& shape,
                                                  std::mt19937_64& random) {
    PolicyQueues queues(policy);
    std::vector<std::size_t> waiting;
    std::size_t arrivedCount = 0;
    TimePoint now = shape.begin;
    for (std::size_t event = 0; arrivedCount < shape.taskCount || !waiting.empty(); ++event) {
        if (below(random, 2) == 0) {
            now += durationBelow(random, shape.longestStep + Duration(1));
        }
        const std::uint64_t kind = below(random, 20);
        if (arrivedCount < shape.taskCount && (waiting.empty() || kind < 10)) {
            const std::size_t name = queues.add(randomTask(random, now), now);
            naive.onArrival(name, queues.at(name));
            waiting.push_back(name);
            ++arrivedCount;
        } else if (kind == 10) {
            const std::size_t name = waiting[below(random, waiting.size())];
            queues.erase(name);
            std::erase(waiting, name);
        } else {
            const std::optional<std::size_t> name = queues.first(now);
            if (name != naive.choose(waiting, queues, now)) {
                return event;
            }
            if (!name) {
                continue;
            }
            queues.dispatch(*name, now);
            naive.onDispatch(queues.at(*name), now);
            std::erase(waiting, *name);
        }
    }
    return std::nullopt;
}

}  // namespace bifocal::schedule
