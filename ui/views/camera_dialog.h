// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/views/camera.h"

#include <QDialog>
#include <QImage>

#include <memory>

class QLabel;
class QPushButton;

namespace bifocal::ui {

/// Shows what the camera sees until a picture of it is taken. The camera is on while the dialog is.
/// Threads: gui. Owns: the source.
class CameraDialog final : public QDialog {
    Q_OBJECT
    Q_DISABLE_COPY(CameraDialog)

public:
    CameraDialog(std::unique_ptr<FrameSource> source, QWidget* parent);
    ~CameraDialog() override;

    QPushButton& takeButton() { return *take_; }
    QLabel& view() { return *view_; }

Q_SIGNALS:
    void taken(const QImage& image);

protected:
    void showEvent(QShowEvent* event) override;
    void done(int result) override;

private:
    void show(const QImage& frame);
    void fail(CameraFault fault);

    const std::unique_ptr<FrameSource> source_;
    QLabel* view_ = nullptr;
    QPushButton* take_ = nullptr;
    QImage newest_;
};

}  // namespace bifocal::ui
