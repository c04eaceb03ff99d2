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

}  // namespace bifocal
