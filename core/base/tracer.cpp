// SPDX-License-Identifier: Apache-2.0
#include "core/base/tracer.h"

namespace bifocal {

const char* toString(Urgency urgency) {
    switch (urgency) {
        case Urgency::Interactive: return "interactive";
        case Urgency::Prefetch: return "prefetch";
        case Urgency::Batch: return "batch";
    }
    return "batch";
}

const char* toString(SpanKind kind) {
    switch (kind) {
        case SpanKind::Queue: return "queue";
        case SpanKind::Execute: return "execute";
        case SpanKind::Total: return "total";
    }
    return "execute";
}

const char* toString(WaitedFor waitedFor) {
    return waitedFor == WaitedFor::Room ? "room" : "turn";
}

}  // namespace bifocal
