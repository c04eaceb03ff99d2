// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/engine/end_of_speech.h"
#include "ui/bridge/sound_source.h"
#include "ui/models/items.h"

#include <QObject>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bifocal::ui {

class EngineBridge;

/// Speech that becomes the words of a prompt: listens, shows the level and the words so far, finds
/// the end, and has the whole recognised. Silence and noise give no words but a message. Nothing
/// that was heard is kept. Threads: gui. Owns: the source.
class Dictation final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(Dictation)

public:
    enum class State : std::uint8_t { Idle = 1, Listening, Recognizing };
    enum class Ending : std::uint8_t {
        BySilence = 1,  ///< it ends when the speaker does, or by end()
        ByHand,         ///< it ends by end()
    };

    Dictation(EngineBridge& bridge, std::unique_ptr<SoundSource> source, QObject* parent = nullptr);
    ~Dictation() override;

    State state() const { return state_; }
    SoundSource& source() { return *source_; }

    /// Listens; while it does already, only the ending changes.
    void begin(Ending ending);
    /// Has recognised what was heard until now; recognized() or failed() follows.
    void end();
    /// Forgets what was heard; neither follows.
    void cancel();

    static constexpr std::size_t kSampleRate = 16'000;
    /// What the recogniser takes at once; the end of a prompt that is longer.
    static constexpr double kLongestSeconds = 30;
    /// Without a voice: the end of one that ends by silence.
    static constexpr double kPatienceSeconds = 8;
    /// Between two looks at the words so far.
    static constexpr double kPartialSeconds = 0.8;

Q_SIGNALS:
    void stateChanged();
    /// 0 silence … 1 loud.
    void levelChanged(double level);
    /// The words until now, which may still change.
    void heardSoFar(const QString& words);
    void recognized(const QString& words);
    void failed(const bifocal::ui::MessageItem& message);

private:
    void listen(const std::vector<float>& samples);
    void askForPartial();
    void settle(const Result<QString>& words);
    void fail(SoundFault fault);
    void giveUp(const MessageItem& message);
    void dropRequest();
    void setState(State state);
    double secondsHeard() const;

    EngineBridge& bridge_;
    const std::unique_ptr<SoundSource> source_;
    State state_ = State::Idle;
    Ending ending_ = Ending::BySilence;
    EndOfSpeech ears_;
    std::vector<float> samples_;
    std::size_t askedSamples_ = 0;  // that the last partial request had
    RequestId request_;             // that runs: a partial one, or the last one
};

}  // namespace bifocal::ui
