// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/bridge/engine_bridge.h"
#include "ui/bridge/thumbnail_loader.h"
#include "ui/models/collection_model.h"
#include "ui/models/failure_model.h"
#include "ui/models/message_list_model.h"
#include "ui/models/profiler_series.h"
#include "ui/models/request_model.h"
#include "ui/models/result_model.h"

#include <QObject>

namespace bifocal::ui {

/// What one window shows and does: the bridge, the models it fills, and the prompt or collection
/// that the grid shows. Views read the models, call this, and listen.
/// Threads: gui. Owns: bridge and models, in order of need.
class Session final : public QObject {
    Q_OBJECT

public:
    /// `engine` must outlive the session.
    explicit Session(Engine& engine, QObject* parent = nullptr);

    /// Reads the library and shows its newest pictures.
    void start();

    /// Shows the answers to a prompt; an empty one shows the pictures of its collection.
    void search(const PromptDraft& draft);
    /// The last prompt once more.
    void searchAgain() { search(draft_); }
    /// Shows this collection (none: everything), with the prompt when there is one.
    void selectCollection(CollectionId collection);
    /// What is shown of the answers, to this prompt and to those to come.
    void setNarrowing(const Narrowing& narrowing);
    CollectionId collection() const { return draft_.collection; }

    /// The prompt whose answer is shown or on its way.
    const PromptDraft& draft() const { return draft_; }
    const AnswerSummary& summary() const { return summary_; }
    const DeviceItem& device() const { return device_; }

    EngineBridge& bridge() { return bridge_; }
    ThumbnailLoader& thumbnails() { return thumbnails_; }
    ResultModel& results() { return results_; }
    CollectionModel& collections() { return collections_; }
    FailureModel& failures() { return failures_; }
    MessageListModel& messages() { return messages_; }
    ProfilerSeries& series() { return series_; }
    RequestModel& requests() { return requests_; }

    static constexpr int kPageRows = 200;

Q_SIGNALS:
    void summaryChanged(const bifocal::ui::AnswerSummary& summary);
    void deviceChanged(const bifocal::ui::DeviceItem& device);
    void collectionSelected(bifocal::CollectionId collection);

private:
    void browseFrom(int offset);
    void showBrowsed(CollectionId collection, int offset, const QList<ResultItem>& rows);
    void showAnswer(const AnswerSummary& summary, const QList<ResultItem>& rows);
    void showFailure(const MessageItem& message);
    void followLibrary();
    void setSummary(const AnswerSummary& summary);
    QString collectionName() const;
    std::uint64_t browsedCount() const;
    void countBrowsed();

    EngineBridge bridge_;
    ResultModel results_;
    CollectionModel collections_;
    FailureModel failures_;
    MessageListModel messages_;
    ProfilerSeries series_;
    RequestModel requests_;
    ThumbnailLoader thumbnails_;

    PromptDraft draft_;
    AnswerSummary summary_;
    DeviceItem device_;
    std::uint64_t shownRequest_ = 0;  ///< whose rows the grid shows; 0: browsed ones
    bool isRefining_ = false;         ///< the next answer is the same prompt on a grown library
};

}  // namespace bifocal::ui
