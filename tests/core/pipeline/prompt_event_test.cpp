// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/prompt_event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace bifocal {
namespace {

std::shared_ptr<const ResultSet> answerOf(std::uint64_t searched) {
    ResultSet set;
    set.searchedCount = searched;
    return std::make_shared<const ResultSet>(std::move(set));
}

TEST(PromptChannel, DeliversInOrderAndStopsAtTheTerminalEvent) {
    std::vector<PromptEvent> events;
    int ends = 0;
    PromptChannel channel(
        {7}, [&](const PromptEvent& event) { events.push_back(event); }, [&] { ++ends; });
    channel.accept();
    channel.accept();
    channel.stage("decode");
    channel.partial(answerOf(1));
    EXPECT_TRUE(channel.finish(answerOf(2)));
    EXPECT_FALSE(channel.finish(answerOf(3)));
    EXPECT_FALSE(channel.fail({ErrorCode::Internal, "late"}));
    channel.stage("late");
    ASSERT_EQ(events.size(), 4U);
    EXPECT_EQ(events[0].kind, PromptEventKind::Accepted);
    EXPECT_EQ(events[3].kind, PromptEventKind::Done);
    EXPECT_EQ(events[3].results->searchedCount, 2U);
    EXPECT_EQ(events[3].request, RequestId{7});
    EXPECT_EQ(events[3].sequence, 4U);
    EXPECT_EQ(ends, 1);
}

TEST(PromptChannel, ACancelledErrorIsTheCancelledEvent) {
    std::vector<PromptEventKind> kinds;
    PromptChannel channel({1}, [&](const PromptEvent& event) { kinds.push_back(event.kind); }, {});
    EXPECT_TRUE(channel.fail({ErrorCode::Cancelled, "stopped"}));
    EXPECT_EQ(kinds, std::vector{PromptEventKind::Cancelled});
}

TEST(PromptChannel, CloseIsSilent) {
    int calls = 0;
    PromptChannel channel(
        {1}, [&](const PromptEvent&) { ++calls; }, [&] { ++calls; });
    channel.close();
    EXPECT_FALSE(channel.finish(answerOf(1)));
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(channel.isOver());
}

TEST(PromptChannel, AnUndeliveredPartialGivesWayToANewerOne) {
    std::vector<std::uint64_t> partials;
    PromptChannel* self = nullptr;
    PromptChannel channel(
        {1},
        [&](const PromptEvent& event) {
            if (event.kind ==
                PromptEventKind::Stage) {  // a slow subscriber: more arrives meanwhile
                self->partial(answerOf(1));
                self->partial(answerOf(2));
                self->partial(answerOf(3));
            } else if (event.kind == PromptEventKind::Partial) {
                partials.push_back(event.results->searchedCount);
            }
        },
        {});
    self = &channel;
    channel.stage("search");
    EXPECT_EQ(partials, std::vector<std::uint64_t>{3});
}

TEST(PromptChannel, ManyThreadsGiveOneTerminalEventAndNoOverlap) {
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> inside{0};
        std::atomic<int> terminals{0};
        std::atomic<int> ends{0};
        std::atomic<bool> overlapped{false};
        PromptChannel channel(
            {1},
            [&](const PromptEvent& event) {
                overlapped = overlapped || ++inside != 1;
                terminals += event.isTerminal() ? 1 : 0;
                --inside;
            },
            [&] { ++ends; });
        std::latch start(4);
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                start.arrive_and_wait();
                channel.accept();
                channel.partial(answerOf(1));
                if (i % 2 == 0) {
                    channel.finish(answerOf(2));
                } else {
                    channel.fail({ErrorCode::Internal, "fault"});
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        EXPECT_EQ(terminals, 1);
        EXPECT_EQ(ends, 1);
        EXPECT_FALSE(overlapped);
    }
}

}  // namespace
}  // namespace bifocal
