// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/desktop/screen_source.h"

#include <QObject>

#include <memory>

class QMimeData;
class QPoint;
class QSettings;
class QWidget;

namespace bifocal::ui {

class Capture;
class Dictation;
class Microphone;
class PromptBar;
class SayAndPoint;
class Session;
class Theme;

/// What can become a prompt besides what is typed: the screen, the camera, a file, what is dropped
/// or pasted, and speech; with the menus of the buttons for them. Threads: gui.
class PromptInputs final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(PromptInputs)

public:
    /// `window` is put aside while the screen is captured. `settings` remembers the last region and
    /// the microphone; null remembers nothing. All must outlive it.
    PromptInputs(Session& session,
                 PromptBar& prompt,
                 QWidget& window,
                 const Theme& theme,
                 QSettings* settings,
                 std::unique_ptr<ScreenSource> screens);
    ~PromptInputs() override;

    Capture& capture() { return *capture_; }
    SayAndPoint& sayAndPoint() { return *sayAndPoint_; }

    void openPicture();
    void openCamera();
    /// Takes a picture or folder; false when there is none in it.
    bool take(const QMimeData& input);

Q_SIGNALS:
    void keysWanted();  ///< to choose keys of the whole desktop

private:
    void addCapture(std::unique_ptr<ScreenSource> screens, const Theme& theme);
    void addVoice();
    void showCaptureMenu(const QPoint& position);
    void showVoiceMenu(const QPoint& position);
    void rememberVoice();

    Session& session_;
    PromptBar& prompt_;
    QWidget& window_;
    QSettings* const settings_;
    std::unique_ptr<Capture> capture_;
    Microphone* microphone_ = nullptr;  // of the dictation
    std::unique_ptr<Dictation> dictation_;
    std::unique_ptr<SayAndPoint> sayAndPoint_;
};

}  // namespace bifocal::ui
