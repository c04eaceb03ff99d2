// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"

#include <QByteArray>
#include <QDateTime>
#include <QImage>
#include <QList>
#include <QSize>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <variant>

/// The plain rows that the models hold and the views read; the bridge makes them from what the
/// engine says, so that no view knows the engine. All of them: Threads: value.
namespace bifocal::ui {

/// How well one picture fits; None stands for "not ranked" (browsing).
enum class Fit : std::uint8_t { None = 1, Strong, Fair, Weak };

/// One picture of an answer or of a collection.
struct ResultItem {
    FileId file;
    ContentKey content;  ///< what its thumbnail is keyed by
    std::filesystem::path path;
    qint64 sizeBytes = 0;
    QDateTime modified;
    QSize pixels;
    float score = 0;
    float words = 0;         ///< contribution of the words lens to the score
    float looks = 0;         ///< contribution of the looks lens
    float names = 0;         ///< share that file and folder names have in its place, 0…1
    bool isOwnName = false;  ///< the file's own name holds the words, without its folders
    Fit fit = Fit::None;
    bool isThisPicture = false;
};

/// Display name of a path: its last part, decoded for people.
QString nameOf(const std::filesystem::path& path);
QString textOf(const std::filesystem::path& path);

/// What the line above the grid says. All counts are of one answer.
struct AnswerSummary {
    enum class State : std::uint8_t { Empty = 1, Searching, Partial, Final, Browsing, Failed };
    enum class Note : std::uint8_t {
        TextTruncated = 1,
        TextUnread,
        TextPartlyUnread,
        StillIndexing,
        PartialLens,
    };

    State state = State::Empty;
    std::uint64_t request = 0;
    Fit best = Fit::None;  ///< None: nothing really matches
    std::uint64_t shownCount = 0;
    std::uint64_t hiddenCount = 0;  ///< of the best, weaker than what is shown
    std::uint64_t searchedCount = 0;
    int strongCount = 0;
    int fairCount = 0;
    double totalMs = 0;
    bool usesWords = false;
    bool usesLooks = false;
    QList<Note> notes;
    QString collection;  ///< browsing: its name; empty for everything
};

enum class ScanState : std::uint8_t { Idle = 1, Walking, Indexing, Paused };

/// One indexed folder; id 0 is "everything".
struct CollectionItem {
    CollectionId id;
    QString name;
    std::filesystem::path root;
    std::uint64_t fileCount = 0;
    std::uint64_t failureCount = 0;
    ScanState scan = ScanState::Idle;
    std::uint64_t foundCount = 0;  ///< of the running scan
    std::uint64_t doneCount = 0;
    double picturesPerSecond = 0;
    std::optional<double> secondsLeft;

    friend bool operator==(const CollectionItem&, const CollectionItem&) = default;
};

/// One file that could not be read.
struct FailureItem {
    CollectionId collection;
    std::filesystem::path path;
    QString reason;  ///< translated
    QString detail;  ///< as logged, English

    friend bool operator==(const FailureItem&, const FailureItem&) = default;
};

/// Where the pack runs, in words.
struct DeviceItem {
    enum class State : std::uint8_t { Loading = 1, Ready, Failed };

    State state = State::Loading;
    QString device;  ///< "CPU · BF16"
    QString why;
    QString pack;
    QString licence;

    friend bool operator==(const DeviceItem&, const DeviceItem&) = default;
};

/// One tick of the live charts; the arrays are by class, interactive first.
struct SampleItem {
    double secondsAgo = 0;  ///< before the newest sample
    std::uint64_t count = 0;
    double p50Ms = 0;
    double p95Ms = 0;
    double p99Ms = 0;
    std::uint32_t readyInteractive = 0;
    std::uint32_t readyPrefetch = 0;
    std::uint32_t readyBatch = 0;
    std::uint64_t ledgerBytes = 0;
    std::uint64_t allocatorBytes = 0;
    std::uint64_t residentBytes = 0;
    std::optional<std::uint64_t> vramBytes;
};

enum class LensKind : std::uint8_t { Words = 1, Looks, Decode, Fuse, Search, Other, Waiting };

/// One piece of a request's time, relative to its begin.
struct SpanItem {
    QString stage;
    LensKind lens = LensKind::Other;
    double beginMs = 0;
    double durationMs = 0;
    std::uint32_t itemCount = 1;

    friend bool operator==(const SpanItem&, const SpanItem&) = default;
};

enum class RequestState : std::uint8_t { Running = 1, Done, Failed, Cancelled, Superseded };
enum class RequestClass : std::uint8_t { Interactive = 1, Prefetch, Batch };

/// One row of the request list, with its waterfall.
struct RequestItem {
    std::uint64_t id = 0;
    QString label;
    RequestClass kind = RequestClass::Interactive;
    RequestState state = RequestState::Running;
    double totalMs = 0;
    double secondsAgo = 0;  ///< its end, before now; not part of what makes it "the same"
    QList<SpanItem> spans;

    bool isSameAs(const RequestItem& other) const {
        return id == other.id && label == other.label && state == other.state &&
               totalMs == other.totalMs && spans == other.spans;
    }
};

/// A quiet row about something that went wrong, kept until read.
struct MessageItem {
    enum class Action : std::uint8_t { None = 1, Retry, ShowFailures, ChooseFolder, ChooseKeys };

    QString text;
    QString detail;
    Action action = Action::None;
    QString actionText;
};

/// A picture for a prompt: a file, encoded bytes, or pixels.
using PictureSource = std::variant<std::filesystem::path, QByteArray, QImage>;

enum class ResultOrder : std::uint8_t { Best = 1, Newest, Oldest, Largest, Smallest, Name };

/// Which results of a prompt are shown, and in which order; kept from prompt to prompt.
struct Narrowing {
    Fit weakest = Fit::Weak;  ///< the weakest match that is shown
    ResultOrder order = ResultOrder::Best;
    QStringList types;         ///< extensions; empty: all
    int newestDays = 0;        ///< changed within so many days; 0: at any time
    qint64 smallestBytes = 0;  ///< of the file

    bool hasFilter() const { return !types.isEmpty() || newestDays > 0 || smallestBytes > 0; }
    friend bool operator==(const Narrowing&, const Narrowing&) = default;
};

/// What the prompt bar holds.
struct PromptDraft {
    QString text;
    std::optional<PictureSource> picture;
    QString pictureName;  ///< what the chip says
    QStringList minus;
    double balance = 0.5;     ///< 0 words only … 1 looks only
    CollectionId collection;  ///< none: everything
    Narrowing narrowing;

    bool isEmpty() const { return text.trimmed().isEmpty() && !picture; }
    bool usesBothLenses() const { return !text.trimmed().isEmpty() && picture.has_value(); }
};

}  // namespace bifocal::ui
