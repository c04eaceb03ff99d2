// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QObject>

#include <cstdint>
#include <memory>

class QCamera;
class QMediaCaptureSession;
class QVideoSink;

namespace bifocal::ui {

enum class CameraFault : std::uint8_t {
    NoCamera = 1,
    Refused,  ///< it is there and gives no picture, or it was unplugged
};

/// Where moving pictures of a prompt come from: a camera, or what a test shows. Threads: gui.
class FrameSource : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// frame() follows until stop(), or failed() ends it.
    virtual void start() = 0;
    virtual void stop() = 0;

Q_SIGNALS:
    void frame(const QImage& image);
    void failed(bifocal::ui::CameraFault fault);
};

/// The system's camera. It is opened by start() and closed by stop(): its light is on in between,
/// and never else. Threads: gui.
class Camera final : public FrameSource {
    Q_OBJECT
    Q_DISABLE_COPY(Camera)

public:
    explicit Camera(QObject* parent = nullptr);
    ~Camera() override;

    void start() override;
    void stop() override;

private:
    void fail();

    std::unique_ptr<QVideoSink> sink_;
    std::unique_ptr<QCamera> camera_;
    std::unique_ptr<QMediaCaptureSession> session_;
};

}  // namespace bifocal::ui
