// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/dictation.h"

#include "ui/bridge/engine_bridge.h"
#include "ui/bridge/error_text.h"

#include <algorithm>
#include <utility>

namespace bifocal::ui {

namespace {

/// Of −60 to −10 decibels, what lies between a quiet room and a near voice.
double levelOf(double decibel) {
    constexpr double kSilent = -60;
    constexpr double kLoud = -10;
    return std::clamp((decibel - kSilent) / (kLoud - kSilent), 0.0, 1.0);
}

/// A sentence's full stop is not looked for.
QString promptOf(const QString& sentence) {
    const QString words = sentence.trimmed();
    const bool isOneSentence = words.count(QLatin1Char('.')) == 1;
    return isOneSentence && words.endsWith(QLatin1Char('.')) ? words.chopped(1) : words;
}

}  // namespace

Dictation::Dictation(EngineBridge& bridge, std::unique_ptr<SoundSource> source, QObject* parent)
    : QObject(parent), bridge_(bridge), source_(std::move(source)) {
    connect(source_.get(), &SoundSource::heard, this, &Dictation::listen);
    connect(source_.get(), &SoundSource::failed, this, &Dictation::fail);
}

Dictation::~Dictation() {
    source_->disconnect(this);
    source_->stop();
    dropRequest();
}

void Dictation::begin(Ending ending) {
    ending_ = ending;
    if (state_ == State::Listening) {
        return;
    }
    if (!bridge_.canHear()) {
        Q_EMIT failed(
            errorText({ErrorCode::Unsupported, "no speech model is installed"}, Doing::Listening));
        return;
    }
    dropRequest();
    ears_ = {};
    samples_.clear();
    askedSamples_ = 0;
    setState(State::Listening);
    source_->start();  // may fail at once
}

void Dictation::end() {
    if (state_ != State::Listening) {
        return;
    }
    source_->stop();
    if (state_ != State::Listening) {
        return;  // the last samples ended it
    }
    dropRequest();
    if (ears_.state() == EndOfSpeech::State::Waiting) {
        giveUp({tr("Nothing was heard. Speak nearer to the microphone, or look at its level in the "
                   "system's sound settings."),
                {},
                MessageItem::Action::None,
                {}});
        return;
    }
    setState(State::Recognizing);
    request_ = bridge_.recognize(
        std::exchange(samples_, {}), this, [this](const Result<QString>& words) { settle(words); });
}

void Dictation::cancel() {
    source_->stop();
    dropRequest();
    samples_.clear();
    setState(State::Idle);
}

void Dictation::listen(const std::vector<float>& samples) {
    if (state_ != State::Listening) {
        return;
    }
    samples_.insert(samples_.end(), samples.begin(), samples.end());
    const EndOfSpeech::State ears = ears_.feed(samples);
    Q_EMIT levelChanged(levelOf(ears_.decibel()));
    const bool isOver =
        ending_ == Ending::BySilence &&
        (ears == EndOfSpeech::State::Ended ||
         (ears == EndOfSpeech::State::Waiting && secondsHeard() >= kPatienceSeconds));
    if (isOver || secondsHeard() >= kLongestSeconds) {
        end();
    } else if (ears != EndOfSpeech::State::Waiting) {
        askForPartial();
    }
}

void Dictation::askForPartial() {
    const auto step = static_cast<std::size_t>(kPartialSeconds * kSampleRate);
    if (request_ || samples_.size() < askedSamples_ + step) {
        return;
    }
    askedSamples_ = samples_.size();
    request_ = bridge_.recognize(samples_, this, [this](const Result<QString>& words) {
        request_ = {};
        if (words && !words->isEmpty() && state_ == State::Listening) {
            Q_EMIT heardSoFar(promptOf(*words));
        }
    });
}

void Dictation::settle(const Result<QString>& words) {
    request_ = {};
    if (!words) {
        giveUp(errorText(words.error(), Doing::Listening));
    } else if (words->trimmed().isEmpty()) {
        giveUp({tr("No words were understood."), {}, MessageItem::Action::None, {}});
    } else {
        setState(State::Idle);
        Q_EMIT recognized(promptOf(*words));
    }
}

void Dictation::fail(SoundFault fault) {
    MessageItem message;
    switch (fault) {
        case SoundFault::NoMicrophone: message.text = tr("There is no microphone."); break;
        case SoundFault::Refused: message.text = tr("The microphone could not be opened."); break;
        case SoundFault::Lost: message.text = tr("The microphone is gone."); break;
    }
    dropRequest();
    giveUp(message);
}

void Dictation::giveUp(const MessageItem& message) {
    samples_.clear();
    setState(State::Idle);
    Q_EMIT failed(message);
}

void Dictation::dropRequest() {
    if (request_) {
        bridge_.cancelRecognition(std::exchange(request_, {}));
    }
}

void Dictation::setState(State state) {
    if (state_ != state) {
        state_ = state;
        Q_EMIT stateChanged();
    }
}

double Dictation::secondsHeard() const {
    return static_cast<double>(samples_.size()) / kSampleRate;
}

}  // namespace bifocal::ui
