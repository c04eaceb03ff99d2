// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/task_slab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace bifocal::schedule {
namespace {

TaskSpec specOf(std::uint64_t request, std::uint64_t bytes = 0) {
    TaskSpec spec;
    spec.request = RequestId{request};
    spec.bytes = bytes;
    return spec;
}

std::uint32_t insert(TaskSlab& slab, const TaskSpec& spec) {
    const std::uint32_t slot = slab.reserve();
    std::shared_ptr<Work> none;
    slab.at(slot).fill(spec, none, {});
    slab.queue(slot);
    return slot;
}

TEST(TaskSlabTest, AReservedSlotIsNotFound) {
    TaskSlab slab;
    const std::uint32_t slot = slab.reserve();

    EXPECT_FALSE(slab.contains(slot, slab.generationOf(slot)));
    EXPECT_TRUE(slab.allSlots().empty());
    EXPECT_EQ(slab.size(), 0U);
}

TEST(TaskSlabTest, ASlotIsUsedAgainWithAnotherGeneration) {
    TaskSlab slab;
    const std::uint32_t first = insert(slab, specOf(1, 11));
    const std::uint32_t firstGeneration = slab.generationOf(first);
    EXPECT_TRUE(slab.contains(first, firstGeneration));

    EXPECT_EQ(slab.remove(first).spec.bytes, 11U);
    const std::uint32_t second = insert(slab, specOf(2, 22));

    EXPECT_EQ(second, first);
    EXPECT_FALSE(slab.contains(first, firstGeneration));
    EXPECT_TRUE(slab.contains(second, slab.generationOf(second)));
    EXPECT_EQ(slab.at(second).spec.bytes, 22U);
}

TEST(TaskSlabTest, AnUnknownSlotHoldsNothing) {
    const TaskSlab slab;

    EXPECT_FALSE(slab.contains(0, 1));
    EXPECT_FALSE(slab.contains(UINT32_MAX, 1));
    EXPECT_TRUE(slab.slotsOf(RequestId{1}).empty());
}

TEST(TaskSlabTest, ATakenTaskIsNotFoundAndStaysWhereItIs) {
    TaskSlab slab;
    const std::uint32_t slot = insert(slab, specOf(1, 11));
    const std::uint32_t generation = slab.generationOf(slot);

    const QueuedTask& task = slab.take(slot);
    for (int i = 0; i < 1000; ++i) {
        insert(slab, specOf(2));
    }

    EXPECT_EQ(task.spec.bytes, 11U);
    EXPECT_EQ(&slab.at(slot), &task);
    EXPECT_FALSE(slab.contains(slot, generation));
    EXPECT_TRUE(slab.slotsOf(RequestId{1}).empty());
    EXPECT_EQ(slab.size(), 1000U);
    slab.free(slot);
    EXPECT_EQ(insert(slab, specOf(3)), slot);
    EXPECT_EQ(slab.allSlots().size(), 1001U);
}

TEST(TaskSlabTest, FindsTheTasksOfARequest) {
    std::mt19937 random(3);
    TaskSlab slab;
    std::map<std::uint32_t, std::uint64_t> model;  // slot → request
    for (int step = 0; step < 5000; ++step) {
        if (!model.empty() && random() % 2 == 0) {
            auto victim = model.begin();
            std::advance(victim, static_cast<std::ptrdiff_t>(random() % model.size()));
            ASSERT_EQ(slab.remove(victim->first).spec.request.value, victim->second);
            model.erase(victim);
        } else {
            const std::uint64_t request = random() % 3;
            model[insert(slab, specOf(request))] = request;
        }
        ASSERT_EQ(slab.size(), model.size());
        const std::uint64_t wanted = random() % 3;
        std::vector<std::uint32_t> expected;
        for (const auto& [slot, request] : model) {
            if (request == wanted) {
                expected.push_back(slot);
            }
        }
        std::vector<std::uint32_t> found = slab.slotsOf(RequestId{wanted});
        std::sort(found.begin(), found.end());
        ASSERT_EQ(found, expected);
    }
    EXPECT_EQ(slab.allSlots().size(), model.size());
}

}  // namespace
}  // namespace bifocal::schedule
