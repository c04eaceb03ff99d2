// SPDX-License-Identifier: Apache-2.0
#include "ui/views/prompt_inputs.h"

#include "ui/bridge/dictation.h"
#include "ui/bridge/session.h"
#include "ui/views/camera_dialog.h"
#include "ui/views/capture.h"
#include "ui/views/make_child.h"
#include "ui/views/microphone.h"
#include "ui/views/microphone_button.h"
#include "ui/views/picture_input.h"
#include "ui/views/prompt_bar.h"
#include "ui/views/say_and_point.h"

#include <QAction>
#include <QActionGroup>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QToolButton>

#include <chrono>
#include <utility>

namespace bifocal::ui {

PromptInputs::PromptInputs(Session& session,
                           PromptBar& prompt,
                           QWidget& window,
                           const Theme& theme,
                           QSettings* settings,
                           std::unique_ptr<ScreenSource> screens)
    : session_(session), prompt_(prompt), window_(window), settings_(settings) {
    addCapture(std::move(screens), theme);
    addVoice();
    connect(&prompt_, &PromptBar::openWanted, this, &PromptInputs::openPicture);
}

PromptInputs::~PromptInputs() = default;

void PromptInputs::addCapture(std::unique_ptr<ScreenSource> screens, const Theme& theme) {
    capture_ = std::make_unique<Capture>(std::move(screens), window_, theme);
    connect(&prompt_, &PromptBar::captureWanted, this, [this] {
        capture_->begin(Capture::What::Region);
    });
    connect(
        capture_.get(), &Capture::captured, this, [this](const QImage& image, const QString& name) {
            prompt_.setPicture(image, name);
            if (settings_ != nullptr) {
                settings_->setValue(QStringLiteral("capture/region"), capture_->lastRegion());
            }
        });
    connect(capture_.get(), &Capture::failed, this, [this](const MessageItem& message) {
        session_.messages().add(message);
    });
    if (settings_ != nullptr) {
        capture_->setLastRegion(settings_->value(QStringLiteral("capture/region")).toRect());
    }
    QToolButton& button = prompt_.captureButton();
    button.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&button, &QWidget::customContextMenuRequested, this, &PromptInputs::showCaptureMenu);
}

void PromptInputs::showCaptureMenu(const QPoint& position) {
    using std::chrono::seconds;
    constexpr seconds kDelay(3);
    QMenu menu(&window_);
    const auto add = [this, &menu](const QString& text, Capture::What what, seconds delay) {
        connect(menu.addAction(text), &QAction::triggered, this, [this, what, delay] {
            capture_->begin(what, delay);
        });
    };
    add(tr("Part of the screen"), Capture::What::Region, seconds(0));
    add(tr("Part of the screen, in 3 seconds"), Capture::What::Region, kDelay);
    add(tr("The whole screen"), Capture::What::Screen, seconds(0));
    if (!capture_->lastRegion().isEmpty()) {
        add(tr("The last region again"), Capture::What::LastRegion, seconds(0));
    }
    connect(menu.addAction(tr("Say and point")), &QAction::triggered, this, [this] {
        sayAndPoint_->begin(SayAndPoint::Ending::ByPause);
    });
    const QMimeData* clipboard = QGuiApplication::clipboard()->mimeData();
    QAction* paste = menu.addAction(tr("The picture in the clipboard"));
    paste->setEnabled(clipboard != nullptr && hasPictureInput(*clipboard));
    connect(paste, &QAction::triggered, this, [this] {
        take(*QGuiApplication::clipboard()->mimeData());
    });
    connect(
        menu.addAction(tr("The camera…")), &QAction::triggered, this, &PromptInputs::openCamera);
    menu.addSeparator();
    connect(menu.addAction(tr("Keys of the whole desktop…")),
            &QAction::triggered,
            this,
            &PromptInputs::keysWanted);
    menu.exec(prompt_.captureButton().mapToGlobal(position));
}

void PromptInputs::addVoice() {
    auto source = std::make_unique<Microphone>();
    microphone_ = source.get();
    dictation_ = std::make_unique<Dictation>(session_.bridge(), std::move(source));
    prompt_.setDictation(*dictation_);
    sayAndPoint_ = std::make_unique<SayAndPoint>(*capture_, *dictation_, prompt_);
    connect(dictation_.get(), &Dictation::failed, this, [this](const MessageItem& message) {
        session_.messages().add(message);
    });
    MicrophoneButton* button = prompt_.microphoneButton();
    button->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(button, &QWidget::customContextMenuRequested, this, &PromptInputs::showVoiceMenu);
    if (settings_ != nullptr) {
        microphone_->setDevice(settings_->value(QStringLiteral("voice/device")).toByteArray());
        prompt_.setSpokenWords(settings_->value(QStringLiteral("voice/atOnce"), false).toBool()
                                   ? PromptBar::SpokenWords::SearchAtOnce
                                   : PromptBar::SpokenWords::WaitForEnter);
    }
}

void PromptInputs::showVoiceMenu(const QPoint& position) {
    QMenu menu(&window_);
    QAction* atOnce = menu.addAction(tr("Search at once for what was said"));
    atOnce->setCheckable(true);
    atOnce->setChecked(prompt_.spokenWords() == PromptBar::SpokenWords::SearchAtOnce);
    connect(atOnce, &QAction::toggled, this, [this](bool isOn) {
        prompt_.setSpokenWords(isOn ? PromptBar::SpokenWords::SearchAtOnce
                                    : PromptBar::SpokenWords::WaitForEnter);
        rememberVoice();
    });
    menu.addSection(tr("Microphone"));
    auto* group = new QActionGroup(&menu);
    QList<Microphone::Device> devices = Microphone::devices();
    devices.prepend({QByteArray(), tr("the system's choice")});
    for (const Microphone::Device& device : devices) {
        QAction* action = menu.addAction(device.name);
        action->setCheckable(true);
        action->setChecked(device.id == microphone_->device());
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, id = device.id] {
            microphone_->setDevice(id);
            rememberVoice();
        });
    }
    menu.exec(prompt_.microphoneButton()->mapToGlobal(position));
}

void PromptInputs::rememberVoice() {
    if (settings_ != nullptr) {
        settings_->setValue(QStringLiteral("voice/device"), microphone_->device());
        settings_->setValue(QStringLiteral("voice/atOnce"),
                            prompt_.spokenWords() == PromptBar::SpokenWords::SearchAtOnce);
    }
}

void PromptInputs::openPicture() {
    auto* dialog = makeChild<QFileDialog>(&window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Search with a picture"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const std::filesystem::path file = path.toStdString();
        prompt_.setPicture(file, nameOf(file));
    });
    dialog->open();
}

void PromptInputs::openCamera() {
    auto* dialog = makeChild<CameraDialog>(&window_, std::make_unique<Camera>());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &CameraDialog::taken, this, [this](const QImage& image) {
        prompt_.setPicture(image, tr("camera"));
    });
    dialog->open();
}

bool PromptInputs::take(const QMimeData& input) {
    const auto taken = pictureInputOf(input);
    if (!taken) {
        return false;
    }
    if (taken->kind == PictureInput::Kind::Folder) {
        session_.bridge().addFolder(taken->folder);
    } else {
        prompt_.setPicture(taken->picture, taken->name);
    }
    return true;
}

}  // namespace bifocal::ui
