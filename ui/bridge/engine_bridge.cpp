// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/engine_bridge.h"

#include "core/base/files.h"
#include "ui/bridge/engine_convert.h"
#include "ui/bridge/engine_text.h"
#include "ui/bridge/image_convert.h"
#include "ui/bridge/post_queue.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace bifocal::ui {

namespace {

constexpr std::size_t kListedRequests = 60;

bool isOver(IndexState state) {
    return state == IndexState::Done || state == IndexState::Failed ||
           state == IndexState::Cancelled;
}

}  // namespace

EngineBridge::EngineBridge(Engine& engine, QObject* parent)
    : QObject(parent), engine_(engine), queue_(PostQueue::make()) {
    writers_.setMaxThreadCount(1);
    tick_.setInterval(kTick);
    connect(&tick_, &QTimer::timeout, this, &EngineBridge::refresh);
    tick_.start();
}

EngineBridge::~EngineBridge() {
    queue_->close();
    cancelPrompt();
    finishChanges();
}

void EngineBridge::finishChanges() {
    writers_.waitForDone();
}

std::uint64_t EngineBridge::submit(const PromptDraft& draft) {
    const RequestId superseded = std::exchange(prompt_, RequestId{});
    auto handler = [this, queue = queue_](const PromptEvent& event) {
        queue->post([this, event] { onPromptEvent(event); });
    };
    const Result<RequestId> request = engine_.submit(toPrompt(draft), handler, superseded);
    if (!request) {
        engine_.cancel(superseded);
        if (request.error().code != ErrorCode::Cancelled) {
            Q_EMIT searchFailed(errorText(request.error(), Doing::Searching));
        }
        return 0;
    }
    prompt_ = *request;
    remember({prompt_, promptLabel(draft), {}});
    return prompt_.value;
}

void EngineBridge::remember(const Asked& asked) {
    asked_.append(asked);
    if (asked_.size() > static_cast<qsizetype>(kListedRequests)) {
        asked_.removeFirst();
    }
}

/// In the reader's language where the request came from here; else as the engine calls it.
QString EngineBridge::labelOf(const profile::RequestTrace& trace) const {
    const auto asked = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& entry) {
        return entry.request == trace.request;
    });
    if (asked == asked_.end()) {
        return QString::fromStdString(trace.label);
    }
    if (!asked->prompt.isEmpty()) {
        return asked->prompt;
    }
    const auto& collections = status_.collections;
    const auto folder =
        std::find_if(collections.begin(), collections.end(), [&](const CollectionRecord& record) {
            return record.id == asked->indexed;
        });
    return folder == collections.end() ? QString::fromStdString(trace.label)
                                       : indexingLabel(nameOf(folder->root));
}

void EngineBridge::cancelPrompt() {
    if (prompt_) {
        engine_.cancel(std::exchange(prompt_, RequestId{}));
    }
}

void EngineBridge::onPromptEvent(const PromptEvent& event) {
    if (event.request != prompt_) {
        return;  // superseded: nobody waits for it
    }
    switch (event.kind) {
        case PromptEventKind::Partial:
        case PromptEventKind::Done: {
            if (event.kind == PromptEventKind::Done) {
                prompt_ = {};
            }
            if (event.results) {
                AnswerSummary summary = toSummary(*event.results);
                summary.request = event.request.value;
                summary.state = event.kind == PromptEventKind::Done ? AnswerSummary::State::Final
                                                                    : AnswerSummary::State::Partial;
                Q_EMIT answered(summary, toItems(event.results->rows));
            }
            if (event.kind == PromptEventKind::Done && watch_ == Watch::On) {
                announceProfile();  // its figure is looked for at once
            }
            break;
        }
        case PromptEventKind::Failed:
            prompt_ = {};
            Q_EMIT searchFailed(errorText(event.error.value_or(Error{}), Doing::Searching));
            break;
        case PromptEventKind::Cancelled: prompt_ = {}; break;
        case PromptEventKind::Accepted:
        case PromptEventKind::Stage: break;
    }
}

void EngineBridge::addFolder(const std::filesystem::path& root) {
    writers_.start([this, queue = queue_, root] {
        const Result<CollectionId> collection = engine_.addCollection(root);
        if (!collection) {
            queue->post([this, error = collection.error(), root] {
                changeFailed(error, Doing::AddingFolder, [this, root] { addFolder(root); });
            });
            return;
        }
        queue->post([this, id = *collection] {
            expect(id);
            refresh();
        });
        begin(*collection, engine_.startIndexing(*collection, indexHandler()), [this, collection] {
            startIndexing(*collection);
        });
    });
}

IndexHandler EngineBridge::indexHandler() {
    return [this, queue = queue_](const IndexProgress& progress) {
        queue->post([this, progress] { onIndexProgress(progress); });
    };
}

void EngineBridge::startIndexing(CollectionId collection) {
    expect(collection);
    writers_.start([this, collection] {
        begin(collection, engine_.startIndexing(collection, indexHandler()), [this, collection] {
            startIndexing(collection);
        });
    });
}

void EngineBridge::retryFailures(CollectionId collection,
                                 std::vector<std::filesystem::path> paths) {
    expect(collection);
    writers_.start([this, collection, paths = std::move(paths)] {
        begin(collection, engine_.retryFailures(collection, paths, indexHandler()), [=, this] {
            retryFailures(collection, paths);
        });
    });
}

/// Shown as being scanned from now on. Progress may arrive before the request's id does.
void EngineBridge::expect(CollectionId collection) {
    if (!runs_.contains(collection.value)) {
        IndexProgress progress;
        progress.collection = collection;
        runs_.insert(collection.value, progress);
        announceCollections();
    }
}

void EngineBridge::begin(CollectionId collection, const Result<RequestId>& request, Change again) {
    queue_->post([this, collection, request, again = std::move(again)] {
        began(collection, request, again);
    });
}

void EngineBridge::began(CollectionId collection, const Result<RequestId>& request, Change again) {
    const auto run = runs_.find(collection.value);
    if (request) {
        remember({*request, {}, collection});
        if (run != runs_.end() && !run->request) {
            run->request = *request;
        }
        return;
    }
    if (run != runs_.end() && !run->request) {
        runs_.erase(run);
        announceCollections();
    }
    changeFailed(request.error(), Doing::Indexing, std::move(again));
}

void EngineBridge::changeFailed(const Error& error, Doing doing, Change again) {
    const bool isBusy = error.code == ErrorCode::Busy;
    if (!isBusy || !saidBusy_) {
        Q_EMIT errorRaised(errorText(error, doing));
    }
    if (isBusy) {
        saidBusy_ = true;
        postponed_.append(std::move(again));
        if (!tick_.isActive()) {
            lookOut();
        }
    }
}

void EngineBridge::makePostponedChanges() {
    if (postponed_.isEmpty() && writers_.activeThreadCount() == 0) {
        saidBusy_ = false;  // none is waiting, none is being tried again
    }
    for (const Change& change : std::exchange(postponed_, {})) {
        change();
    }
}

std::optional<RequestId> EngineBridge::runOf(CollectionId collection) const {
    const auto run = runs_.constFind(collection.value);
    return run == runs_.constEnd() || !run->request ? std::nullopt : std::optional(run->request);
}

void EngineBridge::pauseIndexing(CollectionId collection) {
    if (const auto run = runOf(collection)) {
        engine_.pauseIndexing(*run);
    }
}

void EngineBridge::resumeIndexing(CollectionId collection) {
    if (const auto run = runOf(collection)) {
        engine_.resumeIndexing(*run);
    }
}

void EngineBridge::removeCollection(CollectionId collection) {
    if (const auto run = runOf(collection)) {
        engine_.cancel(*run);
    }
    writers_.start([this, queue = queue_, collection] {
        const Result<void> removed = engine_.removeCollection(collection);
        queue->post([this, removed, collection] {
            if (!removed) {
                changeFailed(removed.error(), Doing::Indexing, [this, collection] {
                    removeCollection(collection);
                });
            }
            refresh();
        });
    });
}

void EngineBridge::onIndexProgress(const IndexProgress& progress) {
    if (!isOver(progress.state)) {
        runs_.insert(progress.collection.value, progress);
        announceCollections();
        return;
    }
    runs_.remove(progress.collection.value);
    if (progress.state == IndexState::Failed) {
        changeFailed(progress.error.value_or(Error{}),
                     Doing::Indexing,
                     [this, collection = progress.collection] { startIndexing(collection); });
    }
    refresh();
    Q_EMIT indexingEnded(progress.collection);
}

void EngineBridge::requestFailures() {
    engine_.failures(std::nullopt,
                     [this, queue = queue_](const Result<std::vector<FailureRecord>>& failures) {
                         if (!failures) {
                             queue->post([this, error = failures.error()] {
                                 Q_EMIT errorRaised(errorText(error, Doing::Browsing));
                             });
                             return;
                         }
                         QList<FailureItem> items;
                         for (const FailureRecord& record : *failures) {
                             items.append(toItem(record));
                         }
                         queue->post([this, items] { Q_EMIT failuresListed(items); });
                     });
}

void EngineBridge::browse(CollectionId collection, int offset, int limit) {
    const std::uint64_t number = ++browseNumber_;
    const auto wanted = collection ? std::optional(collection) : std::nullopt;
    engine_.browse(wanted,
                   static_cast<std::size_t>(offset),
                   static_cast<std::size_t>(limit),
                   [=, this, queue = queue_](const Result<std::vector<ResultRow>>& rows) {
                       if (!rows) {
                           queue->post([this, error = rows.error()] {
                               if (error.code != ErrorCode::Cancelled) {
                                   Q_EMIT errorRaised(errorText(error, Doing::Browsing));
                               }
                           });
                           return;
                       }
                       QList<ResultItem> items;
                       for (const ResultRow& row : *rows) {
                           items.append(toBrowsedItem(row));
                       }
                       queue->post([=, this] {
                           if (number == browseNumber_) {
                               Q_EMIT browsed(collection, offset, items);
                           }
                       });
                   });
}

RequestId EngineBridge::loadPicture(const PictureSource& picture,
                                    int side,
                                    Urgency urgency,
                                    QObject* context,
                                    PictureHandler handler) {
    return engine_.loadImage(toImageSource(picture),
                             side,
                             urgency,
                             [queue = queue_,
                              guard = QPointer<QObject>(context),
                              handler = std::move(handler)](const Result<ImageBuffer>& image) {
                                 if (!image && image.error().code == ErrorCode::Cancelled) {
                                     return;
                                 }
                                 const QImage loaded = image ? toQImage(*image) : QImage();
                                 queue->post([guard, handler, loaded] {
                                     if (guard) {
                                         handler(loaded);
                                     }
                                 });
                             });
}

RequestId EngineBridge::recognize(std::vector<float> samples,
                                  QObject* context,
                                  WordsHandler handler) {
    const auto post = [queue = queue_,
                       guard = QPointer<QObject>(context),
                       handler = std::move(handler)](const Result<RecognizedSpeech>& heard) {
        const Result<QString> words =
            heard ? Result<QString>(QString::fromStdString(heard->text)) : heard.error();
        queue->post([guard, handler, words] {
            if (guard) {
                handler(words);
            }
        });
    };
    const Result<RequestId> request =
        engine_.recognize({std::move(samples)}, [post](const Result<RecognizedSpeech>& heard) {
            if (heard || heard.error().code != ErrorCode::Cancelled) {
                post(heard);
            }
        });
    if (!request) {
        post(request.error());
        return {};
    }
    return *request;
}

void EngineBridge::cancelRecognition(RequestId request) {
    engine_.cancel(request);
}

void EngineBridge::cancelPicture(RequestId request) {
    engine_.cancel(request);
}

void EngineBridge::refresh() {
    const std::uint64_t generation = status_.libraryGeneration;
    status_ = engine_.status();
    if (!status_.writerProcess) {
        makePostponedChanges();
    }
    announceDevice();
    announceCollections();
    if (hasAnnounced_ && status_.libraryGeneration != generation) {
        Q_EMIT libraryChanged();
    }
    if (watch_ == Watch::On) {
        announceProfile();
    }
    hasAnnounced_ = true;
    restIfUnseen();
}

void EngineBridge::announceDevice() {
    const DeviceItem device = toDeviceItem(status_);
    if (hasAnnounced_ && device == announcedDevice_) {
        return;
    }
    announcedDevice_ = device;
    Q_EMIT deviceChanged(device);
    if (device.state == DeviceItem::State::Failed) {
        Q_EMIT errorRaised(errorText(
            status_.packError.value_or(Error{}),
            status_.packFault == PackFault::Models ? Doing::LoadingPack : Doing::OpeningVectors));
    }
}

void EngineBridge::announceCollections() {
    QList<CollectionItem> items;
    for (const CollectionRecord& record : status_.collections) {
        const auto run = runs_.constFind(record.id.value);
        items.append(toItem(record, run == runs_.constEnd() ? nullptr : &*run));
    }
    if (hasAnnounced_ && items == announcedCollections_) {
        return;
    }
    announcedCollections_ = items;
    Q_EMIT collectionsChanged(items);
}

void EngineBridge::setPresence(Presence presence) {
    const bool wasHidden = std::exchange(presence_, presence) == Presence::Hidden;
    if (presence == Presence::Shown && wasHidden) {
        lookOut();
        refresh();
    } else {
        restIfUnseen();
    }
}

void EngineBridge::lookOut() {
    engine_.setAttention(Engine::Attention::Watched);
    tick_.start();
}

/// Changes that wait for another program are looked after all the same.
void EngineBridge::restIfUnseen() {
    if (presence_ == Presence::Hidden && postponed_.isEmpty()) {
        engine_.setAttention(Engine::Attention::Unwatched);
        tick_.stop();
    }
}

void EngineBridge::watchProfiler(Watch watch) {
    watch_ = watch;
    if (watch == Watch::On) {
        announceProfile();
    }
}

void EngineBridge::announceProfile() {
    const profile::Profiler& profiler = engine_.profiler();
    Q_EMIT sampled(toItems(profiler.samples()));
    const TimePoint now = std::chrono::steady_clock::now();
    QList<RequestItem> requests;
    for (const profile::RequestTrace& trace : profiler.recentRequests(kListedRequests)) {
        requests.append(toItem(trace, now));
        requests.last().label = labelOf(trace);
    }
    Q_EMIT requestsListed(requests);
}

void EngineBridge::exportTrace(const std::filesystem::path& path, TraceFormat format) {
    writers_.start([this, queue = queue_, path, format] {
        const profile::Profiler& profiler = engine_.profiler();
        const std::string text =
            format == TraceFormat::Chrome ? profiler.chromeTrace() : profiler.csv();
        const Result<void> written = writeFileAtomically(path, text);
        if (written) {
            queue->post([this, path] { Q_EMIT traceExported(textOf(path)); });
        } else {
            queue->post([this, error = written.error()] {
                Q_EMIT errorRaised(errorText(error, Doing::Exporting));
            });
        }
    });
}

}  // namespace bifocal::ui
