// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/tracer.h"
#include "core/profile/profiler.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bifocal::profile {

/// A copy of what the profiler knows, taken with its locks; the writers below need none.
/// Threads: value.
struct ExportData {
    TimePoint epoch;
    std::vector<Span> spans;
    std::unordered_map<RequestId, std::string> labels;
    std::vector<Sample> samples;

    const std::string& labelOf(RequestId request) const;
};

/// First line of a CSV trace.
inline constexpr std::string_view kCsvHead =
    "request,label,class,stage,kind,lane,worker,items,begin_us,duration_us,bytes,policy_key,"
    "waited_for";

std::string toChromeTrace(const ExportData& data);
std::string toCsv(const ExportData& data);

/// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string toJsonString(std::string_view text);

}  // namespace bifocal::profile
