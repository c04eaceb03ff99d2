// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <cstdint>

namespace bifocal::ui {

class Capture;
class Dictation;
class PromptBar;

/// One gesture with both lenses: while a region is dragged, words are spoken. The picture is
/// searched as soon as it is there; when the last word was understood, both are searched as one
/// prompt. Threads: gui.
class SayAndPoint final : public QObject {
    Q_OBJECT

public:
    /// All must outlive it; `prompt` shows what `dictation` hears.
    SayAndPoint(Capture& capture, Dictation& dictation, PromptBar& prompt);

    enum class Ending : std::uint8_t {
        ByPause = 1,  ///< the words end when the speaker does
        ByRelease,    ///< they end with release()
    };
    /// Nothing while a capture runs.
    void begin(Ending ending);
    void release();

private:
    void search();

    Capture& capture_;
    Dictation& dictation_;
    PromptBar& prompt_;
    bool isOn_ = false;  // from begin() until the words are there or given up
};

}  // namespace bifocal::ui
