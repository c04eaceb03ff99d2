// SPDX-License-Identifier: Apache-2.0
#include "ui/views/camera.h"

#include <QCamera>
#include <QMediaCaptureSession>
#include <QMediaDevices>
#include <QVideoFrame>
#include <QVideoSink>

namespace bifocal::ui {

Camera::Camera(QObject* parent) : FrameSource(parent) {}

Camera::~Camera() {
    stop();
}

void Camera::start() {
    stop();
    if (QMediaDevices::videoInputs().isEmpty()) {
        Q_EMIT failed(CameraFault::NoCamera);
        return;
    }
    sink_ = std::make_unique<QVideoSink>();
    camera_ = std::make_unique<QCamera>(QMediaDevices::defaultVideoInput());
    session_ = std::make_unique<QMediaCaptureSession>();
    connect(sink_.get(), &QVideoSink::videoFrameChanged, this, [this](const QVideoFrame& shown) {
        if (const QImage image = shown.toImage(); !image.isNull()) {
            Q_EMIT frame(image);
        }
    });
    // Later: what speaks cannot be closed.
    connect(camera_.get(), &QCamera::errorOccurred, this, &Camera::fail, Qt::QueuedConnection);
    session_->setCamera(camera_.get());
    session_->setVideoSink(sink_.get());
    camera_->start();
}

void Camera::stop() {
    session_.reset();
    camera_.reset();
    sink_.reset();
}

void Camera::fail() {
    if (camera_) {
        stop();
        Q_EMIT failed(CameraFault::Refused);
    }
}

}  // namespace bifocal::ui
