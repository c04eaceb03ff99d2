// SPDX-License-Identifier: Apache-2.0
#include "ui/views/microphone_button.h"

#include "ui/views/icons.h"
#include "ui/views/theme.h"

#include <QPainter>

namespace bifocal::ui {

MicrophoneButton::MicrophoneButton(Dictation& dictation, const Theme& theme, QWidget* parent)
    : QToolButton(parent), dictation_(dictation), theme_(theme) {
    setFixedSize(32, 32);
    setIconSize(QSize(20, 20));
    connect(this, &QToolButton::pressed, this, &MicrophoneButton::onPressed);
    connect(this, &QToolButton::released, this, &MicrophoneButton::onReleased);
    connect(&dictation, &Dictation::stateChanged, this, &MicrophoneButton::showState);
    connect(&dictation, &Dictation::levelChanged, this, [this](double level) {
        level_ = level;
        update();
    });
    connect(&theme, &Theme::changed, this, &MicrophoneButton::showState);
    showState();
}

void MicrophoneButton::onPressed() {
    sincePressed_.start();
    wasListening_ = dictation_.state() == Dictation::State::Listening;
    if (!wasListening_) {
        dictation_.begin(Dictation::Ending::BySilence);
    }
}

void MicrophoneButton::onReleased() {
    if (wasListening_ || sincePressed_.hasExpired(kHold.count())) {
        dictation_.end();
    }
}

void MicrophoneButton::showState() {
    const Palette& palette = theme_.palette();
    const Dictation::State state = dictation_.state();
    const bool isListening = state == Dictation::State::Listening;
    level_ = isListening ? level_ : 0;
    setIcon(glyphIcon(Glyph::Microphone, isListening ? palette.words : palette.muted));
    setEnabled(state != Dictation::State::Recognizing);
    setAccessibleName(isListening ? tr("stop listening") : tr("speak the prompt"));
    setToolTip(isListening
                   ? tr("Listening. Click to end it; Esc gives up.")
                   : tr("Speak English, it ends when you pause; or hold and talk (Ctrl+M)"));
    update();
}

void MicrophoneButton::paintEvent(QPaintEvent* event) {
    QToolButton::paintEvent(event);
    if (dictation_.state() != Dictation::State::Listening) {
        return;
    }
    constexpr double kThin = 1.0;
    constexpr double kThick = 3.5;
    const double pen = kThin + level_ * (kThick - kThin);
    const double inset = pen / 2 + 1;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme_.palette().words, pen));
    painter.drawEllipse(QRectF(rect()).adjusted(inset, inset, -inset, -inset));
}

}  // namespace bifocal::ui
