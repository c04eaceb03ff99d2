// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/event_delivery.h"

#include "core/pipeline/prompt_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <vector>

namespace bifocal {
namespace {

TEST(EventDeliveryTest, ASlowCallDoesNotKeepTheOthersBack) {
    std::latch released(1);
    std::latch others(10);
    EventDelivery delivery(2);
    delivery.post([&] { released.wait(); });
    for (int i = 0; i < 10; ++i) {
        delivery.post([&] { others.count_down(); });
    }
    others.wait();
    released.count_down();
}

TEST(EventDeliveryTest, TheDestructorMakesTheCallsThatAreLeft) {
    std::atomic<int> count{0};
    {
        std::latch released(1);
        EventDelivery delivery(1);
        delivery.post([&] { released.wait(); });
        for (int i = 0; i < 10; ++i) {
            delivery.post([&] { ++count; });
        }
        released.count_down();
    }
    EXPECT_EQ(count.load(), 10);
}

TEST(PromptChannelSummonTest, NothingIsDeliveredBeforeDeliverIsCalledAndOneSummonsIsEnough) {
    int summonsCount = 0;
    std::vector<PromptEventKind> kinds;
    PromptChannel channel(
        {1},
        [&](const PromptEvent& event) { kinds.push_back(event.kind); },
        {},
        [&] { ++summonsCount; });
    channel.accept();
    channel.stage("decode");
    EXPECT_TRUE(channel.finish({}));
    EXPECT_TRUE(kinds.empty());
    EXPECT_EQ(summonsCount, 1);

    channel.deliver();

    EXPECT_THAT(kinds,
                ::testing::ElementsAre(
                    PromptEventKind::Accepted, PromptEventKind::Stage, PromptEventKind::Done));
}

}  // namespace
}  // namespace bifocal
