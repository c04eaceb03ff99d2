// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/indexed_heap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace bifocal::schedule {
namespace {

std::vector<std::uint32_t> drain(IndexedHeap& heap) {
    std::vector<std::uint32_t> handles;
    while (!heap.isEmpty()) {
        handles.push_back(heap.top().handle);
        heap.erase(heap.top().handle);
    }
    return handles;
}

TEST(IndexedHeapTest, ServesSmallestKeyFirstAndEqualKeysInOrderOfSequence) {
    IndexedHeap heap;
    heap.push({5, 1, 10});
    heap.push({3, 2, 11});
    heap.push({5, 3, 12});
    heap.push({3, 4, 13});
    heap.push({UINT64_MAX, 5, 14});
    heap.push({0, 6, 15});

    EXPECT_EQ(heap.size(), 6U);
    EXPECT_EQ(drain(heap), (std::vector<std::uint32_t>{15, 11, 13, 10, 12, 14}));
}

TEST(IndexedHeapTest, KnowsWhatItHolds) {
    IndexedHeap heap;
    EXPECT_FALSE(heap.contains(7));

    heap.push({1, 1, 7});
    EXPECT_TRUE(heap.contains(7));
    EXPECT_FALSE(heap.contains(6));
    heap.erase(7);

    EXPECT_FALSE(heap.contains(7));
    EXPECT_TRUE(heap.isEmpty());
}

TEST(IndexedHeapTest, TheSecondOneOutIsAmongTheNext) {
    std::mt19937 random(5);
    IndexedHeap heap;
    for (std::uint32_t handle = 0; handle < 200; ++handle) {
        heap.push({random() % 50, handle, handle});
    }
    while (heap.size() > 1) {
        std::set<std::uint32_t> next;
        heap.visitNext([&next](std::uint32_t handle) { next.insert(handle); });
        ASSERT_LE(next.size(), 4U);
        heap.erase(heap.top().handle);
        ASSERT_TRUE(next.contains(heap.top().handle));
    }
    heap.visitNext([](std::uint32_t) { ADD_FAILURE() << "there is no second one"; });
}

TEST(IndexedHeapTest, AgreesWithASortedSetUnderRandomPushPopAndErase) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const std::uint64_t keyRange = seed % 2 == 0 ? 4 : UINT32_MAX;  // many ties, hardly any
        IndexedHeap heap;
        std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> model;
        std::map<std::uint32_t, std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> byHandle;
        for (std::uint64_t step = 0; step < 3000; ++step) {
            const auto handle = static_cast<std::uint32_t>(random() % 300);
            if (const auto found = byHandle.find(handle); found != byHandle.end()) {
                heap.erase(handle);
                model.erase(found->second);
                byHandle.erase(found);
            } else if (!model.empty() && random() % 4 == 0) {
                const std::uint32_t first = heap.top().handle;
                ASSERT_EQ(first, std::get<2>(*model.begin())) << "seed " << seed;
                heap.erase(first);
                model.erase(model.begin());
                byHandle.erase(first);
            } else {
                const std::uint64_t key = random() % keyRange;
                heap.push({key, step, handle});
                byHandle[handle] = {key, step, handle};
                model.insert(byHandle[handle]);
            }
            ASSERT_EQ(heap.size(), model.size());
            if (!model.empty()) {
                ASSERT_EQ(heap.top().handle, std::get<2>(*model.begin())) << "seed " << seed;
            }
        }
        std::vector<std::uint32_t> rest;
        for (const auto& entry : model) {
            rest.push_back(std::get<2>(entry));
        }
        ASSERT_EQ(drain(heap), rest) << "seed " << seed;
    }
}

}  // namespace
}  // namespace bifocal::schedule
