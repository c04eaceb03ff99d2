// SPDX-License-Identifier: Apache-2.0
#include "ui/views/camera_dialog.h"

#include "ui/views/make_child.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace bifocal::ui {

namespace {

const QSize kView(640, 480);

}  // namespace

CameraDialog::CameraDialog(std::unique_ptr<FrameSource> source, QWidget* parent)
    : QDialog(parent), source_(std::move(source)) {
    setWindowTitle(tr("Search with the camera"));
    auto* layout = new QVBoxLayout(this);
    view_ = makeChild<QLabel>(this);
    view_->setFixedSize(kView);
    view_->setAlignment(Qt::AlignCenter);
    view_->setWordWrap(true);
    view_->setText(tr("The camera is being opened…"));
    view_->setAccessibleName(tr("what the camera sees"));
    auto* buttons = makeChild<QDialogButtonBox>(this, QDialogButtonBox::Cancel);
    take_ = buttons->addButton(tr("Search with this picture"), QDialogButtonBox::AcceptRole);
    take_->setEnabled(false);
    layout->addWidget(view_);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(source_.get(), &FrameSource::frame, this, &CameraDialog::show);
    connect(source_.get(), &FrameSource::failed, this, &CameraDialog::fail);
}

CameraDialog::~CameraDialog() {
    source_->disconnect(this);
    source_->stop();
}

void CameraDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    source_->start();  // may fail at once
}

void CameraDialog::done(int result) {
    source_->stop();
    QDialog::done(result);
    if (result == Accepted && !newest_.isNull()) {
        Q_EMIT taken(newest_);
    }
}

void CameraDialog::show(const QImage& frame) {
    newest_ = frame;
    take_->setEnabled(true);
    take_->setDefault(true);
    const double ratio = devicePixelRatio();
    QImage shown = frame.scaled(kView * ratio, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    shown.setDevicePixelRatio(ratio);
    view_->setPixmap(QPixmap::fromImage(shown));
}

void CameraDialog::fail(CameraFault fault) {
    newest_ = {};
    take_->setEnabled(false);
    view_->setText(fault == CameraFault::NoCamera
                       ? tr("There is no camera.")
                       : tr("The camera gives no picture. Another program may use it."));
}

}  // namespace bifocal::ui
