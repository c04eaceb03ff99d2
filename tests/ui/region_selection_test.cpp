// SPDX-License-Identifier: Apache-2.0
#include "ui/models/region_selection.h"

#include <gtest/gtest.h>

namespace bifocal::ui {
namespace {

constexpr int kReach = 4;
using State = RegionSelection::State;

class RegionSelectionTest : public testing::Test {
protected:
    bool drag(const QPoint& from, const QPoint& to) {
        selection_.press(from, kReach);
        selection_.moveTo((from + to) / 2);
        return selection_.release(to);
    }

    const QRect front_{100, 100, 200, 150};
    const QRect back_{150, 120, 600, 400};
    RegionSelection selection_{QRect(0, 0, 1000, 800), {front_, back_}};
};

TEST_F(RegionSelectionTest, BothPixelsBelongToWhatWasDraggedInEveryDirection) {
    const QRect wanted(QPoint(20, 30), QPoint(83, 71));
    EXPECT_TRUE(drag({20, 30}, {83, 71}));
    EXPECT_EQ(selection_.region(), wanted);
    for (const auto& [from, to] : {std::pair(QPoint(83, 71), QPoint(20, 30)),
                                   std::pair(QPoint(83, 30), QPoint(20, 71)),
                                   std::pair(QPoint(20, 71), QPoint(83, 30))}) {
        RegionSelection other(QRect(0, 0, 1000, 800), {});
        other.press(from, kReach);
        EXPECT_TRUE(other.release(to));
        EXPECT_EQ(other.region(), wanted);
    }
}

TEST_F(RegionSelectionTest, TheWindowUnderThePointerIsWhatAClickTakes) {
    selection_.moveTo({160, 130});
    EXPECT_EQ(selection_.region(), front_);
    selection_.moveTo({400, 300});
    EXPECT_EQ(selection_.region(), back_);
    selection_.moveTo({5, 5});
    EXPECT_TRUE(selection_.region().isEmpty());
    EXPECT_TRUE(drag({400, 300}, {400, 300}));
    EXPECT_EQ(selection_.region(), back_);
}

TEST_F(RegionSelectionTest, AClickOnNoWindowAndATinyDragAreNoRegion) {
    EXPECT_FALSE(drag({5, 5}, {5, 5}));
    EXPECT_FALSE(drag({400, 300}, {404, 300}));
    EXPECT_EQ(selection_.state(), State::Hovering);
    EXPECT_EQ(selection_.region(), back_);
}

TEST_F(RegionSelectionTest, ADragEndsAtTheDesktopsEdge) {
    EXPECT_TRUE(drag({900, 700}, {5000, -3}));
    EXPECT_EQ(selection_.region(), QRect(QPoint(900, 0), QPoint(999, 700)));
}

TEST_F(RegionSelectionTest, EdgesAndCornersMoveAloneAndMayCrossEachOther) {
    selection_.adjust({300, 300, 100, 80});
    EXPECT_FALSE(selection_.isChanging());
    EXPECT_TRUE(drag({300, 340}, {280, 340}));
    EXPECT_EQ(selection_.region(), QRect(280, 300, 120, 80));
    EXPECT_TRUE(drag({399, 379}, {409, 399}));
    EXPECT_EQ(selection_.region(), QRect(280, 300, 130, 100));
    EXPECT_TRUE(drag({280, 340}, {509, 340}));  // beyond the right edge, which is at 409
    EXPECT_EQ(selection_.region(), QRect(QPoint(409, 300), QPoint(509, 399)));
}

TEST_F(RegionSelectionTest, TakenInTheMiddleItMovesAndKeepsItsSize) {
    selection_.adjust({300, 300, 100, 80});
    selection_.press({350, 340}, kReach);
    EXPECT_TRUE(selection_.isChanging());
    selection_.moveTo({360, 330});
    EXPECT_EQ(selection_.region(), QRect(310, 290, 100, 80));
    EXPECT_TRUE(selection_.release({2000, 2000}));
    EXPECT_EQ(selection_.region(), QRect(900, 720, 100, 80));
}

TEST_F(RegionSelectionTest, PressedOutsideANewOneBegins) {
    selection_.adjust({300, 300, 100, 80});
    EXPECT_TRUE(drag({500, 500}, {549, 529}));
    EXPECT_EQ(selection_.region(), QRect(500, 500, 50, 30));
}

TEST_F(RegionSelectionTest, KeysMoveAndGrowByPixelsInsideTheDesktop) {
    selection_.shift({1, 0});
    EXPECT_EQ(selection_.state(), State::Hovering);
    selection_.adjust({980, 0, 20, 20});
    selection_.shift({1, 0});
    EXPECT_EQ(selection_.region(), QRect(980, 0, 20, 20));
    selection_.shift({-1, 1});
    EXPECT_EQ(selection_.region(), QRect(979, 1, 20, 20));
    selection_.grow({5, -100});
    EXPECT_EQ(selection_.region(), QRect(979, 1, 21, RegionSelection::kSmallestSide));
}

TEST_F(RegionSelectionTest, ARegionOfAScreenThatIsGoneIsCutOrPassedBy) {
    selection_.adjust({2000, 10, 100, 100});
    EXPECT_EQ(selection_.state(), State::Hovering);
    selection_.adjust({990, 10, 100, 100});
    EXPECT_EQ(selection_.region(), QRect(990, 10, 10, 100));
}

}  // namespace
}  // namespace bifocal::ui
