// SPDX-License-Identifier: Apache-2.0
#include "ui/views/microphone.h"

#include <QAudioDevice>
#include <QAudioFormat>
#include <QAudioSource>
#include <QIODevice>
#include <QMediaDevices>

#include <algorithm>
#include <cstring>
#include <utility>

namespace bifocal::ui {

namespace {

constexpr int kRate = 16'000;
constexpr int kBytesPerSample = 2;

QAudioFormat speechFormat() {
    QAudioFormat format;
    format.setSampleRate(kRate);
    format.setChannelCount(1);
    format.setSampleFormat(QAudioFormat::Int16);
    return format;
}

std::vector<float> toSamples(const QByteArray& bytes) {
    constexpr float kScale = 1.0F / 32'768.0F;
    std::vector<float> samples(static_cast<std::size_t>(bytes.size()) / kBytesPerSample);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        qint16 value = 0;
        std::memcpy(&value, bytes.constData() + i * kBytesPerSample, sizeof(value));
        samples[i] = kScale * static_cast<float>(value);
    }
    return samples;
}

}  // namespace

Microphone::Microphone(QObject* parent) : SoundSource(parent) {
    deaf_.setSingleShot(true);
    deaf_.setInterval(kDeaf);
    connect(&deaf_, &QTimer::timeout, this, [this] { fail(SoundFault::Lost); });
}

Microphone::~Microphone() {
    close();
}

QList<Microphone::Device> Microphone::devices() {
    QList<Device> devices;
    for (const QAudioDevice& device : QMediaDevices::audioInputs()) {
        devices.append({device.id(), device.description()});
    }
    return devices;
}

void Microphone::start() {
    close();
    const QList<QAudioDevice> inputs = QMediaDevices::audioInputs();
    if (inputs.isEmpty()) {
        Q_EMIT failed(SoundFault::NoMicrophone);
        return;
    }
    const auto wanted = std::find_if(inputs.begin(), inputs.end(), [this](const auto& device) {
        return device.id() == wanted_;
    });
    const QAudioDevice device =
        wanted != inputs.end() ? *wanted : QMediaDevices::defaultAudioInput();
    if (device.isNull() || !device.isFormatSupported(speechFormat())) {
        Q_EMIT failed(SoundFault::Refused);
        return;
    }
    open_ = device.id();
    source_ = std::make_unique<QAudioSource>(device, speechFormat());
    stream_ = source_->start();
    if (stream_ == nullptr || source_->error() != QAudio::NoError) {
        fail(SoundFault::Refused);
        return;
    }
    connect(source_.get(), &QAudioSource::stateChanged, this, &Microphone::onStateChanged);
    connect(stream_, &QIODevice::readyRead, this, &Microphone::read);
    deaf_.start();
}

void Microphone::stop() {
    if (stream_ != nullptr && isPluggedIn()) {
        read();  // what was said until now
    }
    close();
}

void Microphone::read() {
    if (!isPluggedIn()) {
        fail(SoundFault::Lost);
        return;
    }
    deaf_.start();
    QByteArray bytes = std::exchange(rest_, {}) + stream_->readAll();
    if (bytes.size() % kBytesPerSample != 0) {
        rest_ = bytes.right(1);
        bytes.chop(1);
    }
    if (!bytes.isEmpty()) {
        Q_EMIT heard(toSamples(bytes));
    }
}

void Microphone::onStateChanged() {
    if (source_ != nullptr && source_->error() != QAudio::NoError &&
        source_->error() != QAudio::UnderrunError) {
        fail(SoundFault::Lost);
    }
}

/// The sound system may hand a stream on to another source when its own goes, and Qt does not
/// always tell; so each piece of sound is asked where it is from.
bool Microphone::isPluggedIn() const {
    const QList<QAudioDevice> inputs = QMediaDevices::audioInputs();
    return std::any_of(
        inputs.begin(), inputs.end(), [this](const auto& device) { return device.id() == open_; });
}

/// The source ends before whoever is called because of it; itself it must not be the caller then.
void Microphone::close() {
    deaf_.stop();
    rest_.clear();
    stream_ = nullptr;
    if (source_ != nullptr) {
        source_->disconnect(this);
        source_->stop();
        source_.release()->deleteLater();
    }
}

void Microphone::fail(SoundFault fault) {
    close();
    Q_EMIT failed(fault);
}

}  // namespace bifocal::ui
