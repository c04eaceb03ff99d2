// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline/results.h"

namespace bifocal {

const char* toString(Confidence confidence) {
    switch (confidence) {
        case Confidence::Strong: return "strong";
        case Confidence::Fair: return "fair";
        case Confidence::Weak: return "weak";
    }
    return "weak";
}

const char* toString(Answer answer) {
    switch (answer) {
        case Answer::Strong: return "strong";
        case Answer::Fair: return "fair";
        case Answer::Weak: return "weak";
        case Answer::None: return "none";
    }
    return "none";
}

}  // namespace bifocal
