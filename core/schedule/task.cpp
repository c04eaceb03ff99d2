// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/task.h"

#include <algorithm>

namespace bifocal::schedule {

double PromptFeatures::weight() const {
    return std::max(
        {hasText ? 0.2 : 0.0, hasSpeech ? 0.2 : 0.0, hasImage ? 0.7 : 0.0, hasVideo ? 1.0 : 0.0});
}

bool Work::runSegment(std::span<const std::shared_ptr<Work>> members, const WorkerContext& worker) {
    for (const std::shared_ptr<Work>& member : members) {
        member->run(worker);
    }
    return false;
}

}  // namespace bifocal::schedule
