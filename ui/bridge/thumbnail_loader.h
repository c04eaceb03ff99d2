// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/tracer.h"
#include "ui/models/items.h"

#include <QHash>
#include <QList>
#include <QObject>

namespace bifocal::ui {

class EngineBridge;
class ResultModel;

/// Serves the model's thumbnailWanted: what is on the screen first, a few at a time; what has
/// scrolled away is dropped, also when it is being loaded, and may be asked for again.
/// Threads: gui. Owns: nothing; bridge and model must outlive it.
class ThumbnailLoader final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(ThumbnailLoader)

public:
    static constexpr int kAtOnce = 6;

    ThumbnailLoader(EngineBridge& bridge, ResultModel& model, QObject* parent = nullptr);
    ~ThumbnailLoader() override;

    /// The rows on the screen, inclusive; the last call counts. Before the first call everything
    /// counts as visible.
    void setVisibleRows(int first, int last);

    int pendingCount() const { return static_cast<int>(waiting_.size() + running_.size()); }

private:
    struct Wanted {
        ContentKey content;
        std::filesystem::path path;
    };
    struct Running {
        Wanted wanted;
        RequestId request;
    };

    void want(const ResultItem& item);
    void startNext();
    void finish(const QByteArray& key, const QImage& image);
    bool isVisible(const ContentKey& content) const;
    void dropHidden();

    EngineBridge& bridge_;
    ResultModel& model_;
    QList<Wanted> waiting_;
    QHash<QByteArray, Running> running_;
    QList<QByteArray> visible_;
    bool knowsVisible_ = false;
};

}  // namespace bifocal::ui
