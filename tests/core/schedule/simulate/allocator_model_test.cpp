// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/simulate/allocator_model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace bifocal::schedule {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;
constexpr std::uint64_t kGibi = kMebi << 10U;

Allocation mustAllocate(AllocatorModel& model, std::uint64_t bytes, std::uint32_t stream = 0) {
    const auto allocation = model.allocate(stream, bytes);
    EXPECT_TRUE(allocation);
    return allocation.value_or(Allocation{});
}

TEST(CachingModelTest, TakesSegmentsBySize) {
    struct Case {
        std::uint64_t bytes;
        std::uint64_t reserved;
    };
    for (const Case c : {Case{1, 2 * kMebi},
                         Case{kMebi, 2 * kMebi},
                         Case{kMebi + 1, 20 * kMebi},
                         Case{10 * kMebi - 512, 20 * kMebi},
                         Case{10 * kMebi, 10 * kMebi},
                         Case{10 * kMebi + 1, 12 * kMebi},
                         Case{33 * kMebi, 34 * kMebi}}) {
        const auto model = makeAllocatorModel(AllocatorKind::Caching, 1, kGibi);

        mustAllocate(*model, c.bytes);

        EXPECT_EQ(model->reservedBytes(), c.reserved) << c.bytes;
    }
}

TEST(CachingModelTest, SegmentsNeverMergeSoThatLaterLargerBlocksDoubleWhatIsTaken) {
    const auto model = makeAllocatorModel(AllocatorKind::Caching, 1, kGibi);
    std::vector<Allocation> blocks;
    for (int i = 0; i < 8; ++i) {
        blocks.push_back(mustAllocate(*model, 16 * kMebi));
    }
    for (const Allocation& block : blocks) {
        model->free(0, block);
    }
    EXPECT_EQ(model->allocatedBytes(), 0U);

    for (int i = 0; i < 4; ++i) {
        mustAllocate(*model, 32 * kMebi);
    }

    EXPECT_EQ(model->reservedBytes(), 256 * kMebi);
}

TEST(CachingModelTest, NeighboursInASegmentMerge) {
    const auto model = makeAllocatorModel(AllocatorKind::Caching, 1, kGibi);
    model->free(0, mustAllocate(*model, 64 * kMebi));
    const Allocation a = mustAllocate(*model, 20 * kMebi);
    const Allocation b = mustAllocate(*model, 20 * kMebi);
    const Allocation c = mustAllocate(*model, 24 * kMebi);
    EXPECT_EQ(model->reservedBytes(), 64 * kMebi);
    model->free(0, a);
    model->free(0, c);
    model->free(0, b);

    mustAllocate(*model, 64 * kMebi);

    EXPECT_EQ(model->reservedBytes(), 64 * kMebi);
}

TEST(CachingModelTest, TheBestFitIsTakenAndASmallRestStaysWithItsBlock) {
    const auto model = makeAllocatorModel(AllocatorKind::Caching, 1, kGibi);
    const Allocation large = mustAllocate(*model, 64 * kMebi);
    const Allocation fitting = mustAllocate(*model, 32 * kMebi);
    model->free(0, large);
    model->free(0, fitting);

    const Allocation block = mustAllocate(*model, 31 * kMebi);

    EXPECT_EQ(block.segment, fitting.segment);
    EXPECT_EQ(block.bytes, 32 * kMebi) << "1 MiB is not split off";
}

TEST(CachingModelTest, StreamsDoNotShareWhatIsFree) {
    const auto model = makeAllocatorModel(AllocatorKind::Caching, 2, kGibi);
    model->free(0, mustAllocate(*model, 100 * kMebi, 0));

    mustAllocate(*model, 100 * kMebi, 1);

    EXPECT_EQ(model->reservedBytes(), 200 * kMebi);
}

TEST(CachingModelTest, GivesItsCacheBackBeforeItIsOutOfMemory) {
    const auto model = makeAllocatorModel(AllocatorKind::Caching, 2, 200 * kMebi);
    model->free(0, mustAllocate(*model, 150 * kMebi, 0));
    const Allocation kept = mustAllocate(*model, 100 * kMebi, 1);
    EXPECT_EQ(model->retryCount(), 1U);
    EXPECT_EQ(model->reservedBytes(), 100 * kMebi);

    EXPECT_FALSE(model->allocate(0, 101 * kMebi));

    EXPECT_EQ(model->outOfMemoryCount(), 1U);
    model->free(1, kept);
    EXPECT_EQ(model->peakReservedBytes(), 150 * kMebi);
}

TEST(CachingModelTest, ALimitBelowWhatIsTakenRefusesUntilItFits) {
    const auto model = makeAllocatorModel(AllocatorKind::Caching, 1, 200 * kMebi);
    const Allocation block = mustAllocate(*model, 150 * kMebi);
    model->setLimit(100 * kMebi);
    EXPECT_FALSE(model->allocate(0, 12 * kMebi));

    model->free(0, block);

    EXPECT_TRUE(model->allocate(0, 160 * kMebi) == std::nullopt);
    EXPECT_TRUE(model->allocate(0, 100 * kMebi));
}

TEST(ExpandableModelTest, GrowsByPagesAndUsesTheTail) {
    const auto model = makeAllocatorModel(AllocatorKind::Expandable, 1, kGibi);
    for (int i = 0; i < 8; ++i) {
        model->free(0, mustAllocate(*model, 16 * kMebi));
    }
    EXPECT_EQ(model->reservedBytes(), 20 * kMebi);

    mustAllocate(*model, 32 * kMebi);
    mustAllocate(*model, 32 * kMebi);

    EXPECT_EQ(model->reservedBytes(), 80 * kMebi);
}

TEST(ExpandableModelTest, GivesWholeFreePagesBackFromBetweenBlocks) {
    const auto model = makeAllocatorModel(AllocatorKind::Expandable, 1, 160 * kMebi);
    const Allocation a = mustAllocate(*model, 30 * kMebi);
    const Allocation b = mustAllocate(*model, 60 * kMebi);
    const Allocation c = mustAllocate(*model, 30 * kMebi);
    model->free(0, b);

    const Allocation d = mustAllocate(*model, 70 * kMebi);

    EXPECT_EQ(model->retryCount(), 1U);
    EXPECT_LE(model->reservedBytes(), 160 * kMebi);
    model->free(0, a);
    model->free(0, d);
    model->free(0, c);
    model->releaseCached();
    EXPECT_EQ(model->reservedBytes(), 0U);
}

TEST(ArenaModelTest, BacksTheWholeRegionBeforeWorkBeginsAndRefusesMore) {
    const auto model = makeAllocatorModel(AllocatorKind::Arena, 2, 100 * kMebi);
    ASSERT_TRUE(model->beginWork(0, 60 * kMebi + 1));
    EXPECT_EQ(model->reservedBytes(), 62 * kMebi);
    EXPECT_FALSE(model->beginWork(1, 39 * kMebi));
    ASSERT_TRUE(model->beginWork(1, 38 * kMebi));

    const Allocation a = mustAllocate(*model, 60 * kMebi);
    EXPECT_FALSE(model->allocate(0, 3 * kMebi)) << "more than planned, whatever the device has";
    model->free(0, a);
    model->endWork(0);

    EXPECT_EQ(model->reservedBytes(), 38 * kMebi);
}

/// Against a plain account of live blocks: nothing overlaps, sums are right, all comes back.
class AllocatorModelProperty
    : public ::testing::TestWithParam<std::pair<AllocatorKind, std::uint32_t>> {};

TEST_P(AllocatorModelProperty, BlocksNeverOverlapAndAllComesBack) {
    const auto [kind, seed] = GetParam();
    constexpr std::uint32_t kStreams = 3;
    std::mt19937_64 random(7000 + seed);
    const auto model = makeAllocatorModel(kind, kStreams, 2 * kGibi);
    struct Live {
        std::uint32_t stream;
        Allocation block;
    };
    std::vector<Live> live;
    std::uint64_t sum = 0;

    for (int step = 0; step < 3000; ++step) {
        if (random() % 5 < 3) {
            const std::uint64_t bytes =
                random() % 2 == 0 ? 1 + random() % (2 * kMebi) : 1 + random() % (150 * kMebi);
            const auto stream = static_cast<std::uint32_t>(random() % kStreams);
            if (const auto block = model->allocate(stream, bytes)) {
                ASSERT_GE(block->bytes, bytes);
                for (const Live& other : live) {
                    const bool isElsewhere =
                        other.block.segment != block->segment ||
                        (kind == AllocatorKind::Expandable && other.stream != stream) ||
                        other.block.offset + other.block.bytes <= block->offset ||
                        block->offset + block->bytes <= other.block.offset;
                    ASSERT_TRUE(isElsewhere) << "seed " << seed << " step " << step;
                }
                live.push_back({stream, *block});
                sum += block->bytes;
            }
        } else if (!live.empty()) {
            const std::size_t index = random() % live.size();
            sum -= live[index].block.bytes;
            model->free(live[index].stream, live[index].block);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(index));
        }
        ASSERT_EQ(model->allocatedBytes(), sum);
        ASSERT_LE(sum, model->reservedBytes());
        ASSERT_LE(model->reservedBytes(), 2 * kGibi);
    }
    EXPECT_GT(model->retryCount(), 0U);

    for (const Live& each : live) {
        model->free(each.stream, each.block);
    }
    model->releaseCached();
    EXPECT_EQ(model->reservedBytes(), 0U);
    EXPECT_EQ(model->allocatedBytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds,
                         AllocatorModelProperty,
                         ::testing::Values(std::pair(AllocatorKind::Caching, 0U),
                                           std::pair(AllocatorKind::Caching, 1U),
                                           std::pair(AllocatorKind::Caching, 2U),
                                           std::pair(AllocatorKind::Expandable, 0U),
                                           std::pair(AllocatorKind::Expandable, 1U),
                                           std::pair(AllocatorKind::Expandable, 2U)));

}  // namespace
}  // namespace bifocal::schedule
