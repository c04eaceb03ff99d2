// SPDX-License-Identifier: Apache-2.0
#include "ui/views/camera_dialog.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include <memory>

namespace bifocal::ui {
namespace {

class PlayedCamera final : public FrameSource {
public:
    explicit PlayedCamera(bool* isOn) : isOn_(isOn) {}
    void start() override { *isOn_ = true; }
    void stop() override { *isOn_ = false; }

private:
    bool* isOn_;
};

class CameraDialogTest : public testing::Test {
protected:
    CameraDialogTest() {
        auto camera = std::make_unique<PlayedCamera>(&isOn_);
        camera_ = camera.get();
        dialog_ = std::make_unique<CameraDialog>(std::move(camera), nullptr);
        dialog_->open();
    }
    static QImage picture(Qt::GlobalColor colour) {
        QImage image(1280, 720, QImage::Format_RGB32);
        image.fill(colour);
        return image;
    }

    bool isOn_ = false;
    PlayedCamera* camera_ = nullptr;
    std::unique_ptr<CameraDialog> dialog_;
};

TEST_F(CameraDialogTest, TheNewestFrameIsTakenWholeAndTheCameraGoesOff) {
    QSignalSpy taken(dialog_.get(), &CameraDialog::taken);
    EXPECT_TRUE(isOn_);
    EXPECT_FALSE(dialog_->takeButton().isEnabled());
    Q_EMIT camera_->frame(picture(Qt::red));
    Q_EMIT camera_->frame(picture(Qt::blue));
    EXPECT_FALSE(dialog_->view().pixmap().isNull());

    QTest::mouseClick(&dialog_->takeButton(), Qt::LeftButton);

    ASSERT_EQ(taken.count(), 1);
    EXPECT_EQ(taken[0][0].value<QImage>(), picture(Qt::blue));
    EXPECT_FALSE(isOn_);
}

TEST_F(CameraDialogTest, CancelTakesNothingAndTheCameraGoesOff) {
    QSignalSpy taken(dialog_.get(), &CameraDialog::taken);
    Q_EMIT camera_->frame(picture(Qt::red));
    dialog_->reject();
    EXPECT_TRUE(taken.isEmpty());
    EXPECT_FALSE(isOn_);
}

TEST_F(CameraDialogTest, EachFaultIsSaidAndNothingOldCanBeTaken) {
    Q_EMIT camera_->frame(picture(Qt::red));
    Q_EMIT camera_->failed(CameraFault::Refused);
    const QString refused = dialog_->view().text();
    EXPECT_FALSE(refused.isEmpty());
    EXPECT_FALSE(dialog_->takeButton().isEnabled());
    Q_EMIT camera_->failed(CameraFault::NoCamera);
    EXPECT_NE(dialog_->view().text(), refused);
}

}  // namespace
}  // namespace bifocal::ui
