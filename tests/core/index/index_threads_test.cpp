// SPDX-License-Identifier: Apache-2.0
#include "core/index/vector_index.h"
#include "tests/core/index/index_fixture.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace bifocal::index {
namespace {

constexpr std::uint64_t kCommits = 300;
constexpr std::uint64_t kKeysPerCommit = 8;

/// Every commit writes the same eight keys in a new version, and one more: a reader that sees a
/// commit in part sees two versions at once.
Result<void> writeVersion(VectorIndex& index, std::uint64_t version) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = 0; number < kKeysPerCommit; ++number) {
        numbers.push_back(number);
    }
    numbers.push_back(1000 + version);
    return appendNumbers(index, numbers, kSmallSpec.dim, version);
}

void expectWhole(const IndexSnapshot& snapshot) {
    if (snapshot.rowCount() == 0) {
        return;
    }
    const std::uint64_t version = snapshot.rowCount() / (kKeysPerCommit + 1) - 1;
    ASSERT_EQ(snapshot.rowCount() % (kKeysPerCommit + 1), 0U);
    ASSERT_EQ(snapshot.liveCount(), kKeysPerCommit + version + 1);
    for (std::uint64_t number = 0; number < kKeysPerCommit; ++number) {
        const auto row = snapshot.find(keyOf(number));
        ASSERT_TRUE(row);
        ASSERT_EQ(*row, version * (kKeysPerCommit + 1) + number);
        ASSERT_EQ(toFloat(snapshot.values(*row)[1]), rowOf(number, kSmallSpec.dim, version)[1]);
    }
    ASSERT_FALSE(snapshot.find(keyOf(1000 + version + 1)));
    std::vector<kernels::RowScore> best(5);
    const auto result = snapshot.search(rowOf(3, kSmallSpec.dim, version), {}, best, {});
    ASSERT_TRUE(result);
    ASSERT_EQ(result->moments.count, snapshot.liveCount());
}

/// One thread commits, one reads the writer's own snapshots, one an index opened for reading.
TEST(IndexThreadsTest, ReadersSeeWholeCommitsWhileOneWrites) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "threads.bfv";
    const auto writer = openOrFail(file, IndexAccess::Write);
    const auto follower = openOrFail(file, IndexAccess::Read);
    std::atomic<bool> isDone{false};
    std::thread ownReader([&] {
        std::uint64_t generation = 0;
        while (!isDone.load()) {
            const auto snapshot = writer->snapshot();
            EXPECT_GE(snapshot->generation(), generation);
            generation = snapshot->generation();
            expectWhole(*snapshot);
        }
    });
    std::thread following([&] {
        while (!isDone.load()) {
            const auto outcome = follower->refresh();
            EXPECT_TRUE(outcome) << outcome.error().message;
            expectWhole(*follower->snapshot());
        }
    });
    std::thread lookingOnly([&] {
        while (!isDone.load()) {
            expectWhole(*follower->snapshot());
        }
    });

    for (std::uint64_t version = 0; version < kCommits; ++version) {
        ASSERT_TRUE(writeVersion(*writer, version));
    }
    isDone = true;
    ownReader.join();
    following.join();
    lookingOnly.join();

    ASSERT_TRUE(follower->refresh());
    EXPECT_EQ(contentOf(*follower->snapshot()), contentOf(*writer->snapshot()));
}

}  // namespace
}  // namespace bifocal::index
