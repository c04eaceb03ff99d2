// SPDX-License-Identifier: Apache-2.0
#include "ui/views/say_and_point.h"

#include "ui/bridge/dictation.h"
#include "ui/views/capture.h"
#include "ui/views/prompt_bar.h"

#include <utility>

namespace bifocal::ui {

SayAndPoint::SayAndPoint(Capture& capture, Dictation& dictation, PromptBar& prompt)
    : capture_(capture), dictation_(dictation), prompt_(prompt) {
    connect(&dictation_, &Dictation::recognized, this, &SayAndPoint::search);
    connect(&dictation_, &Dictation::failed, this, [this] { isOn_ = false; });
    connect(&capture_, &Capture::cancelled, this, [this] {
        if (std::exchange(isOn_, false)) {
            prompt_.stopListening();
        }
    });
}

void SayAndPoint::begin(Ending ending) {
    if (capture_.isRunning()) {
        return;
    }
    isOn_ = true;
    prompt_.clear();
    dictation_.begin(ending == Ending::ByRelease ? Dictation::Ending::ByHand
                                                 : Dictation::Ending::BySilence);
    capture_.begin(Capture::What::Region);
}

void SayAndPoint::release() {
    if (isOn_) {
        dictation_.end();
    }
}

void SayAndPoint::search() {
    // While the region is being dragged the words wait for it; the picture's chip searches both.
    const bool isOwn = std::exchange(isOn_, false);
    if (isOwn && !capture_.isRunning() &&
        prompt_.spokenWords() == PromptBar::SpokenWords::WaitForEnter) {
        prompt_.search();
    }
}

}  // namespace bifocal::ui
