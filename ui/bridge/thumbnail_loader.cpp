// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/thumbnail_loader.h"

#include "ui/bridge/engine_bridge.h"
#include "ui/models/result_model.h"

#include <algorithm>

namespace bifocal::ui {

ThumbnailLoader::ThumbnailLoader(EngineBridge& bridge, ResultModel& model, QObject* parent)
    : QObject(parent), bridge_(bridge), model_(model) {
    // Queued: the model asks while it is being painted, which is no time to start work.
    connect(
        &model, &ResultModel::thumbnailWanted, this, &ThumbnailLoader::want, Qt::QueuedConnection);
}

ThumbnailLoader::~ThumbnailLoader() {
    for (const Running& running : std::as_const(running_)) {
        bridge_.cancelPicture(running.request);
    }
}

void ThumbnailLoader::want(const ResultItem& item) {
    waiting_.append({item.content, item.path});
    startNext();
}

void ThumbnailLoader::setVisibleRows(int first, int last) {
    visible_.clear();
    knowsVisible_ = true;
    for (int row = std::max(0, first); row <= std::min(last, model_.rowCount() - 1); ++row) {
        visible_.append(toKey(model_.itemAt(row).content));
    }
    dropHidden();
    startNext();
}

bool ThumbnailLoader::isVisible(const ContentKey& content) const {
    return !knowsVisible_ || visible_.contains(toKey(content));
}

void ThumbnailLoader::dropHidden() {
    for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
        if (isVisible(waiting->content)) {
            ++waiting;
        } else {
            model_.forgetThumbnailRequest(waiting->content);
            waiting = waiting_.erase(waiting);
        }
    }
    for (auto running = running_.begin(); running != running_.end();) {
        if (isVisible(running->wanted.content)) {
            ++running;
        } else {
            bridge_.cancelPicture(running->request);
            model_.forgetThumbnailRequest(running->wanted.content);
            running = running_.erase(running);
        }
    }
}

void ThumbnailLoader::startNext() {
    while (running_.size() < kAtOnce && !waiting_.isEmpty()) {
        const auto visible = std::find_if(waiting_.begin(), waiting_.end(), [&](const Wanted& w) {
            return isVisible(w.content);
        });
        const auto next = visible == waiting_.end() ? waiting_.begin() : visible;
        const Wanted wanted = *next;
        waiting_.erase(next);
        const QByteArray key = toKey(wanted.content);
        if (running_.contains(key)) {
            continue;
        }
        const RequestId request = bridge_.loadPicture(
            wanted.path,
            EngineBridge::kThumbnailSide,
            isVisible(wanted.content) ? Urgency::Interactive : Urgency::Prefetch,
            this,
            [this, key](const QImage& image) { finish(key, image); });
        running_.insert(key, {wanted, request});
    }
}

void ThumbnailLoader::finish(const QByteArray& key, const QImage& image) {
    const auto running = running_.constFind(key);
    if (running == running_.constEnd()) {
        return;  // dropped while its answer was on the way
    }
    const ContentKey content = running->wanted.content;
    running_.erase(running);
    if (image.isNull()) {
        model_.setThumbnailFailed(content);
    } else {
        model_.setThumbnail(content, image);
    }
    startNext();
}

}  // namespace bifocal::ui
