// SPDX-License-Identifier: Apache-2.0
#include "ui/bridge/engine_convert.h"

#include "ui/bridge/engine_text.h"
#include "ui/bridge/error_text.h"
#include "ui/bridge/image_convert.h"

#include <QHash>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace bifocal::ui {

namespace {

double msBetween(TimePoint begin, TimePoint end) {
    return std::chrono::duration<double, std::milli>(end - begin).count();
}

Fit toFit(Confidence confidence) {
    switch (confidence) {
        case Confidence::Strong: return Fit::Strong;
        case Confidence::Fair: return Fit::Fair;
        case Confidence::Weak: return Fit::Weak;
    }
    return Fit::Weak;
}

Fit toFit(Answer answer) {
    switch (answer) {
        case Answer::Strong: return Fit::Strong;
        case Answer::Fair: return Fit::Fair;
        case Answer::Weak: return Fit::Weak;
        case Answer::None: return Fit::None;
    }
    return Fit::None;
}

Strictness toStrictness(Fit weakest) {
    switch (weakest) {
        case Fit::Strong: return Strictness::Strong;
        case Fit::Fair: return Strictness::Fair;
        case Fit::Weak:
        case Fit::None: return Strictness::Any;
    }
    return Strictness::Any;
}

SortOrder toSortOrder(ResultOrder order) {
    switch (order) {
        case ResultOrder::Best: return SortOrder::Best;
        case ResultOrder::Newest: return SortOrder::Newest;
        case ResultOrder::Oldest: return SortOrder::Oldest;
        case ResultOrder::Largest: return SortOrder::Largest;
        case ResultOrder::Smallest: return SortOrder::Smallest;
        case ResultOrder::Name: return SortOrder::Name;
    }
    return SortOrder::Best;
}

AnswerSummary::Note toNote(Notice notice) {
    switch (notice) {
        case Notice::TextTruncated: return AnswerSummary::Note::TextTruncated;
        case Notice::StillIndexing: return AnswerSummary::Note::StillIndexing;
        case Notice::PartialLens: return AnswerSummary::Note::PartialLens;
        case Notice::TextUnread: return AnswerSummary::Note::TextUnread;
        case Notice::TextPartlyUnread: return AnswerSummary::Note::TextPartlyUnread;
    }
    return AnswerSummary::Note::StillIndexing;
}

ScanState toScanState(IndexState state) {
    switch (state) {
        case IndexState::Walking: return ScanState::Walking;
        case IndexState::Indexing: return ScanState::Indexing;
        case IndexState::Paused: return ScanState::Paused;
        case IndexState::Done:
        case IndexState::Failed:
        case IndexState::Cancelled: return ScanState::Idle;
    }
    return ScanState::Idle;
}

RequestState toRequestState(const std::optional<profile::Outcome>& outcome) {
    if (!outcome) {
        return RequestState::Running;
    }
    switch (*outcome) {
        case profile::Outcome::Done: return RequestState::Done;
        case profile::Outcome::Failed: return RequestState::Failed;
        case profile::Outcome::Cancelled: return RequestState::Cancelled;
        case profile::Outcome::Superseded: return RequestState::Superseded;
    }
    return RequestState::Done;
}

RequestClass toRequestClass(Urgency urgency) {
    switch (urgency) {
        case Urgency::Interactive: return RequestClass::Interactive;
        case Urgency::Prefetch: return RequestClass::Prefetch;
        case Urgency::Batch: return RequestClass::Batch;
    }
    return RequestClass::Batch;
}

/// Which lens a stage belongs to; the engine's stage names say it in their words.
LensKind lensOf(const Span& span) {
    if (span.kind == SpanKind::Queue) {
        return LensKind::Waiting;
    }
    const std::string_view stage = span.stage;
    const auto has = [&](std::string_view part) {
        return stage.find(part) != std::string_view::npos;
    };
    if (has("text") || has("token")) {
        return LensKind::Words;
    }
    if (has("decode")) {
        return LensKind::Decode;
    }
    if (has("image") || has("preprocess")) {
        return LensKind::Looks;
    }
    if (has("fuse") || has("query") || has("project")) {
        return LensKind::Fuse;
    }
    return has("search") || has("rank") ? LensKind::Search : LensKind::Other;
}

}  // namespace

ImageSource toImageSource(const PictureSource& picture) {
    ImageSource source;
    std::visit(
        [&](const auto& value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::filesystem::path>) {
                source.source = ImageFile{value};
            } else if constexpr (std::is_same_v<Value, QByteArray>) {
                source.source = ImageBytes{{value.begin(), value.end()}};
            } else {
                source.source = toImageBuffer(value);
            }
        },
        picture);
    return source;
}

Prompt toPrompt(const PromptDraft& draft) {
    Prompt prompt;
    prompt.text = draft.text.trimmed().toStdString();
    if (draft.picture) {
        prompt.image = toImageSource(*draft.picture);
    }
    for (const QString& word : draft.minus) {
        prompt.negatives.push_back(word.toStdString());
    }
    prompt.balance = std::clamp(draft.balance, 0.0, 1.0);
    prompt.strictness = toStrictness(draft.narrowing.weakest);
    prompt.order = toSortOrder(draft.narrowing.order);
    for (const QString& type : draft.narrowing.types) {
        prompt.filters.types.push_back(type.toStdString());
    }
    prompt.filters.smallestBytes = static_cast<std::uint64_t>(draft.narrowing.smallestBytes);
    if (draft.narrowing.newestDays > 0) {
        prompt.filters.modifiedAfter =
            std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) -
            std::chrono::days(draft.narrowing.newestDays);
    }
    if (draft.collection) {
        prompt.filters.collections.push_back(draft.collection);
    }
    return prompt;
}

ResultItem toBrowsedItem(const ResultRow& row) {
    ResultItem item;
    item.file = row.file.id;
    item.content = row.file.content;
    item.path = row.file.path;
    item.sizeBytes = static_cast<qint64>(row.file.stamp.sizeBytes);
    item.modified = QDateTime::fromMSecsSinceEpoch(row.file.stamp.modifiedNanoseconds / 1'000'000);
    item.pixels = QSize(row.file.width, row.file.height);
    return item;
}

ResultItem toItem(const ResultRow& row) {
    ResultItem item = toBrowsedItem(row);
    item.score = row.score;
    item.words = row.why.text;
    item.looks = row.why.image;
    item.names = row.name.share;
    item.isOwnName = row.name.isOwnName;
    item.fit = toFit(row.confidence);
    item.isThisPicture = row.isThisPicture;
    return item;
}

QList<ResultItem> toItems(const std::vector<ResultRow>& rows) {
    QList<ResultItem> items;
    items.reserve(static_cast<qsizetype>(rows.size()));
    for (const ResultRow& row : rows) {
        items.append(toItem(row));
    }
    return items;
}

AnswerSummary toSummary(const ResultSet& results) {
    AnswerSummary summary;
    summary.request = results.request.value;
    summary.best = toFit(results.answer);
    summary.shownCount = results.rows.size();
    summary.hiddenCount = results.hiddenCount;
    summary.searchedCount = results.searchedCount;
    for (const ResultRow& row : results.rows) {
        summary.strongCount += row.confidence == Confidence::Strong ? 1 : 0;
        summary.fairCount += row.confidence == Confidence::Fair ? 1 : 0;
    }
    summary.totalMs = results.totalMs;
    summary.usesWords = results.mode != PromptMode::ImageOnly;
    summary.usesLooks = results.mode != PromptMode::TextOnly;
    for (const Notice notice : results.notices) {
        summary.notes.append(toNote(notice));
    }
    return summary;
}

CollectionItem toItem(const CollectionRecord& record, const IndexProgress* progress) {
    CollectionItem item;
    item.id = record.id;
    item.name = nameOf(record.root);
    item.root = record.root;
    item.fileCount = record.fileCount;
    item.failureCount = record.failureCount;
    if (progress != nullptr) {
        item.scan = toScanState(progress->state);
        item.foundCount = progress->foundCount;
        item.doneCount = progress->doneCount;
        item.picturesPerSecond = progress->picturesPerSecond;
        item.secondsLeft = progress->secondsLeft;
    }
    return item;
}

FailureItem toItem(const FailureRecord& record) {
    return {record.collection,
            record.path,
            failureReason(record.code),
            QString::fromStdString(record.reason)};
}

DeviceItem toDeviceItem(const EngineStatus& status) {
    DeviceItem item;
    switch (status.packState) {
        case PackState::Loading: item.state = DeviceItem::State::Loading; break;
        case PackState::Ready: item.state = DeviceItem::State::Ready; break;
        case PackState::Failed: item.state = DeviceItem::State::Failed; break;
    }
    if (status.pack) {
        item.device =
            QStringLiteral("%1 · %2").arg(QString::fromStdString(status.pack->device).toUpper(),
                                          QString::fromStdString(status.pack->precision).toUpper());
        item.why = deviceReasonText(status.pack->deviceFacts);
        item.pack = QString::fromStdString(status.pack->name);
        item.licence = QString::fromStdString(status.pack->licence);
    }
    return item;
}

QList<SampleItem> toItems(const std::vector<profile::Sample>& samples) {
    QList<SampleItem> items;
    items.reserve(static_cast<qsizetype>(samples.size()));
    for (const profile::Sample& sample : samples) {
        SampleItem item;
        item.secondsAgo = msBetween(sample.time, samples.back().time) / 1000;
        item.count = sample.interactive.count;
        item.p50Ms = sample.interactive.p50Ms;
        item.p95Ms = sample.interactive.p95Ms;
        item.p99Ms = sample.interactive.p99Ms;
        item.readyInteractive = sample.readyCount[0];
        item.readyPrefetch = sample.readyCount[1];
        item.readyBatch = sample.readyCount[2];
        item.ledgerBytes = sample.memory.ledgerBytes;
        item.allocatorBytes = sample.memory.allocatorBytes;
        item.residentBytes = sample.memory.residentBytes;
        item.vramBytes = sample.memory.vramUsedBytes;
        items.append(item);
    }
    return items;
}

RequestItem toItem(const profile::RequestTrace& trace, TimePoint now) {
    RequestItem item;
    item.id = trace.request.value;
    item.label = QString::fromStdString(trace.label);
    item.kind = toRequestClass(trace.urgency);
    item.state = toRequestState(trace.outcome);
    item.totalMs = msBetween(trace.begin, trace.outcome ? trace.end : now);
    item.secondsAgo = trace.outcome ? msBetween(trace.end, now) / 1000 : 0;
    QHash<const char*, QString> stages;  // few, however many the spans are
    for (const Span& span : trace.spans) {
        if (span.kind != SpanKind::Total) {
            QString& stage = stages[span.stage];
            if (stage.isEmpty()) {
                stage = stageText(span.stage);
            }
            item.spans.append({stage,
                               lensOf(span),
                               msBetween(trace.begin, span.begin),
                               msBetween(span.begin, span.end),
                               span.itemCount});
        }
    }
    return item;
}

}  // namespace bifocal::ui
