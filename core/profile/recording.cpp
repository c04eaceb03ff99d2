// SPDX-License-Identifier: Apache-2.0
#include "app/cli/trace_diff.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::array kCsvColumns{"request",
                                 "label",
                                 "class",
                                 "stage",
                                 "kind",
                                 "lane",
                                 "worker",
                                 "items",
                                 "begin_us",
                                 "duration_us"};
constexpr std::size_t kClassColumn = 2;
constexpr std::size_t kStageColumn = 3;
constexpr std::size_t kKindColumn = 4;
constexpr std::size_t kBeginColumn = 8;
constexpr std::size_t kDurationColumn = 9;
constexpr const char* kTotalStage = "request";

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
        if (name == toString(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

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

/// Microseconds as milliseconds; none for what is no finite number.
std::optional<double> msOf(std::string_view text) {
    double microseconds = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, microseconds);
    return code == std::errc{} && rest == end && std::isfinite(microseconds)
               ? std::optional(microseconds / 1000)
               : std::nullopt;
}

Result<TracedSpan> spanOf(const std::vector<std::string>& fields, const std::string& place) {
    if (fields.size() != kCsvColumns.size()) {
        return corrupt(place,
                       std::to_string(fields.size()) + " fields instead of " +
                           std::to_string(kCsvColumns.size()));
    }
    const auto urgency = urgencyOf(fields[kClassColumn]);
    const auto kind = kindOf(fields[kKindColumn]);
    if (!urgency || !kind) {
        return corrupt(place, "no such class or kind of time");
    }
    const auto begin = msOf(fields[kBeginColumn]);
    const auto duration = msOf(fields[kDurationColumn]);
    if (!begin || !duration || *duration < 0) {
        return corrupt(place, "begin or duration is no time in microseconds");
    }
    return TracedSpan{{fields[kStageColumn], *urgency, *kind}, *begin, *duration};
}

Result<std::vector<TracedSpan>> readCsv(std::string_view text) {
    CsvReader reader(text);
    BIFOCAL_TRY(const std::vector<std::string> head, reader.record());
    if (!std::equal(head.begin(), head.end(), kCsvColumns.begin(), kCsvColumns.end())) {
        return corrupt("line 1", "neither the head of an exported trace nor JSON");
    }
    std::vector<TracedSpan> spans;
    while (!reader.isAtEnd()) {
        BIFOCAL_TRY(const std::vector<std::string> fields, reader.record());
        BIFOCAL_TRY(TracedSpan span, spanOf(fields, "line " + std::to_string(reader.line())));
        spans.push_back(std::move(span));
    }
    return spans;
}

// ---- Trace Event Format

/// Empty when the member is not there or is no text.
std::string memberText(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> memberMs(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number()) {
        return std::nullopt;
    }
    const auto microseconds = found->get<double>();
    return std::isfinite(microseconds) ? std::optional(microseconds / 1000) : std::nullopt;
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
        const auto kind = kindOf(memberText(event, "cat"));
        if (!kind || (phase != "X" && phase != "b" && phase != "e")) {
            return {};
        }
        BIFOCAL_TRY(TracedSpan span, begunBy(event, *kind, place));
        if (phase == "X") {
            const auto duration = memberMs(event, "dur");
            if (!duration || *duration < 0) {
                return corrupt(place, "\"dur\" is no time in microseconds");
            }
            span.durationMs = *duration;
            spans_.push_back(std::move(span));
            return {};
        }
        return pair(std::move(span), phase == "b", memberText(event, "id"), place);
    }

    Result<std::vector<TracedSpan>> finish() && {
        if (!open_.empty()) {
            return corrupt(open_.begin()->second.place, "it has a beginning and no end");
        }
        return std::move(spans_);
    }

private:
    struct Begun {
        TracedSpan span;
        std::string place;
    };

    static Result<TracedSpan> begunBy(const nlohmann::json& event,
                                      SpanKind kind,
                                      const std::string& place) {
        const auto begin = memberMs(event, "ts");
        if (!begin) {
            return corrupt(place, "\"ts\" is no time in microseconds");
        }
        const auto arguments = event.find("args");
        const auto urgency = arguments != event.end() && arguments->is_object()
                                 ? urgencyOf(memberText(*arguments, "class"))
                                 : std::nullopt;
        if (!urgency) {
            return corrupt(place, "\"args\" name no class");
        }
        // A request's event bears the request's own name.
        const std::string stage = kind == SpanKind::Total ? kTotalStage : memberText(event, "name");
        if (stage.empty()) {
            return corrupt(place, "without a name");
        }
        return TracedSpan{{stage, *urgency, kind}, *begin, 0};
    }

    Result<void> pair(TracedSpan span,
                      bool isBegin,
                      const std::string& id,
                      const std::string& place) {
        const auto key = std::tuple(span.key.kind, id);
        if (isBegin) {
            if (!open_.try_emplace(key, Begun{std::move(span), place}).second) {
                return corrupt(place, "it begins twice");
            }
            return {};
        }
        const auto found = open_.find(key);
        if (found == open_.end()) {
            return corrupt(place, "it has an end and no beginning");
        }
        TracedSpan begun = std::move(found->second.span);
        open_.erase(found);
        begun.durationMs = span.beginMs - begun.beginMs;
        if (begun.durationMs < 0) {
            return corrupt(place, "it ends before it begins");
        }
        spans_.push_back(std::move(begun));
        return {};
    }

    std::vector<TracedSpan> spans_;
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

Result<std::vector<TracedSpan>> readEvents(std::string_view text) {
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

Result<std::vector<TracedSpan>> readTrace(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return corrupt("line 1", "the trace is empty");
    }
    return text[first] == '{' || text[first] == '[' ? readEvents(text) : readCsv(text);
}

}  // namespace bifocal::cli
