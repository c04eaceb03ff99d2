// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/load/estimate.h"
#include "core/base/result.h"
#include "core/base/tracer.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::cli {

/// What times are compared with their like. Threads: value.
struct TraceKey {
    std::string stage;  ///< of a Total as profile::totalStage()
    Urgency urgency = Urgency::Interactive;
    SpanKind kind = SpanKind::Execute;

    friend auto operator<=>(const TraceKey&, const TraceKey&) = default;
};

/// One span of an exported trace. Threads: value.
struct TracedSpan {
    TraceKey key;
    double beginMs = 0;
    double durationMs = 0;
};

/// The spans of a trace; Corruption as profile::readRecording(). Threads: value.
Result<std::vector<TracedSpan>> readTrace(std::string_view text);

enum class TraceVerdict : std::uint8_t {
    Same = 1,
    Slower,
    Faster,
    TooFew,  ///< fewer than kFewestSpans on one side: not judged
};
const char* toString(TraceVerdict verdict);

inline constexpr std::size_t kFewestSpans = 10;
/// Differences below this, in milliseconds, are nothing whatever their share: waking a thread takes
/// as long.
inline constexpr double kSmallestDifferenceMs = 0.05;

struct TraceTimes {
    std::size_t count = 0;
    double p50Ms = 0;
    double p95Ms = 0;  ///< of few spans the largest
};

/// One stage in one class, before and after. Threads: value.
struct StageChange {
    TraceKey key;
    TraceTimes before;
    TraceTimes after;
    std::optional<Estimate> differenceMs;  ///< of the medians; empty when there were too few
    TraceVerdict verdict = TraceVerdict::TooFew;
};

struct TraceDiff {
    std::vector<StageChange> changes;  ///< of what both have, by key
    std::vector<TraceKey> onlyBefore;
    std::vector<TraceKey> onlyAfter;
};

/// Compares the medians. Slower (Faster) is a stage whose median grew (shrank) by more than `share`
/// of what it was and more than kSmallestDifferenceMs, while the interval of the difference leaves
/// out zero; all intervals together hold with 95 % (Bonferroni), so that many stages do not make a
/// false alarm likely. NotFound when nothing can be judged. Threads: value.
Result<TraceDiff> diffTraces(std::span<const TracedSpan> before,
                             std::span<const TracedSpan> after,
                             double share);

/// {"fail_over":…,"slower":[…],"stages":[…],"only_before":[…],"only_after":[…]}
std::string toJson(const TraceDiff& diff, double share);
/// For people.
std::string toTable(const TraceDiff& diff);

/// "5%" as 0.05. InvalidArgument: anything but a number from 0 to 1000 and '%'. Threads: value.
Result<double> parseShare(const std::string& text);

}  // namespace bifocal::cli
