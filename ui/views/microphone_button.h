// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/bridge/dictation.h"

#include <QElapsedTimer>
#include <QToolButton>

#include <chrono>

namespace bifocal::ui {

class Theme;

/// Starts and ends a dictation: a click listens until the speaker pauses, or to the next click;
/// held down, it listens as long as it is held. A ring around it shows how loud it is.
/// Threads: gui.
class MicrophoneButton final : public QToolButton {
    Q_OBJECT

public:
    /// Held for longer than this, it is being talked into.
    static constexpr std::chrono::milliseconds kHold{350};

    /// `dictation` must outlive it.
    MicrophoneButton(Dictation& dictation, const Theme& theme, QWidget* parent);

    double level() const { return level_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void onPressed();
    void onReleased();
    void showState();

    Dictation& dictation_;
    const Theme& theme_;
    QElapsedTimer sincePressed_;
    bool wasListening_ = false;  // when it was pressed
    double level_ = 0;
};

}  // namespace bifocal::ui
