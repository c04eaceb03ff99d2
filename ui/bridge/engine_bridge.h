// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/engine.h"
#include "ui/bridge/error_text.h"
#include "ui/models/items.h"

#include <QHash>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace bifocal::ui {

class PostQueue;

enum class TraceFormat : std::uint8_t { Chrome = 1, Csv };

/// The engine for everything in ui: asks it, and turns what it says on its own threads into signals
/// on Qt's. No call blocks on work; nothing arrives after the destructor.
/// Threads: gui. Owns: nothing of the engine, which must outlive it.
class EngineBridge final : public QObject {
    Q_OBJECT
    Q_DISABLE_COPY(EngineBridge)

public:
    using PictureHandler = std::function<void(const QImage&)>;  ///< null: it could not be read

    explicit EngineBridge(Engine& engine, QObject* parent = nullptr);
    ~EngineBridge() override;

    // ---- prompts

    /// Starts a prompt in place of the one that runs; zero when it was refused (then searchFailed
    /// has been emitted). answered and searchFailed speak of this prompt alone from here on.
    std::uint64_t submit(const PromptDraft& draft);
    /// Stops the prompt that runs; no signal of it follows.
    void cancelPrompt();

    // ---- speech

    using WordsHandler = std::function<void(const Result<QString>&)>;
    /// Whether speech can become words here.
    bool canHear() const { return engine_.canHear(); }
    /// What is said in mono samples of 16 kHz; the handler runs on Qt's thread, later, unless
    /// `context` is gone by then or it was cancelled. Zero: refused, and it runs all the same.
    RequestId recognize(std::vector<float> samples, QObject* context, WordsHandler handler);
    /// The handler does not run any more.
    void cancelRecognition(RequestId request);

    // ---- library: changes are made in their order on a thread of their own, for they wait for the
    //      disk; errorRaised follows when one cannot be. While something else writes the library
    //      they wait: that is said once, and they are made when it has ended

    /// Adds and indexes.
    void addFolder(const std::filesystem::path& root);
    void startIndexing(CollectionId collection);
    void pauseIndexing(CollectionId collection);
    void resumeIndexing(CollectionId collection);
    void removeCollection(CollectionId collection);
    /// Reads the failed files again; all of the collection when `paths` is empty.
    void retryFailures(CollectionId collection, std::vector<std::filesystem::path> paths);
    /// Waits for the changes that were asked for; what they say arrives later as ever.
    void finishChanges();
    void requestFailures();
    /// browsed follows, unless a later browse() came before it.
    void browse(CollectionId collection, int offset, int limit);

    // ---- pictures

    /// The picture reduced to fit side × side; the handler runs on Qt's thread, unless the request
    /// is cancelled or `context` is gone by then.
    RequestId loadPicture(const PictureSource& picture,
                          int side,
                          Urgency urgency,
                          QObject* context,
                          PictureHandler handler);
    void cancelPicture(RequestId request);

    // ---- state

    /// Reads the engine's status and announces what changed; happens by itself every kTick.
    void refresh();
    /// While nobody can see the window nothing is looked at; it is caught up with when shown.
    enum class Presence : std::uint8_t { Shown = 1, Hidden };
    void setPresence(Presence presence);
    /// Samples and requests are announced at each tick while somebody looks.
    enum class Watch : std::uint8_t { Off = 1, On };
    void watchProfiler(Watch watch);
    void exportTrace(const std::filesystem::path& path, TraceFormat format);

    static constexpr std::chrono::milliseconds kTick{500};
    static constexpr int kThumbnailSide = Engine::kThumbnailSide;

Q_SIGNALS:
    /// state is Partial or Final.
    void answered(const bifocal::ui::AnswerSummary& summary,
                  const QList<bifocal::ui::ResultItem>& rows);
    void searchFailed(const bifocal::ui::MessageItem& message);
    void browsed(bifocal::CollectionId collection,
                 int offset,
                 const QList<bifocal::ui::ResultItem>& rows);

    void collectionsChanged(const QList<bifocal::ui::CollectionItem>& collections);
    void indexingEnded(bifocal::CollectionId collection);
    /// Files came or went, by this process or another.
    void libraryChanged();
    void failuresListed(const QList<bifocal::ui::FailureItem>& failures);
    void deviceChanged(const bifocal::ui::DeviceItem& device);
    void errorRaised(const bifocal::ui::MessageItem& message);

    void sampled(const QList<bifocal::ui::SampleItem>& samples);
    void requestsListed(const QList<bifocal::ui::RequestItem>& requests);
    void traceExported(const QString& path);

private:
    /// What was asked for here, so that the request list can call it by its name.
    struct Asked {
        RequestId request;
        QString prompt;        ///< empty: indexing
        CollectionId indexed;  ///< none: a prompt
    };

    void onPromptEvent(const PromptEvent& event);
    void onIndexProgress(const IndexProgress& progress);
    IndexHandler indexHandler();
    void expect(CollectionId collection);
    using Change = std::function<void()>;
    /// Any thread: began() on Qt's.
    void begin(CollectionId collection, const Result<RequestId>& request, Change again);
    void began(CollectionId collection, const Result<RequestId>& request, Change again);
    /// A change that failed: to be made `again` later when the library was busy, else said.
    void changeFailed(const Error& error, Doing doing, Change again);
    void makePostponedChanges();
    void lookOut();
    void restIfUnseen();
    void announceCollections();
    void announceDevice();
    void announceProfile();
    std::optional<RequestId> runOf(CollectionId collection) const;
    void remember(const Asked& asked);
    QString labelOf(const profile::RequestTrace& trace) const;

    Engine& engine_;
    std::shared_ptr<PostQueue> queue_;
    QThreadPool writers_;  ///< one thread: exports, and changes of the library
    QTimer tick_;
    RequestId prompt_;
    QList<Asked> asked_;  ///< oldest first, as many as are listed
    std::uint64_t browseNumber_ = 0;
    EngineStatus status_;
    QHash<quint64, IndexProgress> runs_;  ///< by collection
    QList<Change> postponed_;             ///< until nobody else writes the library
    bool saidBusy_ = false;               ///< of those that are postponed
    QList<CollectionItem> announcedCollections_;
    DeviceItem announcedDevice_;
    bool hasAnnounced_ = false;
    Watch watch_ = Watch::Off;
    Presence presence_ = Presence::Shown;
};

}  // namespace bifocal::ui
