// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/placement.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace bifocal::schedule {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kCpu = 0;
constexpr std::size_t kGpu = 1;
constexpr std::size_t kNpu = 2;

/// Three devices that have nothing to do, and two stages that they know.
class PlacementTest : public ::testing::Test {
protected:
    void SetUp() override {
        know(text_, {28, 32, 29});
        know(image_, {400, 80, 95});
    }
    void know(const StageDemand& demand, const std::array<int, 3>& ms) {
        for (std::size_t device = 0; device < ms.size(); ++device) {
            placement_.observe(demand, device, 1, milliseconds(ms[device]));
        }
    }
    Placed place(const StageDemand& demand) {
        const Result<Placed> placed = placement_.place(demand, devices_);
        EXPECT_TRUE(placed);
        return placed ? *placed : Placed{};
    }

    Placement placement_{3};
    std::vector<DeviceState> devices_ = std::vector<DeviceState>(3);
    const StageDemand text_{"encode_text"};
    const StageDemand image_{"encode_image"};
};

TEST_F(PlacementTest, EachStageGoesWhereItIsOverFirst) {
    EXPECT_EQ(place(text_).device, kCpu);
    EXPECT_EQ(place(image_).device, kGpu);
    EXPECT_EQ(place(image_).finish, milliseconds(80));
}

TEST_F(PlacementTest, WorkAheadIsPartOfTheFinish) {
    devices_[kGpu].workAhead = milliseconds(16);
    EXPECT_EQ(place(image_).device, kNpu);
    EXPECT_EQ(place(image_).finish, milliseconds(95));

    devices_[kNpu].workAhead = milliseconds(400);
    devices_[kGpu].workAhead = milliseconds(321);
    EXPECT_EQ(place(image_).device, kCpu);
}

TEST_F(PlacementTest, SoIsTheTransferOfItsBytes) {
    StageDemand large = image_;
    large.bytes = 100'000'000;
    devices_[kGpu].bytesPerSecond = 1e9;
    devices_[kNpu].bytesPerSecond = 10e9;

    EXPECT_EQ(place(large).device, kNpu);
    EXPECT_EQ(place(large).finish, milliseconds(105));
    EXPECT_EQ(place(image_).device, kGpu) << "nothing to transfer";
}

TEST_F(PlacementTest, AJoinedRunTakesWhatTheWholeRunTakes) {
    for (const std::uint32_t items : {2U, 4U, 8U}) {
        placement_.observe(image_, kGpu, items, milliseconds(60 + 20 * items));
        placement_.observe(image_, kNpu, items, milliseconds(50 + 45 * items));
    }
    devices_[kGpu].joinedItems = 3;
    devices_[kNpu].joinedItems = 3;

    EXPECT_EQ(place(image_).device, kGpu);
    EXPECT_NEAR(std::chrono::duration<double>(place(image_).finish).count(), 0.140, 0.002);
}

TEST_F(PlacementTest, APinnedStageGoesThereWhateverItTakes) {
    StageDemand pinned = image_;
    pinned.pinnedTo = kCpu;
    EXPECT_EQ(place(pinned).device, kCpu);

    devices_[kCpu].isPresent = false;
    const Result<Placed> placed = placement_.place(pinned, devices_);
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error().code, ErrorCode::Unsupported);
}

TEST_F(PlacementTest, AForbiddenOrAbsentDeviceGetsNothing) {
    const std::array<std::size_t, 1> noGpu{kGpu};
    StageDemand demand = image_;
    demand.forbidden = noGpu;
    EXPECT_EQ(place(demand).device, kNpu);

    devices_[kNpu].isPresent = false;
    EXPECT_EQ(place(demand).device, kCpu);
    devices_[kCpu].isPresent = false;
    EXPECT_FALSE(placement_.place(demand, devices_));
}

TEST_F(PlacementTest, AnUnknownTimeIsTriedOnceAndThenWaitedFor) {
    const StageDemand fresh{"rerank"};
    placement_.observe(fresh, kCpu, 1, milliseconds(5));

    const Placed trial = place(fresh);
    EXPECT_TRUE(trial.isTrial);
    EXPECT_EQ(trial.device, kGpu);
    EXPECT_EQ(place(fresh).device, kNpu) << "the other unknown one";
    EXPECT_EQ(place(fresh).device, kCpu) << "both are being measured";

    placement_.observe(fresh, kGpu, 1, milliseconds(2));
    EXPECT_EQ(place(fresh).device, kGpu);
    EXPECT_FALSE(place(fresh).isTrial);
}

TEST_F(PlacementTest, AnUnknownTimeDoesNotMakeUpForALongQueue) {
    const StageDemand fresh{"rerank"};
    placement_.observe(fresh, kCpu, 1, milliseconds(5));
    devices_[kGpu].workAhead = milliseconds(6);
    devices_[kNpu].workAhead = milliseconds(6);

    EXPECT_EQ(place(fresh).device, kCpu);
}

TEST_F(PlacementTest, ALostTrialIsTriedAgain) {
    const StageDemand fresh{"rerank"};
    placement_.observe(fresh, kCpu, 1, milliseconds(5));
    EXPECT_EQ(place(fresh).device, kGpu);
    placement_.loseTrial(fresh, kGpu);

    EXPECT_EQ(place(fresh).device, kGpu);
}

TEST_F(PlacementTest, WhenEverythingIsBeingTriedTheEmptiestGetsIt) {
    const StageDemand fresh{"rerank"};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(place(fresh).isTrial);
    }
    devices_[kCpu].workAhead = milliseconds(9);
    devices_[kGpu].workAhead = milliseconds(8);
    devices_[kNpu].workAhead = milliseconds(7);

    EXPECT_EQ(place(fresh).device, kNpu);
    EXPECT_FALSE(place(fresh).isTrial);
}

TEST_F(PlacementTest, ShapesAreKnownApart) {
    StageDemand wide = image_;
    wide.shapeBucket = 1;
    EXPECT_TRUE(place(wide).isTrial);
    EXPECT_EQ(placement_.cost(wide, kGpu, 1), Duration(0));
    EXPECT_EQ(placement_.cost(image_, kGpu, 1), milliseconds(80));
}

}  // namespace
}  // namespace bifocal::schedule
