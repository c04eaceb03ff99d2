// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/inbox.h"

#include "core/base/assert.h"
#include "core/schedule/internal/lock_soon.h"

#include <algorithm>
#include <utility>

namespace bifocal::schedule {

Inbox::Inbox() {
    stock_.reserve(kMaxStock);
    tasks_.reserve(kMaxStock);
}

std::optional<Inbox::Ticket> Inbox::tryPut(const TaskSpec& spec,
                                           std::shared_ptr<Work>& work,
                                           TimePoint enqueued) {
    const std::size_t cls = static_cast<std::size_t>(spec.urgency) - 1;
    const auto lock = lockSoon(mutex_);
    if (stock_.empty() || room_[cls] == 0) {
        return std::nullopt;
    }
    const Ticket ticket = stock_.back();
    stock_.pop_back();
    if (!stock_.empty()) {
        stock_.back().task->fetch();
    }
    ticket.task->fill(spec, work, enqueued);
    tasks_.push_back(ticket);
    --room_[cls];
    ++counts_[cls];
    hasTasks_.store(true, std::memory_order_release);
    return ticket;
}

std::size_t Inbox::take(std::vector<Ticket>& arrived) {
    BIFOCAL_ASSERT(arrived.empty());
    const auto lock = lockSoon(mutex_);
    std::swap(tasks_, arrived);
    counts_ = {};
    hasTasks_.store(false, std::memory_order_release);
    return kMaxStock - stock_.size();
}

std::size_t Inbox::missing() const {
    const std::lock_guard lock(mutex_);
    return kMaxStock - stock_.size() - tasks_.size();
}

void Inbox::restock(const std::vector<Ticket>& tickets, const Counts& free) {
    const std::lock_guard lock(mutex_);
    BIFOCAL_ASSERT(stock_.size() + tasks_.size() + tickets.size() <= kMaxStock);
    stock_.insert(stock_.end(), tickets.rbegin(), tickets.rend());
    for (std::size_t cls = 0; cls < kClassCount; ++cls) {
        room_[cls] = free[cls] - std::min(free[cls], counts_[cls]);
    }
}

void Inbox::close() {
    const std::lock_guard lock(mutex_);
    stock_.clear();
}

Inbox::Counts Inbox::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

}  // namespace bifocal::schedule
