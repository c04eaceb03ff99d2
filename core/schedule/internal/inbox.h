// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/schedule/internal/class_arbiter.h"
#include "core/schedule/internal/task_slab.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace bifocal::schedule {

/// Where tasks are handed to a lane without waiting for what its workers are deciding: a producer
/// writes its task into a slot that was reserved for it, and the next who holds the lane's lock
/// takes it over. So the two sides touch each other's memory once for each task and not for each
/// step of the queue.
/// Invariants: (1) no allocation after construction; (2) the tasks handed in and those the lane has
/// ready are never more than its cap: room_ is what is left, and is only known better by the lane.
/// Threads: safe. The lane's lock may be held, the inbox calls nobody.
class Inbox {
public:
    using Counts = std::array<std::uint32_t, kClassCount>;  ///< by class

    /// A reserved slot; with a task in it once it was handed in.
    struct Ticket {
        QueuedTask* task = nullptr;
        std::uint32_t slot = 0;
        std::uint32_t generation = 0;
    };
    static constexpr std::size_t kMaxStock = 256;

    Inbox();

    /// The ticket of the task, which is handed in with its work. None: there is no stock or no room
    /// for its class, as far as is known here; the caller still has the work.
    std::optional<Ticket> tryPut(const TaskSpec& spec,
                                 std::shared_ptr<Work>& work,
                                 TimePoint enqueued);

    /// False at once for tasks that were handed in before something the caller has seen.
    bool isEmpty() const { return !hasTasks_.load(std::memory_order_acquire); }
    /// Exchanges `arrived`, which must be empty, for what was handed in, first one first. Returns
    /// the tickets that are missing from the stock.
    std::size_t take(std::vector<Ticket>& arrived);
    /// Adds tickets to the stock, of which the first is used first. `free`: how many more tasks the
    /// lane has room for.
    void restock(const std::vector<Ticket>& tickets, const Counts& free);
    /// Nothing can be handed in any more until it is restocked.
    void close();
    /// Tasks that were handed in and not taken.
    Counts counts() const;
    /// Tickets that the stock lacks.
    std::size_t missing() const;

private:
    alignas(64) mutable std::mutex mutex_;  // guards what follows
    Counts room_{};
    Counts counts_{};
    std::vector<Ticket> stock_;
    std::vector<Ticket> tasks_;
    std::atomic<bool> hasTasks_{false};  // whether tasks_ is not empty
};

}  // namespace bifocal::schedule
