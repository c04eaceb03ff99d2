// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/session.h"

#include <algorithm>

namespace bifocal::ui {

Session::Session(Engine& engine, QObject* parent)
    : QObject(parent), bridge_(engine), thumbnails_(bridge_, results_) {
    connect(&bridge_, &EngineBridge::answered, this, &Session::showAnswer);
    connect(&bridge_, &EngineBridge::searchFailed, this, &Session::showFailure);
    connect(&bridge_, &EngineBridge::browsed, this, &Session::showBrowsed);
    connect(&bridge_, &EngineBridge::libraryChanged, this, &Session::followLibrary);
    connect(&bridge_,
            &EngineBridge::collectionsChanged,
            this,
            [this](const QList<CollectionItem>& collections) {
                collections_.setCollections(collections);
                countBrowsed();
            });
    connect(&bridge_, &EngineBridge::failuresListed, &failures_, &FailureModel::setFailures);
    connect(&bridge_, &EngineBridge::errorRaised, &messages_, &MessageListModel::add);
    connect(&bridge_, &EngineBridge::sampled, &series_, &ProfilerSeries::setSamples);
    connect(&bridge_, &EngineBridge::requestsListed, &requests_, &RequestModel::setRequests);
    connect(&bridge_, &EngineBridge::deviceChanged, this, [this](const DeviceItem& device) {
        device_ = device;
        Q_EMIT deviceChanged(device);
    });
    connect(&bridge_, &EngineBridge::indexingEnded, this, [this] {
        isRefining_ = true;
        searchAgain();
        bridge_.requestFailures();
    });
    connect(&results_, &ResultModel::pageWanted, this, &Session::browseFrom);
    connect(&collections_, &CollectionModel::failureCountChanged, this, [this] {
        bridge_.requestFailures();
    });
}

void Session::start() {
    bridge_.refresh();
    bridge_.requestFailures();
    browseFrom(0);
}

void Session::search(const PromptDraft& draft) {
    const CollectionId collection = draft_.collection;
    const Narrowing narrowing = draft_.narrowing;
    draft_ = draft;
    draft_.collection = collection;
    draft_.narrowing = narrowing;
    if (draft_.isEmpty()) {
        bridge_.cancelPrompt();
        browseFrom(0);
        return;
    }
    if (bridge_.submit(draft_) != 0) {
        AnswerSummary searching = summary_;
        searching.state = AnswerSummary::State::Searching;
        setSummary(searching);
    }
}

void Session::selectCollection(CollectionId collection) {
    draft_.collection = collection;
    Q_EMIT collectionSelected(collection);
    searchAgain();
}

void Session::setNarrowing(const Narrowing& narrowing) {
    if (draft_.narrowing != narrowing) {
        draft_.narrowing = narrowing;
        isRefining_ = !draft_.isEmpty();  // what stays keeps its place
        searchAgain();
    }
}

void Session::browseFrom(int offset) {
    bridge_.browse(draft_.collection, offset, kPageRows);
}

void Session::showBrowsed(CollectionId collection, int offset, const QList<ResultItem>& rows) {
    if (!draft_.isEmpty() || collection != draft_.collection) {
        return;
    }
    const bool wasBrowsing =
        summary_.state == AnswerSummary::State::Browsing && summary_.collection == collectionName();
    if (offset > 0) {
        results_.append(rows);
    } else if (wasBrowsing && results_.rowCount() <= kPageRows) {
        results_.refine(rows);  // the folder grew: nothing jumps
    } else {
        results_.replace(rows);
    }
    results_.setPaging(rows.size() == kPageRows ? ResultModel::Paging::MayHaveMore
                                                : ResultModel::Paging::Complete);
    shownRequest_ = 0;
    isRefining_ = false;
    AnswerSummary summary;
    summary.state =
        results_.rowCount() == 0 ? AnswerSummary::State::Empty : AnswerSummary::State::Browsing;
    summary.shownCount = static_cast<std::uint64_t>(results_.rowCount());
    summary.collection = collectionName();
    summary.searchedCount = browsedCount();
    setSummary(summary);
}

std::uint64_t Session::browsedCount() const {
    const int row = collections_.rowOf(draft_.collection);
    const auto shown = static_cast<std::uint64_t>(results_.rowCount());
    return row < 0 ? shown : std::max(shown, collections_.itemAt(row).fileCount);
}

void Session::countBrowsed() {
    if (summary_.state == AnswerSummary::State::Browsing &&
        summary_.searchedCount != browsedCount()) {
        summary_.searchedCount = browsedCount();
        Q_EMIT summaryChanged(summary_);
    }
}

void Session::showAnswer(const AnswerSummary& summary, const QList<ResultItem>& rows) {
    if (summary.request == shownRequest_ || isRefining_) {
        results_.refine(rows);
    } else {
        results_.replace(rows);
    }
    shownRequest_ = summary.request;
    isRefining_ = isRefining_ && summary.state != AnswerSummary::State::Final;
    setSummary(summary);
}

void Session::showFailure(const MessageItem& message) {
    messages_.add(message);
    AnswerSummary summary;
    summary.state = AnswerSummary::State::Failed;
    results_.clear();
    shownRequest_ = 0;
    setSummary(summary);
}

void Session::followLibrary() {
    // A prompt is asked again when the scan ends; a folder that is looked at grows under the eyes.
    const bool isFirstPage = results_.rowCount() <= kPageRows;
    if (draft_.isEmpty() && isFirstPage) {
        browseFrom(0);
    }
}

void Session::setSummary(const AnswerSummary& summary) {
    summary_ = summary;
    Q_EMIT summaryChanged(summary_);
}

QString Session::collectionName() const {
    const int row = draft_.collection ? collections_.rowOf(draft_.collection) : -1;
    return row < 0 ? QString() : collections_.itemAt(row).name;
}

}  // namespace bifocal::ui
