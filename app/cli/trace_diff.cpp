// SPDX-License-Identifier: Apache-2.0
#include "app/cli/trace_diff.h"

#include "app/cli/bench/report.h"
#include "core/profile/recording.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::size_t kResampleCount = 2000;
constexpr double kFamilyConfidence = 0.95;
constexpr double kMostPercent = 1000;

using TimesByKey = std::map<TraceKey, std::vector<double>>;

TimesByKey timesOf(std::span<const TracedSpan> spans) {
    std::vector<const TracedSpan*> order;
    order.reserve(spans.size());
    for (const TracedSpan& span : spans) {
        order.push_back(&span);
    }
    // The intervals need the order of time; an exporter writes the order of ends.
    std::stable_sort(order.begin(), order.end(), [](const TracedSpan* a, const TracedSpan* b) {
        return a->beginMs < b->beginMs;
    });
    TimesByKey times;
    for (const TracedSpan* span : order) {
        times[span->key].push_back(span->durationMs);
    }
    return times;
}

TraceTimes summaryOf(std::span<const double> ms) {
    return {ms.size(), median(ms), quantile(ms, 0.95)};
}

TraceVerdict verdictOf(double medianBefore, const Estimate& difference, double share) {
    const double limit = std::max(share * medianBefore, kSmallestDifferenceMs);
    if (difference.value > limit && difference.low > 0) {
        return TraceVerdict::Slower;
    }
    if (difference.value < -limit && difference.high < 0) {
        return TraceVerdict::Faster;
    }
    return TraceVerdict::Same;
}

std::string nameOf(const TraceKey& key) {
    return key.stage + ", " + bifocal::toString(key.urgency) + ", " + bifocal::toString(key.kind);
}

nlohmann::json documentFor(const TraceKey& key) {
    return {{"stage", key.stage},
            {"class", bifocal::toString(key.urgency)},
            {"time", bifocal::toString(key.kind)}};
}

nlohmann::json documentFor(const TraceTimes& times) {
    return {{"count", times.count}, {"p50_ms", times.p50Ms}, {"p95_ms", times.p95Ms}};
}

nlohmann::json documentFor(const StageChange& change) {
    nlohmann::json document = documentFor(change.key);
    document["before"] = documentFor(change.before);
    document["after"] = documentFor(change.after);
    document["difference_ms"] = nullptr;
    if (change.differenceMs) {
        document["difference_ms"] = {{"value", change.differenceMs->value},
                                     {"low", change.differenceMs->low},
                                     {"high", change.differenceMs->high}};
    }
    document["verdict"] = toString(change.verdict);
    return document;
}

std::string lineFor(const StageChange& change) {
    std::array<char, 256> figures{};
    std::snprintf(figures.data(),
                  figures.size(),
                  "%6zu -> %-6zu P50 %.3f -> %.3f ms, P95 %.3f -> %.3f ms",
                  change.before.count,
                  change.after.count,
                  change.before.p50Ms,
                  change.after.p50Ms,
                  change.before.p95Ms,
                  change.after.p95Ms);
    std::string line = nameOf(change.key);
    line.resize(std::max<std::size_t>(line.size() + 1, 36), ' ');
    line += figures.data();
    if (change.differenceMs) {
        std::snprintf(figures.data(),
                      figures.size(),
                      ", difference %+.3f [%+.3f, %+.3f]",
                      change.differenceMs->value,
                      change.differenceMs->low,
                      change.differenceMs->high);
        line += figures.data();
    }
    return line + "  " + toString(change.verdict) + '\n';
}

}  // namespace

Result<std::vector<TracedSpan>> readTrace(std::string_view text) {
    BIFOCAL_TRY(const profile::Recording recording, profile::readRecording(text));
    const auto inMs = [](Duration time) {
        return std::chrono::duration<double, std::milli>(time).count();
    };
    std::vector<TracedSpan> spans;
    spans.reserve(recording.spans.size());
    for (const Span& span : recording.spans) {
        spans.push_back({{span.stage, span.urgency, span.kind},
                         inMs(span.begin.time_since_epoch()),
                         inMs(span.end - span.begin)});
    }
    return spans;
}

const char* toString(TraceVerdict verdict) {
    switch (verdict) {
        case TraceVerdict::Same: return "same";
        case TraceVerdict::Slower: return "slower";
        case TraceVerdict::Faster: return "faster";
        case TraceVerdict::TooFew: return "too_few";
    }
    return "";
}

Result<TraceDiff> diffTraces(std::span<const TracedSpan> before,
                             std::span<const TracedSpan> after,
                             double share) {
    const TimesByKey earlier = timesOf(before);
    const TimesByKey later = timesOf(after);
    TraceDiff diff;
    std::size_t judgedCount = 0;
    for (const auto& [key, times] : earlier) {
        const auto found = later.find(key);
        if (found == later.end()) {
            diff.onlyBefore.push_back(key);
            continue;
        }
        diff.changes.push_back({key, summaryOf(times), summaryOf(found->second)});
        judgedCount += std::min(times.size(), found->second.size()) >= kFewestSpans ? 1 : 0;
    }
    for (const auto& [key, times] : later) {
        if (!earlier.contains(key)) {
            diff.onlyAfter.push_back(key);
        }
    }
    if (judgedCount == 0) {
        return Error{ErrorCode::NotFound,
                     "nothing to judge: no stage has " + std::to_string(kFewestSpans) +
                         " spans in both traces"};
    }
    Resampling resampling;
    resampling.count = kResampleCount;
    resampling.confidence = 1 - (1 - kFamilyConfidence) / static_cast<double>(judgedCount);
    for (StageChange& change : diff.changes) {
        if (std::min(change.before.count, change.after.count) >= kFewestSpans) {
            change.differenceMs =
                estimateMedianDifference(earlier.at(change.key), later.at(change.key), resampling);
            change.verdict = verdictOf(change.before.p50Ms, *change.differenceMs, share);
        }
    }
    return diff;
}

std::string toJson(const TraceDiff& diff, double share) {
    nlohmann::json document{{"fail_over", share},
                            {"slower", nlohmann::json::array()},
                            {"stages", nlohmann::json::array()},
                            {"only_before", nlohmann::json::array()},
                            {"only_after", nlohmann::json::array()}};
    for (const StageChange& change : diff.changes) {
        document["stages"].push_back(documentFor(change));
        if (change.verdict == TraceVerdict::Slower) {
            document["slower"].push_back(documentFor(change.key));
        }
    }
    for (const TraceKey& key : diff.onlyBefore) {
        document["only_before"].push_back(documentFor(key));
    }
    for (const TraceKey& key : diff.onlyAfter) {
        document["only_after"].push_back(documentFor(key));
    }
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string toTable(const TraceDiff& diff) {
    std::string table;
    for (const StageChange& change : diff.changes) {
        table += lineFor(change);
    }
    for (const TraceKey& key : diff.onlyBefore) {
        table += "only in the first: " + nameOf(key) + '\n';
    }
    for (const TraceKey& key : diff.onlyAfter) {
        table += "only in the second: " + nameOf(key) + '\n';
    }
    for (const StageChange& change : diff.changes) {
        if (change.verdict == TraceVerdict::Slower) {
            table += "SLOWER: " + nameOf(change.key) + '\n';
        }
    }
    return table;
}

Result<double> parseShare(const std::string& text) {
    double percent = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, percent);
    if (code != std::errc{} || rest + 1 != end || *rest != '%' ||
        !(percent >= 0 && percent <= kMostPercent)) {
        return Error{ErrorCode::InvalidArgument,
                     "'" + text + "' is not a share like 5% (from 0% to 1000%)"};
    }
    return percent / 100;
}

}  // namespace bifocal::cli
