// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/memory_ledger.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace bifocal::schedule {
namespace {

TEST(MemoryLedgerTest, ReservesAllOrNothingUpToTheBudget) {
    MemoryLedger ledger(100);

    EXPECT_TRUE(ledger.tryReserve(60));
    EXPECT_FALSE(ledger.tryReserve(41));
    EXPECT_TRUE(ledger.tryReserve(40));
    EXPECT_FALSE(ledger.tryReserve(1));
    EXPECT_TRUE(ledger.tryReserve(0));

    EXPECT_EQ(ledger.snapshot().reservedBytes, 100U);
    ledger.release(70);
    EXPECT_EQ(ledger.snapshot().reservedBytes, 30U);
    EXPECT_EQ(ledger.snapshot().peakReservedBytes, 100U);
    EXPECT_EQ(ledger.snapshot().budgetBytes, 100U);
}

TEST(MemoryLedgerTest, PersistentBytesLeaveLessForTheRest) {
    MemoryLedger ledger(100);
    ledger.addPersistent(30);

    EXPECT_TRUE(ledger.canEverFit(70));
    EXPECT_FALSE(ledger.canEverFit(71));
    EXPECT_FALSE(ledger.tryReserve(71));
    EXPECT_TRUE(ledger.tryReserve(70));

    ledger.removePersistent(30);
    EXPECT_TRUE(ledger.tryReserve(30));
}

TEST(MemoryLedgerTest, MorePersistentBytesThanTheBudgetLeaveNoRoomAtAll) {
    MemoryLedger ledger(100);
    ASSERT_TRUE(ledger.tryReserve(50));
    ledger.addPersistent(80);

    EXPECT_FALSE(ledger.tryReserve(0));
    EXPECT_TRUE(ledger.canEverFit(20));
    ledger.addPersistent(80);
    EXPECT_FALSE(ledger.canEverFit(0));
}

TEST(MemoryLedgerTest, HugeRequestsDoNotWrapAround) {
    MemoryLedger ledger(UINT64_MAX);
    ASSERT_TRUE(ledger.tryReserve(UINT64_MAX - 1));

    EXPECT_FALSE(ledger.tryReserve(UINT64_MAX));
    EXPECT_FALSE(ledger.tryReserve(2));
    EXPECT_TRUE(ledger.tryReserve(1));
}

TEST(MemoryLedgerTest, TellsItsHandlerWhenRoomComesFree) {
    MemoryLedger ledger(100);
    int callCount = 0;
    ledger.setFreedHandler([&] {
        ++callCount;
        EXPECT_LE(ledger.snapshot().reservedBytes, 100U);  // no lock is held
    });

    ASSERT_TRUE(ledger.tryReserve(10));
    ledger.addPersistent(5);
    EXPECT_EQ(callCount, 0);
    ledger.release(10);
    EXPECT_EQ(callCount, 1);
    ledger.removePersistent(5);
    EXPECT_EQ(callCount, 2);
}

TEST(MemoryLedgerTest, ABudgetThatShrinksBelowWhatIsUsedAdmitsNothingUntilItFits) {
    MemoryLedger ledger(100);
    ledger.addPersistent(30);
    ASSERT_TRUE(ledger.tryReserve(60));

    ledger.setBudget(70);

    EXPECT_EQ(ledger.snapshot().overBytes(), 20U);
    EXPECT_FALSE(ledger.tryReserve(0));
    EXPECT_FALSE(ledger.tryAddPersistent(0));
    EXPECT_TRUE(ledger.canEverFit(70)) << "the budget may grow again";
    EXPECT_FALSE(ledger.canEverFit(71));
    ledger.removePersistent(20);
    EXPECT_EQ(ledger.snapshot().overBytes(), 0U);
    EXPECT_FALSE(ledger.tryReserve(1));
    ledger.release(10);
    EXPECT_TRUE(ledger.tryReserve(10));
}

TEST(MemoryLedgerTest, WhatStaysIsAddedAllOrNothing) {
    MemoryLedger ledger(100);
    ASSERT_TRUE(ledger.tryReserve(60));

    EXPECT_FALSE(ledger.tryAddPersistent(41));
    EXPECT_TRUE(ledger.tryAddPersistent(40));
    EXPECT_EQ(ledger.snapshot().persistentBytes, 40U);
    EXPECT_EQ(ledger.snapshot().usedBytes(), 100U);
    EXPECT_FALSE(ledger.tryReserve(1));
}

TEST(MemoryLedgerTest, TellsItsHandlerOfABudgetThatGrowsAndOfNoOther) {
    MemoryLedger ledger(100);
    int callCount = 0;
    ledger.setFreedHandler([&] { ++callCount; });

    ledger.setBudget(50);
    ledger.setBudget(50);
    EXPECT_EQ(callCount, 0);
    ledger.setBudget(80);

    EXPECT_EQ(callCount, 1);
    EXPECT_EQ(ledger.snapshot().budgetBytes, 80U);
}

}  // namespace
}  // namespace bifocal::schedule
