// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/thumbnail_loader.h"

#include "tests/ui/fake_engine.h"
#include "ui/bridge/engine_bridge.h"
#include "ui/models/result_model.h"
#include "ui/models/roles.h"

#include <QCoreApplication>
#include <QSignalSpy>

#include <gtest/gtest.h>

namespace bifocal::ui {
namespace {

class ThumbnailLoaderTest : public testing::Test {
protected:
    void ask(int first, int last) {
        for (int row = first; row <= last; ++row) {
            model_.index(row).data(ThumbnailRole);
        }
        QCoreApplication::processEvents();
    }

    void fill(int count) {
        QList<ResultItem> items;
        for (int i = 1; i <= count; ++i) {
            ResultItem item;
            item.file = FileId{static_cast<std::uint64_t>(i)};
            item.content.bytes[0] = static_cast<std::uint8_t>(i);
            item.path = "/pictures/" + std::to_string(i) + ".png";
            items.append(item);
        }
        model_.replace(items);
    }

    test::FakeEngine engine_;
    EngineBridge bridge_{engine_};
    ResultModel model_;
    ThumbnailLoader loader_{bridge_, model_};
};

TEST_F(ThumbnailLoaderTest, LoadsAFewAtOnceAndTheNextWhenOneIsDone) {
    fill(20);
    ask(0, 9);
    ASSERT_EQ(engine_.pictures.size(), std::size_t{ThumbnailLoader::kAtOnce});

    engine_.showPicture(engine_.pictures[0], test::FakeEngine::picture(4, 1, 2, 3));
    QCoreApplication::processEvents();

    EXPECT_EQ(engine_.pictures.size(), std::size_t{ThumbnailLoader::kAtOnce} + 1);
    EXPECT_TRUE(model_.index(0).data(ThumbnailRole).isValid());
}

TEST_F(ThumbnailLoaderTest, WhatScrolledAwayIsCancelledAndMayComeBack) {
    fill(40);
    ask(0, 9);

    loader_.setVisibleRows(20, 29);

    EXPECT_EQ(engine_.cancelled.size(), std::size_t{ThumbnailLoader::kAtOnce});
    EXPECT_EQ(loader_.pendingCount(), 0);
    loader_.setVisibleRows(0, 9);
    ask(0, 0);
    EXPECT_EQ(loader_.pendingCount(), 1);
}

TEST_F(ThumbnailLoaderTest, VisibleOnesComeFirst) {
    fill(40);
    loader_.setVisibleRows(0, 39);
    ask(0, 19);
    const std::size_t before = engine_.pictures.size();
    // The view jumps: rows 10…19 stay visible, 0…9 do not.
    loader_.setVisibleRows(10, 29);

    ASSERT_GT(engine_.pictures.size(), before);
    for (std::size_t i = before; i < engine_.pictures.size(); ++i) {
        EXPECT_GE(std::get<ImageFile>(engine_.pictures[i].source.source).path,
                  std::filesystem::path("/pictures/11.png"));
    }
}

TEST_F(ThumbnailLoaderTest, PictureThatCannotBeReadIsSaidToTheModel) {
    fill(1);
    ask(0, 0);

    engine_.pictures[0].handler(Error{ErrorCode::Corruption, "bad"});
    QCoreApplication::processEvents();

    EXPECT_TRUE(model_.index(0).data(ThumbnailFailedRole).toBool());
    EXPECT_EQ(loader_.pendingCount(), 0);
}

TEST_F(ThumbnailLoaderTest, AnswerOfADroppedRequestIsIgnored) {
    fill(40);
    ask(0, 0);
    const auto asked = engine_.pictures[0];
    loader_.setVisibleRows(30, 39);

    engine_.showPicture(asked, test::FakeEngine::picture(4, 1, 2, 3));
    QCoreApplication::processEvents();

    loader_.setVisibleRows(0, 9);
    EXPECT_FALSE(model_.index(0).data(ThumbnailRole).isValid());
}

}  // namespace
}  // namespace bifocal::ui
