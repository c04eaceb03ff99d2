// SPDX-License-Identifier: Apache-2.0
#include "core/profile/internal/exporters.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace bifocal::profile {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Microseconds with three decimals; printf would write the decimal comma of some locales.
void appendMicroseconds(std::string& out, Duration time) {
    auto nanoseconds = time.count();
    if (nanoseconds < 0) {
        out += '-';
        nanoseconds = -nanoseconds;
    }
    const std::string fraction = std::to_string(nanoseconds % 1000);
    out += std::to_string(nanoseconds / 1000);
    out += '.';
    out.append(3 - fraction.size(), '0');
    out += fraction;
}

/// Length of the well-formed UTF-8 sequence that `text` begins with; 0 when it is not one.
std::size_t sequenceLength(std::string_view text) {
    const auto byteAt = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byteAt(0);
    std::size_t length = 0;
    unsigned low = 0x80;  // bounds of the second byte: no overlong form, surrogate, or > U+10FFFF
    unsigned high = 0xBF;
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        low = lead == 0xE0 ? 0xA0 : low;
        high = lead == 0xED ? 0x9F : high;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        low = lead == 0xF0 ? 0x90 : low;
        high = lead == 0xF4 ? 0x8F : high;
    }
    if (length == 0 || text.size() < length || byteAt(1) < low || byteAt(1) > high) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if (byteAt(i) < 0x80 || byteAt(i) > 0xBF) {
            return 0;
        }
    }
    return length;
}

/// Writes the array of events; every event begins with its phase, name and time.
class EventWriter {
public:
    explicit EventWriter(const ExportData& data) : data_(data) {}

    void metadata(const char* what, std::size_t thread, std::string_view name) {
        open('M', what);
        out_ += ",\"tid\":" + std::to_string(thread) + ",\"args\":{\"name\":" + toJsonString(name);
        out_ += "}}";
    }
    void execute(const Span& span, std::size_t thread) {
        open('X', span.stage);
        time("ts", span.begin - data_.epoch);
        time("dur", span.end - span.begin);
        out_ += ",\"cat\":\"execute\",\"tid\":" + std::to_string(thread);
        arguments(span);
    }
    /// Queue and Total overlap on a worker, so that they are pairs with an id instead.
    void asynchronous(const Span& span, std::size_t id) {
        for (const char phase : {'b', 'e'}) {
            const bool isTotal = span.kind == SpanKind::Total;
            open(phase, isTotal ? data_.labelOf(span.request) : span.stage);
            time("ts", (phase == 'b' ? span.begin : span.end) - data_.epoch);
            out_ += ",\"cat\":\"";
            out_ += bifocal::toString(span.kind);
            out_ += "\",\"tid\":0,\"id\":\"" + std::to_string(id) + '"';
            arguments(span);
        }
    }
    void counter(const char* name,
                 TimePoint when,
                 std::initializer_list<std::pair<const char*, std::uint64_t>> values) {
        open('C', name);
        time("ts", when - data_.epoch);
        out_ += ",\"args\":{";
        const char* separator = "\"";
        for (const auto& [key, value] : values) {
            out_ += separator;
            out_ += key;
            out_ += "\":" + std::to_string(value);
            separator = ",\"";
        }
        out_ += "}}";
    }
    std::string finish() && {
        return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + std::move(out_) + "\n]}\n";
    }

private:
    void open(char phase, std::string_view name) {
        out_ += out_.empty() ? "{\"ph\":\"" : ",\n{\"ph\":\"";
        out_ += phase;
        out_ += "\",\"pid\":1,\"name\":" + toJsonString(name);
    }
    void time(const char* key, Duration value) {
        out_ += ",\"";
        out_ += key;
        out_ += "\":";
        appendMicroseconds(out_, value);
    }
    void arguments(const Span& span) {
        out_ += ",\"args\":{\"request\":" + std::to_string(span.request.value) +
                ",\"label\":" + toJsonString(data_.labelOf(span.request)) + ",\"class\":\"" +
                bifocal::toString(span.urgency) + "\",\"items\":" + std::to_string(span.itemCount);
        if (span.kind == SpanKind::Total) {
            out_ += ",\"stage\":" + toJsonString(span.stage);
        } else {
            out_ += ",\"lane\":" + toJsonString(span.lane) +
                    ",\"worker\":" + std::to_string(span.worker) +
                    ",\"bytes\":" + std::to_string(span.bytes) + ",\"policy_key\":\"" +
                    std::to_string(span.policyKey) + "\",\"waited_for\":\"" +
                    bifocal::toString(span.waitedFor) + '"';
        }
        out_ += "}}";
    }

    const ExportData& data_;
    std::string out_;
};

void writeCounters(EventWriter& writer, const Sample& sample) {
    const auto perClass = [&](const char* name, const std::array<std::uint32_t, 3>& count) {
        writer.counter(name,
                       sample.time,
                       {{"interactive", count[0]}, {"prefetch", count[1]}, {"batch", count[2]}});
    };
    perClass("ready", sample.readyCount);
    perClass("running", sample.runningCount);
    const MemoryGauges& memory = sample.memory;
    writer.counter("memory",
                   sample.time,
                   {{"ledger", memory.ledgerBytes},
                    {"reserved", memory.reservedBytes},
                    {"budget", memory.ledgerBudgetBytes},
                    {"allocator", memory.allocatorBytes},
                    {"resident", memory.residentBytes}});
    if (memory.vramUsedBytes) {
        writer.counter("vram",
                       sample.time,
                       {{"used", *memory.vramUsedBytes},
                        {"total", memory.vramTotalBytes.value_or(0)},
                        {"others", memory.vramOthersBytes}});
    }
}

std::string toCsvField(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string field = "\"";
    for (const char c : text) {
        field.append(c == '"' ? 2 : 1, c);
    }
    return field + '"';
}

}  // namespace

const std::string& ExportData::labelOf(RequestId request) const {
    static const std::string kNone;
    const auto found = labels.find(request);
    return found != labels.end() ? found->second : kNone;
}

std::string toJsonString(std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        const auto first = static_cast<unsigned char>(text.front());
        if (length == 0) {
            out += kReplacement;
        } else if (first == '"' || first == '\\') {
            out += '\\';
            out += text.front();
        } else if (first < 0x20) {
            out += "\\u00";
            out += kHex[first >> 4U];
            out += kHex[first & 0xFU];
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out + '"';
}

std::string toChromeTrace(const ExportData& data) {
    std::map<std::pair<std::string_view, std::uint32_t>, std::size_t> threads;
    for (const Span& span : data.spans) {
        if (span.kind == SpanKind::Execute) {
            threads.try_emplace({span.lane, span.worker}, 0);
        }
    }
    EventWriter writer(data);
    writer.metadata("process_name", 0, "Bifocal");
    writer.metadata("thread_name", 0, "requests and queues");
    std::size_t threadCount = 0;
    for (auto& [worker, thread] : threads) {
        thread = ++threadCount;
        writer.metadata(
            "thread_name", thread, std::string(worker.first) + ' ' + std::to_string(worker.second));
    }
    std::size_t id = 0;
    for (const Span& span : data.spans) {
        if (span.kind == SpanKind::Execute) {
            writer.execute(span, threads.at({span.lane, span.worker}));
        } else {
            writer.asynchronous(span, ++id);
        }
    }
    for (const Sample& sample : data.samples) {
        writeCounters(writer, sample);
    }
    return std::move(writer).finish();
}

std::string toCsv(const ExportData& data) {
    std::string out(kCsvHead);
    out += "\r\n";
    for (const Span& span : data.spans) {
        out += std::to_string(span.request.value) + ',' + toCsvField(data.labelOf(span.request)) +
               ',' + bifocal::toString(span.urgency) + ',' + toCsvField(span.stage) + ',' +
               bifocal::toString(span.kind) + ',' + toCsvField(span.lane) + ',' +
               std::to_string(span.worker) + ',' + std::to_string(span.itemCount) + ',';
        appendMicroseconds(out, span.begin - data.epoch);
        out += ',';
        appendMicroseconds(out, span.end - span.begin);
        out += ',' + std::to_string(span.bytes) + ',' + std::to_string(span.policyKey) + ',' +
               bifocal::toString(span.waitedFor) + "\r\n";
    }
    return out;
}

}  // namespace bifocal::profile
