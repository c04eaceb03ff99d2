// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/admission.h"

#include "tests/core/schedule/claimants.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace bifocal::schedule {
namespace {

class AdmissionTest : public ::testing::Test {
protected:
    MemoryLedger ledger_{100};
    Admission admission_{ledger_, 3, 0};
};

TEST_F(AdmissionTest, SmallTasksOfOtherLanesDoNotOvertakeABigOneOfTheirClass) {
    ASSERT_EQ(admission_.tryAdmit(kBatch0, 60), Admitted::Yes);
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 90), Admitted::No);

    EXPECT_EQ(admission_.tryAdmit(kBatch2, 10), Admitted::No);
    EXPECT_EQ(describe(admission_.firstServable()), "none");
    admission_.release(60);

    EXPECT_EQ(describe(admission_.firstServable()), "batch 1");
    EXPECT_EQ(admission_.tryAdmit(kBatch2, 10), Admitted::No) << "its claim is younger";
    EXPECT_EQ(admission_.tryAdmit(kBatch1, 90), Admitted::YesOthersWait);
    EXPECT_EQ(describe(admission_.firstServable()), "batch 2");
    EXPECT_EQ(admission_.tryAdmit(kBatch2, 10), Admitted::Yes);
}

TEST_F(AdmissionTest, MoreUrgentWorkPassesAClaim) {
    ASSERT_EQ(admission_.tryAdmit(kBatch0, 60), Admitted::Yes);
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 90), Admitted::No);

    EXPECT_EQ(admission_.tryAdmit(kInteractive0, 30), Admitted::YesOthersWait);
}

TEST_F(AdmissionTest, LessUrgentWorkDoesNotPassAClaimEvenWhenItFits) {
    ASSERT_EQ(admission_.tryAdmit(kBatch0, 60), Admitted::Yes);
    ASSERT_EQ(admission_.tryAdmit(kPrefetch0, 90), Admitted::No);

    EXPECT_EQ(admission_.tryAdmit(kBatch1, 1), Admitted::No);
}

TEST_F(AdmissionTest, TheMostUrgentClaimIsServedFirstWhateverItsAge) {
    ASSERT_EQ(admission_.tryAdmit(kBatch0, 100), Admitted::Yes);
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 10), Admitted::No);
    ASSERT_EQ(admission_.tryAdmit(kInteractive0, 10), Admitted::No);

    admission_.release(100);

    EXPECT_EQ(describe(admission_.firstServable()), "interactive 0");
}

TEST_F(AdmissionTest, AWithdrawnClaimMakesWay) {
    ASSERT_EQ(admission_.tryAdmit(kBatch0, 60), Admitted::Yes);
    ASSERT_EQ(admission_.tryAdmit(kBatch1, 90), Admitted::No);
    ASSERT_EQ(admission_.tryAdmit(kBatch2, 10), Admitted::No);

    admission_.withdraw(kBatch1);

    EXPECT_EQ(describe(admission_.firstServable()), "batch 2");
}

TEST_F(AdmissionTest, AClaimMadeAheadHoldsItsPlaceAndTakesNothing) {
    EXPECT_FALSE(admission_.claimIfItMustWait(kBatch0, 100)) << "there is room";
    ASSERT_EQ(admission_.tryAdmit(kBatch0, 60), Admitted::Yes);
    EXPECT_TRUE(admission_.claimIfItMustWait(kInteractive0, 50));
    EXPECT_TRUE(admission_.claimIfItMustWait(kBatch1, 10)) << "another is before it";
    EXPECT_EQ(ledger_.snapshot().reservedBytes, 60U);

    admission_.release(60);

    EXPECT_EQ(describe(admission_.firstServable()), "interactive 0");
}

TEST_F(AdmissionTest, WorkWithoutBytesPassesAtOnce) {
    ASSERT_EQ(admission_.tryAdmit(kInteractive0, 100), Admitted::Yes);
    ASSERT_EQ(admission_.tryAdmit(kPrefetch0, 1), Admitted::No);

    EXPECT_EQ(admission_.tryAdmit(kBatch0, 0), Admitted::Yes);
    admission_.release(0);
    EXPECT_EQ(ledger_.snapshot().reservedBytes, 100U);
}

TEST_F(AdmissionTest, SlotsAreACapOfTheirOwn) {
    Admission slots(ledger_, 3, 2);
    ASSERT_EQ(slots.tryAdmit(kBatch0, 0), Admitted::Yes);
    ASSERT_EQ(slots.tryAdmit(kBatch0, 0), Admitted::Yes);

    EXPECT_EQ(slots.tryAdmit(kBatch0, 0), Admitted::No);
    EXPECT_EQ(slots.tryAdmit(kInteractive0, 0), Admitted::No);
    EXPECT_EQ(describe(slots.firstServable()), "none");
    slots.release(0);

    EXPECT_EQ(describe(slots.firstServable()), "interactive 0");
    EXPECT_EQ(slots.tryAdmit(kBatch0, 0), Admitted::No);
    EXPECT_EQ(slots.tryAdmit(kInteractive0, 0), Admitted::YesOthersWait);
    EXPECT_EQ(describe(slots.firstServable()), "none");
}

}  // namespace
}  // namespace bifocal::schedule
