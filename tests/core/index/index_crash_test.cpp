// SPDX-License-Identifier: Apache-2.0
#include "core/index/vector_index.h"
#include "tests/core/index/index_fixture.h"

#include <gtest/gtest.h>

#include <csignal>
#include <random>

#include <sys/wait.h>
#include <unistd.h>

namespace bifocal::index {
namespace {

/// What commit `number` of the writer below does; the same each time.
Result<void> writeCommit(VectorIndex& index, std::uint64_t number) {
    std::mt19937_64 random(number);
    if (number % 7 == 6) {
        return index.remove(std::vector{keyOf(random() % 500), keyOf(random() % 500)});
    }
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t count = 1 + random() % 20; count > 0; --count) {
        numbers.push_back(random() % 500);
    }
    return appendNumbers(index, numbers, kSmallSpec.dim, number);
}

/// Appends until it is killed, and says each finished commit.
[[noreturn]] void writeUntilKilled(const std::filesystem::path& file,
                                   std::uint64_t first,
                                   int acknowledge) {
    auto index = VectorIndex::open(file, kSmallSpec, IndexAccess::Write);
    if (!index) {
        ::_exit(3);
    }
    for (std::uint64_t number = first;; ++number) {
        if (!writeCommit(**index, number) ||
            ::write(acknowledge, &number, sizeof(number)) != sizeof(number)) {
            ::_exit(4);
        }
    }
}

/// Kills a writer after a seeded number of its commits, at whatever instant the signal meets it.
TEST(IndexCrashTest, AKilledWriterLosesNoFinishedCommit) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "crash.bfv";
    const std::filesystem::path twinFile = folder.path() / "twin.bfv";
    const auto reader = openOrFail(file, IndexAccess::Read);
    std::mt19937 random(20);
    std::vector<Content> states(1);  // after n commits
    std::unique_ptr<VectorIndex> twin = openOrFail(twinFile, IndexAccess::Write);
    std::uint64_t done = 0;
    for (int round = 0; round < 50; ++round) {
        int pipeEnds[2];
        ASSERT_EQ(::pipe(pipeEnds), 0);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            writeUntilKilled(file, done, pipeEnds[1]);
        }
        ::close(pipeEnds[1]);
        std::uint64_t acknowledged = done;
        for (auto wanted = 1 + random() % 4; wanted > 0; --wanted) {
            std::uint64_t number = 0;
            ASSERT_EQ(::read(pipeEnds[0], &number, sizeof(number)),
                      static_cast<ssize_t>(sizeof(number)));
            acknowledged = number + 1;
        }
        for (auto spins = random() % 20000; spins > 0; --spins) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);
        std::uint64_t number = 0;
        while (::read(pipeEnds[0], &number, sizeof(number)) ==
               static_cast<ssize_t>(sizeof(number))) {
            acknowledged = number + 1;
        }
        ::close(pipeEnds[0]);

        ASSERT_TRUE(reader->refresh());
        const Content read = contentOf(*reader->snapshot());
        const Content written = contentOf(*openOrFail(file, IndexAccess::Write)->snapshot());
        ASSERT_EQ(read, written);
        while (states.size() <= acknowledged + 1) {
            ASSERT_TRUE(writeCommit(*twin, states.size() - 1));
            states.push_back(contentOf(*twin->snapshot()));
        }
        // The commit after the last acknowledged one may be there as well, as a whole.
        const bool isNext = written == states[acknowledged + 1];
        ASSERT_TRUE(isNext || written == states[acknowledged]) << "round " << round;
        done = isNext ? acknowledged + 1 : acknowledged;
        const auto check = VectorIndex::check(file);
        ASSERT_TRUE(check);
        ASSERT_TRUE(check->problems.empty()) << check->problems.front();
    }
    EXPECT_GT(done, 50U);
}

}  // namespace
}  // namespace bifocal::index
