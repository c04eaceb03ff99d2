// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"

#include <cstdint>

namespace bifocal {

/// Who waits for the work; the order is the order of service.
enum class Urgency : std::uint8_t { Interactive = 1, Prefetch, Batch };

/// "interactive", "prefetch", "batch".
const char* toString(Urgency urgency);

/// What a span's time was spent on.
enum class SpanKind : std::uint8_t {
    Queue = 1,  ///< ready, waiting for a worker
    Execute,    ///< running on a lane
    Total,      ///< a whole request, submit to terminal event
};

/// What a Queue span waited for. Threads: value.
enum class WaitedFor : std::uint8_t {
    Turn = 1,  ///< a worker that is free, and its place in the order
    Room,      ///< it was first, and its bytes did not fit
};

/// "queue", "execute", "total"; "turn", "room".
const char* toString(SpanKind kind);
const char* toString(WaitedFor waitedFor);

/// One piece of one request's time. Names are string literals: they are kept by pointer.
/// Threads: value.
struct Span {
    const char* stage = "";  ///< "tokenise", "encode_text", "decode", "encode_image", "search", …
    const char* lane = "";   ///< "text", "image", "pool"
    RequestId request;
    SpanKind kind = SpanKind::Execute;
    Urgency urgency = Urgency::Interactive;
    WaitedFor waitedFor = WaitedFor::Turn;
    std::uint32_t itemCount = 1;  ///< batch size
    std::uint32_t worker = 0;     ///< index of the worker within the lane
    std::uint64_t bytes = 0;      ///< reserved in the ledger while it ran
    std::uint64_t policyKey = 0;  ///< its place in the policy's order, smallest first; 0: none
    TimePoint begin;
    TimePoint end;
};

/// Where spans go. Threads: safe; record() never blocks for longer than a few hundred nanoseconds.
class Tracer {
public:
    Tracer() = default;
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;
    virtual ~Tracer() = default;

    virtual void record(const Span& span) = 0;
};

/// Drops everything. Threads: safe.
class NullTracer final : public Tracer {
public:
    void record(const Span& /*span*/) override {}
};

}  // namespace bifocal
