// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <cstdint>
#include <vector>

namespace bifocal::ui {

/// What became of a microphone.
enum class SoundFault : std::uint8_t {
    NoMicrophone = 1,
    Refused,  ///< it is there and cannot be opened
    Lost,     ///< it was unplugged, or the sound system ended
};

/// Where the sound of a spoken prompt comes from: a microphone, or what a test plays.
/// Threads: gui.
class SoundSource : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// heard() follows until stop(), or failed() ends it.
    virtual void start() = 0;
    virtual void stop() = 0;

Q_SIGNALS:
    /// −1…1, mono, 16 kHz.
    void heard(const std::vector<float>& samples);
    void failed(bifocal::ui::SoundFault fault);
};

}  // namespace bifocal::ui
