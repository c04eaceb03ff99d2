// SPDX-License-Identifier: Apache-2.0
#include "ui/views/thumbnail_fade.h"

#include <QTimerEvent>

#include <algorithm>
#include <utility>

namespace bifocal::ui {

ThumbnailFade::ThumbnailFade(QObject* parent) : QObject(parent) {
    clock_.start();
}

void ThumbnailFade::begin(const QModelIndex& index) {
    fades_.append({index, clock_.elapsed()});
    if (!timer_.isActive()) {
        timer_.start(static_cast<int>(kStep.count()), Qt::PreciseTimer, this);
    }
}

double ThumbnailFade::opacity(const QModelIndex& index) const {
    const auto fade = std::find_if(
        fades_.begin(), fades_.end(), [&](const Fade& entry) { return entry.index == index; });
    return fade == fades_.end() ? 1.0 : opacityOf(*fade);
}

double ThumbnailFade::opacityOf(const Fade& fade) const {
    const auto elapsed = static_cast<double>(clock_.elapsed() - fade.beginMs);
    return std::clamp(elapsed / static_cast<double>(kDuration.count()), 0.0, 1.0);
}

void ThumbnailFade::timerEvent(QTimerEvent* /*event*/) {
    QList<Fade> moved;
    moved.swap(fades_);
    for (const Fade& fade : std::as_const(moved)) {
        if (fade.index.isValid() && opacityOf(fade) < 1) {
            fades_.append(fade);
        }
    }
    const bool hasEnded = fades_.isEmpty();
    if (hasEnded) {
        timer_.stop();
    }
    for (const Fade& fade : std::as_const(moved)) {
        if (fade.index.isValid()) {
            Q_EMIT advanced(fade.index);
        }
    }
    if (hasEnded) {
        Q_EMIT ended();
    }
}

}  // namespace bifocal::ui
