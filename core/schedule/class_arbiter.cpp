// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/internal/class_arbiter.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace bifocal::schedule {

ClassArbiter::Order ClassArbiter::order(const Flags& hasWork, ClassOrder order) const {
    Order result;
    if (order == ClassOrder::Guarded) {
        for (std::size_t cls = 1; cls < kClassCount; ++cls) {
            if (hasWork[cls] && hasGuardTurn(cls)) {
                result.classes[result.count++] = cls;
            }
        }
        result.guardCount = result.count;
        if (result.count == 2 && credits_[result.classes[0]] < credits_[result.classes[1]]) {
            std::swap(result.classes[0], result.classes[1]);
        }
    }
    for (std::size_t cls = 0; cls < kClassCount; ++cls) {
        if (hasWork[cls] && (order != ClassOrder::Guarded || !hasGuardTurn(cls))) {
            result.classes[result.count++] = cls;
        }
    }
    return result;
}

void ClassArbiter::setShare(double share) {
    share_ = share;
    for (double& credit : credits_) {
        credit = std::clamp(credit, -longestRun(), share_ * longestRun());
    }
}

void ClassArbiter::charge(std::size_t cls, Duration time, const Flags& hasWork) {
    const double seconds = std::chrono::duration<double>(time).count();
    longest_[0] = std::max(longest_[0], seconds);
    if (++runCount_ == kRunsPerWindow) {
        longest_ = {0.0, longest_[0]};
        runCount_ = 0;
    }
    const double q = longestRun();
    for (std::size_t other = 1; share_ > 0 && other < kClassCount; ++other) {
        if (other == cls) {
            credits_[other] -= (1 - share_) * seconds;
        } else if (hasWork[other]) {
            credits_[other] += share_ * seconds;
        }
        credits_[other] = std::clamp(credits_[other], -q, share_ * q);
    }
}

double ClassArbiter::longestRun() const {
    return std::max(longest_[0], longest_[1]);
}

}  // namespace bifocal::schedule
