// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/inbox.h"

#include "core/schedule/scheduler.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace bifocal::schedule {
namespace {

TaskSpec specOf(Urgency urgency, std::uint64_t request) {
    TaskSpec spec;
    spec.urgency = urgency;
    spec.request = RequestId{request};
    return spec;
}

class InboxTest : public ::testing::Test {
protected:
    void restock(std::size_t count, const Inbox::Counts& free) {
        std::vector<Inbox::Ticket> tickets;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t slot = slab_.reserve();
            tickets.push_back({&slab_.at(slot), slot, slab_.generationOf(slot)});
        }
        inbox_.restock(tickets, free);
    }
    bool put(Urgency urgency, std::uint64_t request) {
        std::shared_ptr<Work> work = makeWork({}, {});
        const bool isIn = inbox_.tryPut(specOf(urgency, request), work, TimePoint()).has_value();
        EXPECT_EQ(work == nullptr, isIn) << "the caller keeps what was refused";
        return isIn;
    }
    std::vector<std::uint64_t> take() {
        std::vector<Inbox::Ticket> arrived;
        inbox_.take(arrived);
        std::vector<std::uint64_t> requests;
        for (const Inbox::Ticket& ticket : arrived) {
            requests.push_back(ticket.task->spec.request.value);
        }
        return requests;
    }

    TaskSlab slab_;
    Inbox inbox_;
};

TEST_F(InboxTest, TasksComeOutInTheOrderInWhichTheyWereHandedIn) {
    EXPECT_TRUE(inbox_.isEmpty());
    restock(3, {10, 10, 10});
    EXPECT_TRUE(put(Urgency::Batch, 1));
    EXPECT_TRUE(put(Urgency::Interactive, 2));
    EXPECT_FALSE(inbox_.isEmpty());
    EXPECT_EQ(inbox_.counts(), (Inbox::Counts{1, 0, 1}));

    EXPECT_EQ(take(), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_TRUE(inbox_.isEmpty());
    EXPECT_EQ(inbox_.counts(), Inbox::Counts{});
}

TEST_F(InboxTest, RefusesWithoutStockAndWithoutRoomOfTheClass) {
    EXPECT_FALSE(put(Urgency::Batch, 1)) << "there is no stock";
    restock(3, {1, 0, 2});
    EXPECT_FALSE(put(Urgency::Prefetch, 2));
    EXPECT_TRUE(put(Urgency::Interactive, 3));
    EXPECT_FALSE(put(Urgency::Interactive, 4));
    EXPECT_TRUE(put(Urgency::Batch, 5));

    restock(0, {1, 1, 1});
    EXPECT_FALSE(put(Urgency::Interactive, 6)) << "what is in the inbox counts";
    EXPECT_TRUE(put(Urgency::Prefetch, 7));
    EXPECT_FALSE(put(Urgency::Batch, 8)) << "the stock is used up";
    EXPECT_EQ(inbox_.missing(), Inbox::kMaxStock - 3) << "three are in the inbox";
}

TEST_F(InboxTest, NothingGoesInOnceItIsClosed) {
    restock(3, {10, 10, 10});
    EXPECT_TRUE(put(Urgency::Batch, 1));
    inbox_.close();

    EXPECT_FALSE(put(Urgency::Batch, 2));
    EXPECT_EQ(take(), (std::vector<std::uint64_t>{1}));
}

TEST_F(InboxTest, NoTaskIsLostBetweenProducersAndTheLane) {
    constexpr std::uint64_t kEach = 2000;
    const Inbox::Counts free{100'000, 100'000, 100'000};
    const auto produce = [this](std::uint64_t first) {
        for (std::uint64_t i = 0; i < kEach; ++i) {
            std::shared_ptr<Work> none;
            while (!inbox_.tryPut(specOf(Urgency::Batch, first + i), none, TimePoint())) {
                std::this_thread::yield();
            }
        }
    };
    std::thread one(produce, 0);
    std::thread two(produce, kEach);
    std::vector<std::uint64_t> next{0, kEach};
    std::vector<Inbox::Ticket> arrived;
    for (std::uint64_t count = 0; count < 2 * kEach; count += arrived.size()) {
        arrived.clear();
        const std::size_t missing = inbox_.take(arrived);
        for (const Inbox::Ticket& ticket : arrived) {
            const std::uint64_t request = ticket.task->spec.request.value;
            EXPECT_EQ(request, next[request / kEach]++) << "in the order of its producer";
            slab_.queue(ticket.slot);
            slab_.remove(ticket.slot);
        }
        restock(missing, free);
    }
    one.join();
    two.join();
    EXPECT_TRUE(inbox_.isEmpty());
}

}  // namespace
}  // namespace bifocal::schedule
