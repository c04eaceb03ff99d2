// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/memory_budget.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace bifocal::schedule {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

MemoryLedger::Snapshot holding(std::uint64_t persistent, std::uint64_t reserved) {
    MemoryLedger::Snapshot ledger;
    ledger.persistentBytes = persistent;
    ledger.reservedBytes = reserved;
    return ledger;
}

TEST(BudgetBesideTest, IsWhatIsHeldAndWhatIsAvailableLessWhatStaysFree) {
    EXPECT_EQ(budgetBeside({8 * kGiB, 4 * kGiB}, 2 * kGiB, holding(kGiB, 0)),
              kGiB + 4 * kGiB - 512 * kMiB);
    EXPECT_EQ(budgetBeside({40 * kGiB, 20 * kGiB}, 0, holding(0, 0)), 18 * kGiB)
        << "5 % of a large machine";
}

TEST(BudgetBesideTest, BytesThatAreReservedAndNotTakenYetDoNotCountTwice) {
    // 3 GiB are promised and 1 GiB is resident: the other 2 are among those that are available.
    EXPECT_EQ(budgetBeside({8 * kGiB, 4 * kGiB}, kGiB, holding(0, 3 * kGiB)),
              kGiB + 4 * kGiB - 512 * kMiB);
}

TEST(BudgetBesideTest, LeavesRoomForOnePromptOnAMachineThatIsFull) {
    EXPECT_EQ(budgetBeside({8 * kGiB, 100 * kMiB}, kGiB, holding(kGiB, 0)), kGiB + kLeastRoomBytes);
    EXPECT_EQ(budgetBeside({}, 0, holding(0, 0)), kLeastRoomBytes);
}

TEST(MachineMemoryTest, IsWhatTheKernelSays) {
    const auto machine = readMachineMemory();
    ASSERT_TRUE(machine);
    EXPECT_GT(machine->totalBytes, 100 * kMiB);
    EXPECT_LE(machine->availableBytes, machine->totalBytes);
}

class MemoryBudgetTest : public ::testing::Test {
protected:
    static constexpr TimePoint at(int milliseconds) {
        return TimePoint(std::chrono::milliseconds(milliseconds));
    }

    MemoryLedger ledger_{100};
    std::uint64_t spare_ = 80;
    int readCount_ = 0;
    std::vector<std::uint64_t> asked_;
    MemoryBudget budget_{ledger_,
                         [this](const MemoryLedger::Snapshot&) {
                             ++readCount_;
                             return spare_;
                         },
                         [this](std::uint64_t bytes) { asked_.push_back(bytes); }};
};

TEST_F(MemoryBudgetTest, IsReadWhenTheLastReadingIsOld) {
    budget_.refresh(at(1000));
    EXPECT_EQ(ledger_.snapshot().budgetBytes, 80U);
    spare_ = 70;
    budget_.refresh(at(1199));
    EXPECT_EQ(ledger_.snapshot().budgetBytes, 80U);
    budget_.refresh(at(1200));
    EXPECT_EQ(ledger_.snapshot().budgetBytes, 70U);
    EXPECT_EQ(readCount_, 2);
    EXPECT_TRUE(asked_.empty());
}

TEST_F(MemoryBudgetTest, IsNeverMoreThanTheFirstOne) {
    spare_ = 300;
    budget_.refresh(at(1000));
    EXPECT_EQ(ledger_.snapshot().budgetBytes, 100U);
}

TEST_F(MemoryBudgetTest, EvictsWhatIsAboveIt) {
    ASSERT_TRUE(ledger_.tryReserve(95));
    budget_.refresh(at(1000));
    EXPECT_EQ(asked_, std::vector<std::uint64_t>{15});
}

TEST_F(MemoryBudgetTest, MakesRoomByEviction) {
    budget_.makeRoom(10);
    EXPECT_EQ(asked_, std::vector<std::uint64_t>{10});
}

TEST(FixedMemoryBudgetTest, StaysAsItIs) {
    MemoryLedger ledger(100);
    MemoryBudget budget(ledger, {}, {});
    EXPECT_FALSE(budget.isLive());
    EXPECT_FALSE(budget.mayHelp());
    budget.makeRoom(1);
    budget.refresh(TimePoint(std::chrono::hours(1)));
    EXPECT_EQ(ledger.snapshot().budgetBytes, 100U);
}

}  // namespace
}  // namespace bifocal::schedule
