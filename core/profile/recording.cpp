// SPDX-License-Identifier: Apache-2.0
#include "core/profile/recording.h"

#include "core/profile/internal/exporters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace bifocal::profile {
namespace {

enum Column : std::size_t {
    RequestColumn,
    LabelColumn,
    ClassColumn,
    StageColumn,
    KindColumn,
    LaneColumn,
    WorkerColumn,
    ItemsColumn,
    BeginColumn,
    DurationColumn,
    BytesColumn,
    KeyColumn,
    WaitedForColumn,
    ColumnCount
};
constexpr std::size_t kOldColumnCount = BytesColumn;
constexpr double kLongestUs = 9e15;  // of what nanoseconds can count

Error corrupt(const std::string& place, const std::string& what) {
    return {ErrorCode::Corruption, place + ": " + what};
}

std::optional<Urgency> urgencyOf(std::string_view name) {
    for (const Urgency urgency : {Urgency::Interactive, Urgency::Prefetch, Urgency::Batch}) {
        if (name == bifocal::toString(urgency)) {
            return urgency;
        }
    }
    return std::nullopt;
}

std::optional<SpanKind> kindOf(std::string_view name) {
    for (const SpanKind kind : {SpanKind::Queue, SpanKind::Execute, SpanKind::Total}) {
        if (name == bifocal::toString(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

std::uint64_t numberOf(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

WaitedFor waitedForOf(std::string_view name) {
    return name == bifocal::toString(WaitedFor::Room) ? WaitedFor::Room : WaitedFor::Turn;
}

std::optional<Duration> durationOf(double microseconds) {
    return std::abs(microseconds) < kLongestUs
               ? std::optional(Duration(std::llround(microseconds * 1000)))
               : std::nullopt;
}

/// A recording that grows span by span. Threads: compatible.
class Recorder {
public:
    /// A name that lasts.
    const char* keep(const std::string& name) { return names_->insert(name).first->c_str(); }

    void add(const Span& span, const std::string& label) {
        recording_.spans.push_back(span);
        recording_.end = std::max(recording_.end, span.end);
        if (!span.request) {
            return;
        }
        const auto [place, isNew] =
            byId_.try_emplace(span.request.value, recording_.requests.size());
        if (isNew) {
            recording_.requests.emplace_back();
        }
        RequestTrace& trace = recording_.requests[place->second];
        if (isNew) {
            trace.request = span.request;
            trace.begin = span.begin;
        }
        trace.label = trace.label.empty() ? label : trace.label;
        trace.urgency = isNew ? span.urgency : trace.urgency;
        if (span.kind == SpanKind::Total) {
            trace.outcome = outcomeOf(span.stage);
            trace.urgency = span.urgency;
            trace.begin = span.begin;
            trace.end = span.end;
        } else if (!trace.outcome) {
            trace.begin = std::min(trace.begin, span.begin);
            trace.end = std::max(trace.end, span.end);
        }
        trace.spans.push_back(span);
    }
    Sample& sampleAt(TimePoint time) {
        if (recording_.samples.empty() || recording_.samples.back().time != time) {
            recording_.samples.emplace_back();
            recording_.samples.back().time = time;
            recording_.end = std::max(recording_.end, time);
        }
        return recording_.samples.back();
    }
    Recording finish() && {
        std::stable_sort(recording_.requests.begin(),
                         recording_.requests.end(),
                         [](const RequestTrace& a, const RequestTrace& b) {
                             return std::tie(a.begin, a.request) > std::tie(b.begin, b.request);
                         });
        for (RequestTrace& trace : recording_.requests) {
            std::stable_sort(trace.spans.begin(),
                             trace.spans.end(),
                             [](const Span& a, const Span& b) { return a.end < b.end; });
        }
        recording_.names = std::move(names_);
        return std::move(recording_);
    }

private:
    Recording recording_;
    std::unordered_map<std::uint64_t, std::size_t> byId_;
    std::shared_ptr<std::set<std::string, std::less<>>> names_ =
        std::make_shared<std::set<std::string, std::less<>>>();
};

// ---- CSV

/// RFC 4180, record by record. Threads: compatible.
class CsvReader {
public:
    explicit CsvReader(std::string_view text) : text_(text) {}

    bool isAtEnd() const { return position_ == text_.size(); }
    /// Line on which the last record began, from 1.
    std::size_t line() const { return recordLine_; }

    /// Corruption: a quote that is not closed, something behind a closing one, or no end of the
    /// line: an exporter writes one behind the last record, too.
    Result<std::vector<std::string>> record() {
        recordLine_ = line_;
        std::vector<std::string> fields;
        for (;;) {
            BIFOCAL_TRY(std::string next, field());
            fields.push_back(std::move(next));
            if (isAtEnd()) {
                return fault("it is cut short");
            }
            if (takeLineEnd()) {
                return fields;
            }
            ++position_;  // the comma
        }
    }

private:
    Error fault(const char* what) const { return corrupt("line " + std::to_string(line_), what); }

    bool isFieldEnd() const {
        return isAtEnd() || text_[position_] == ',' || text_[position_] == '\n' ||
               text_.substr(position_, 2) == "\r\n";
    }
    bool takeLineEnd() {
        const std::size_t length = text_[position_] == '\r' ? 2 : 1;
        if (text_[position_ + length - 1] != '\n') {
            return false;
        }
        position_ += length;
        ++line_;
        return true;
    }
    Result<std::string> field() {
        if (isAtEnd() || text_[position_] != '"') {
            const std::size_t begin = position_;
            while (!isFieldEnd()) {
                ++position_;
            }
            return std::string(text_.substr(begin, position_ - begin));
        }
        std::string value;
        for (++position_; !isAtEnd(); ++position_) {
            const bool isQuote = text_[position_] == '"';
            if (isQuote && text_.substr(position_ + 1, 1) != "\"") {
                ++position_;
                return isFieldEnd() ? Result<std::string>(std::move(value))
                                    : fault("text behind a closing quote");
            }
            position_ += isQuote ? 1 : 0;
            line_ += text_[position_] == '\n' ? 1 : 0;
            value += text_[position_];
        }
        return fault("a quote is not closed");
    }

    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t line_ = 1;
    std::size_t recordLine_ = 1;
};

/// None for what is no finite number of microseconds.
std::optional<Duration> timeOf(std::string_view text) {
    double microseconds = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, microseconds);
    return code == std::errc{} && rest == end ? durationOf(microseconds) : std::nullopt;
}

Result<void> addRecord(Recorder& recorder,
                       const std::vector<std::string>& fields,
                       std::size_t columnCount,
                       const std::string& place) {
    if (fields.size() != columnCount) {
        return corrupt(
            place,
            std::to_string(fields.size()) + " fields instead of " + std::to_string(columnCount));
    }
    const auto urgency = urgencyOf(fields[ClassColumn]);
    const auto kind = kindOf(fields[KindColumn]);
    if (!urgency || !kind) {
        return corrupt(place, "no such class or kind of time");
    }
    const auto begin = timeOf(fields[BeginColumn]);
    const auto duration = timeOf(fields[DurationColumn]);
    if (!begin || !duration || *duration < Duration(0)) {
        return corrupt(place, "begin or duration is no time in microseconds");
    }
    Span span;
    span.stage = recorder.keep(fields[StageColumn]);
    span.lane = recorder.keep(fields[LaneColumn]);
    span.request = RequestId{numberOf(fields[RequestColumn])};
    span.kind = *kind;
    span.urgency = *urgency;
    span.itemCount = static_cast<std::uint32_t>(numberOf(fields[ItemsColumn]));
    span.worker = static_cast<std::uint32_t>(numberOf(fields[WorkerColumn]));
    span.begin = TimePoint(*begin);
    span.end = span.begin + *duration;
    if (columnCount == ColumnCount) {
        span.bytes = numberOf(fields[BytesColumn]);
        span.policyKey = numberOf(fields[KeyColumn]);
        span.waitedFor = waitedForOf(fields[WaitedForColumn]);
    }
    recorder.add(span, fields[LabelColumn]);
    return {};
}

std::string joined(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) {
        line += (line.empty() ? "" : ",") + field;
    }
    return line;
}

Result<Recording> readCsv(std::string_view text) {
    CsvReader reader(text);
    BIFOCAL_TRY(const std::vector<std::string> head, reader.record());
    const bool isHead = head.size() == ColumnCount || head.size() == kOldColumnCount;
    if (!isHead || !kCsvHead.starts_with(joined(head))) {
        return corrupt("line 1", "neither the head of an exported trace nor JSON");
    }
    Recorder recorder;
    while (!reader.isAtEnd()) {
        BIFOCAL_TRY(const std::vector<std::string> fields, reader.record());
        BIFOCAL_CHECK(
            addRecord(recorder, fields, head.size(), "line " + std::to_string(reader.line())));
    }
    return std::move(recorder).finish();
}

// ---- Trace Event Format

/// Empty when the member is not there or is no text.
std::string memberText(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<Duration> memberTime(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number() ? durationOf(found->get<double>())
                                                       : std::nullopt;
}

/// Zero when the member is not there or is no such number.
std::uint64_t memberNumber(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::array<std::uint32_t, 3> memberCounts(const nlohmann::json& object) {
    return {static_cast<std::uint32_t>(memberNumber(object, "interactive")),
            static_cast<std::uint32_t>(memberNumber(object, "prefetch")),
            static_cast<std::uint32_t>(memberNumber(object, "batch"))};
}

/// Collects the events of one trace. Threads: compatible.
class EventReader {
public:
    Result<void> add(const nlohmann::json& event, std::size_t number) {
        const std::string place = "event " + std::to_string(number);
        if (!event.is_object()) {
            return corrupt(place, "not an object");
        }
        const std::string phase = memberText(event, "ph");
        if (phase.empty()) {
            return corrupt(place, "without a phase");
        }
        if (phase == "C") {
            addCounter(event);
            return {};
        }
        const auto kind = kindOf(memberText(event, "cat"));
        if (!kind || (phase != "X" && phase != "b" && phase != "e")) {
            return {};
        }
        BIFOCAL_TRY(Begun begun, begunBy(event, *kind, place));
        if (phase == "X") {
            const auto duration = memberTime(event, "dur");
            if (!duration || *duration < Duration(0)) {
                return corrupt(place, "\"dur\" is no time in microseconds");
            }
            begun.span.end = begun.span.begin + *duration;
            recorder_.add(begun.span, begun.label);
            return {};
        }
        return pair(std::move(begun), phase == "b", memberText(event, "id"));
    }

    Result<Recording> finish() && {
        if (!open_.empty()) {
            return corrupt(open_.begin()->second.place, "it has a beginning and no end");
        }
        return std::move(recorder_).finish();
    }

private:
    struct Begun {
        Span span;
        std::string label;
        std::string place;
    };

    Result<Begun> begunBy(const nlohmann::json& event, SpanKind kind, const std::string& place) {
        const auto begin = memberTime(event, "ts");
        if (!begin) {
            return corrupt(place, "\"ts\" is no time in microseconds");
        }
        const auto found = event.find("args");
        const nlohmann::json arguments = found != event.end() && found->is_object()
                                             ? *found
                                             : nlohmann::json(nlohmann::json::value_t::object);
        const auto urgency = urgencyOf(memberText(arguments, "class"));
        if (!urgency) {
            return corrupt(place, "\"args\" name no class");
        }
        // A request's event bears the request's own name.
        std::string stage = memberText(kind == SpanKind::Total ? arguments : event,
                                       kind == SpanKind::Total ? "stage" : "name");
        if (kind == SpanKind::Total && stage.empty()) {
            stage = totalStage(Outcome::Done);
        }
        if (stage.empty()) {
            return corrupt(place, "without a name");
        }
        Begun begun{{}, memberText(arguments, "label"), place};
        Span& span = begun.span;
        span.stage = recorder_.keep(stage);
        span.lane = recorder_.keep(memberText(arguments, "lane"));
        span.request = RequestId{memberNumber(arguments, "request")};
        span.kind = kind;
        span.urgency = *urgency;
        span.waitedFor = waitedForOf(memberText(arguments, "waited_for"));
        span.itemCount = static_cast<std::uint32_t>(memberNumber(arguments, "items"));
        span.worker = static_cast<std::uint32_t>(memberNumber(arguments, "worker"));
        span.bytes = memberNumber(arguments, "bytes");
        span.policyKey = numberOf(memberText(arguments, "policy_key"));
        span.begin = TimePoint(*begin);
        return begun;
    }

    Result<void> pair(Begun event, bool isBegin, const std::string& id) {
        const auto key = std::tuple(event.span.kind, id);
        if (isBegin) {
            if (open_.contains(key)) {
                return corrupt(event.place, "it begins twice");
            }
            open_.emplace(key, std::move(event));
            return {};
        }
        const auto found = open_.find(key);
        if (found == open_.end()) {
            return corrupt(event.place, "it has an end and no beginning");
        }
        Begun begun = std::move(found->second);
        open_.erase(found);
        begun.span.end = event.span.begin;
        if (begun.span.end < begun.span.begin) {
            return corrupt(event.place, "it ends before it begins");
        }
        recorder_.add(begun.span, begun.label);
        return {};
    }

    /// Counters of other programs are passed by, and so are ours without a time.
    void addCounter(const nlohmann::json& event) {
        const std::string name = memberText(event, "name");
        const auto time = memberTime(event, "ts");
        const auto values = event.find("args");
        const bool isOurs =
            name == "ready" || name == "running" || name == "memory" || name == "vram";
        if (!isOurs || !time || values == event.end() || !values->is_object()) {
            return;
        }
        Sample& sample = recorder_.sampleAt(TimePoint(*time));
        if (name == "ready") {
            sample.readyCount = memberCounts(*values);
        } else if (name == "running") {
            sample.runningCount = memberCounts(*values);
        } else if (name == "memory") {
            sample.memory.ledgerBytes = memberNumber(*values, "ledger");
            sample.memory.reservedBytes = memberNumber(*values, "reserved");
            sample.memory.ledgerBudgetBytes = memberNumber(*values, "budget");
            sample.memory.allocatorBytes = memberNumber(*values, "allocator");
            sample.memory.residentBytes = memberNumber(*values, "resident");
        } else {
            sample.memory.vramUsedBytes = memberNumber(*values, "used");
            sample.memory.vramTotalBytes = memberNumber(*values, "total");
            sample.memory.vramOthersBytes = memberNumber(*values, "others");
        }
    }

    Recorder recorder_;
    std::map<std::tuple<SpanKind, std::string>, Begun> open_;
};

Result<nlohmann::json> parseJson(std::string_view text) {
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& fault) {
        return corrupt("byte " + std::to_string(fault.byte), "not JSON, or cut short");
    } catch (const nlohmann::json::exception& fault) {  // a number out of range
        return Error{ErrorCode::Corruption, fault.what()};
    }
}

Result<Recording> readEvents(std::string_view text) {
    BIFOCAL_TRY(const nlohmann::json document, parseJson(text));
    const auto events = document.is_object() ? document.find("traceEvents") : document.end();
    if (events == document.end() || !events->is_array()) {
        return corrupt("byte 1", "no object with a list of \"traceEvents\"");
    }
    EventReader reader;
    std::size_t number = 0;
    for (const nlohmann::json& event : *events) {
        BIFOCAL_CHECK(reader.add(event, ++number));
    }
    return std::move(reader).finish();
}

}  // namespace

Result<Recording> readRecording(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return corrupt("line 1", "the trace is empty");
    }
    return text[first] == '{' || text[first] == '[' ? readEvents(text) : readCsv(text);
}

}  // namespace bifocal::profile
