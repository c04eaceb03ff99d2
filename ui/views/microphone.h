// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/bridge/sound_source.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QTimer>

#include <chrono>
#include <memory>

class QAudioSource;
class QIODevice;

namespace bifocal::ui {

/// A microphone of the sound system. It is opened by start() and closed by stop(): nothing listens
/// in between, and the sound system is not even asked before the first start().
/// Threads: gui.
class Microphone final : public SoundSource {
    Q_OBJECT
    Q_DISABLE_COPY(Microphone)

public:
    explicit Microphone(QObject* parent = nullptr);
    ~Microphone() override;

    void start() override;
    void stop() override;

    /// A microphone that gives nothing for so long, not even silence, is gone.
    static constexpr std::chrono::seconds kDeaf{3};

    /// The microphone to listen to from the next start() on; empty: the system's choice.
    void setDevice(const QByteArray& id) { wanted_ = id; }
    const QByteArray& device() const { return wanted_; }

    struct Device {
        QByteArray id;
        QString name;
    };
    /// Those that are there now.
    static QList<Device> devices();

private:
    void read();
    void onStateChanged();
    bool isPluggedIn() const;
    void close();
    void fail(SoundFault fault);

    QByteArray wanted_;
    QByteArray open_;  // the device that is listened to
    std::unique_ptr<QAudioSource> source_;
    QIODevice* stream_ = nullptr;  // of source_
    QByteArray rest_;              // half a sample
    QTimer deaf_;                  // runs out when no sound comes, not even silence
};

}  // namespace bifocal::ui
