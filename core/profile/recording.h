// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/tracer.h"
#include "core/profile/profiler.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::profile {

/// What a trace holds: the same as a profiler does while it runs. Times are those of the file, from
/// TimePoint() on. Threads: value; names of spans live as long as any copy of it does.
struct Recording {
    std::vector<Span> spans;             ///< in the order of the file
    std::vector<RequestTrace> requests;  ///< the one that began last comes first
    std::vector<Sample> samples;         ///< oldest first
    TimePoint end;                       ///< of the last span or sample
    std::shared_ptr<const std::set<std::string, std::less<>>> names;
};

/// A trace as Profiler::chromeTrace() or Profiler::csv() writes it (also as it was before it had
/// bytes and keys), told apart by the first character. Corruption, with the line (CSV), the byte or
/// the event's number (JSON): cut short, of another form, a time that is no number or below zero, a
/// class that there is not, a beginning without an end. Events of other programs in the same JSON
/// are passed by. Threads: safe.
Result<Recording> readRecording(std::string_view text);

}  // namespace bifocal::profile
