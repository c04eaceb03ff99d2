// SPDX-License-Identifier: Apache-2.0
#include "ui/desktop/portal_screen_source.h"

#include "ui/desktop/portal_request.h"

#include <QDBusMessage>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImageReader>
#include <QScreen>
#include <QUrl>

#include <cmath>
#include <utility>

namespace bifocal::ui {

namespace {

constexpr double kMostScale = 8;
constexpr double kAspectTolerance = 0.02;

CaptureFault faultOf(PortalRequest::Fault fault) {
    switch (fault) {
        case PortalRequest::Fault::Unavailable: return CaptureFault::Unavailable;
        case PortalRequest::Fault::Refused: return CaptureFault::Refused;
        case PortalRequest::Fault::NoAnswer: return CaptureFault::NoAnswer;
    }
    return CaptureFault::Unavailable;
}

/// Whether a picture of this size can show a desktop of that one, at whatever scale.
bool canShow(const QSize& picture, const QSize& desktop) {
    const double across = static_cast<double>(picture.width()) / desktop.width();
    const double down = static_cast<double>(picture.height()) / desktop.height();
    return across > 0 && across <= kMostScale && std::abs(down / across - 1) <= kAspectTolerance;
}

/// The whole desktop's picture, cut into its screens.
QList<ScreenImage> cut(const QImage& picture) {
    const QRect desktop = QGuiApplication::primaryScreen()->virtualGeometry();
    const double across = static_cast<double>(picture.width()) / desktop.width();
    const double down = static_cast<double>(picture.height()) / desktop.height();
    QList<ScreenImage> screens;
    for (const QScreen* screen : QGuiApplication::screens()) {
        const QRect place = screen->geometry().translated(-desktop.topLeft());
        const QPoint first(qRound(place.x() * across), qRound(place.y() * down));
        const QPoint end(qRound((place.x() + place.width()) * across),
                         qRound((place.y() + place.height()) * down));
        ScreenImage shown;
        shown.geometry = screen->geometry();
        shown.scale = across;
        shown.pixels = QRect(first, end - QPoint(1, 1));
        shown.image = picture.copy(shown.pixels);
        screens.append(shown);
    }
    return screens;
}

}  // namespace

PortalScreenSource::PortalScreenSource(const QDBusConnection& bus,
                                       std::chrono::milliseconds patience)
    : bus_(bus), patience_(patience) {}

PortalScreenSource::~PortalScreenSource() = default;

void PortalScreenSource::grab() {
    asked_ = QDateTime::currentDateTime();
    request_ = std::make_unique<PortalRequest>(bus_, nullptr);
    connect(request_.get(), &PortalRequest::answered, this, &PortalScreenSource::read);
    connect(request_.get(), &PortalRequest::failed, this, [this](PortalRequest::Fault fault) {
        request_.release()->deleteLater();  // it is speaking
        Q_EMIT failed(faultOf(fault));
    });
    QDBusMessage call =
        PortalRequest::callOf(QStringLiteral("Screenshot"), QStringLiteral("Screenshot"));
    call << QString()  // no window of ours is to be the parent of the desktop's question
         << QVariantMap{{QStringLiteral("handle_token"), request_->token()},
                        {QStringLiteral("modal"), false},
                        {QStringLiteral("interactive"), false}};
    request_->send(call, patience_);
}

void PortalScreenSource::cancel() {
    request_.reset();
}

void PortalScreenSource::read(const QVariantMap& results) {
    request_.release()->deleteLater();
    const QUrl place(results.value(QStringLiteral("uri")).toString());
    const QFileInfo file(place.toLocalFile());
    if (!place.isLocalFile() || !file.isFile()) {
        Q_EMIT failed(CaptureFault::WrongAnswer);
        return;
    }
    QImageReader reader(file.filePath());
    const QSize desktop = QGuiApplication::primaryScreen()->virtualGeometry().size();
    const QImage picture = canShow(reader.size(), desktop) ? reader.read() : QImage();
    if (picture.isNull()) {
        Q_EMIT failed(CaptureFault::WrongAnswer);
        return;
    }
    // Portals leave what they wrote among the person's pictures. Only a file that is surely of this
    // request goes.
    constexpr qint64 kClockStepMs = 10;  // file dates are cut to the kernel's tick
    if (file.lastModified() >= asked_.addMSecs(-kClockStepMs)) {
        QFile::remove(file.filePath());
    }
    Q_EMIT grabbed(cut(picture.convertToFormat(QImage::Format_RGB32)));
}

}  // namespace bifocal::ui
