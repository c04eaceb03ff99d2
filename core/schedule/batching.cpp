// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/batching.h"

#include <algorithm>
#include <chrono>

namespace bifocal::schedule {

BatchRule BatchRule::eightOrFiftyMilliseconds() {
    constexpr Duration kWindow = std::chrono::milliseconds(50);
    return {{8, 8, 8}, {kWindow, kWindow, kWindow}, 0};
}

BatchRule BatchRule::halfOfMultiprocessors(std::uint32_t multiprocessors) {
    const std::uint32_t size = std::clamp(multiprocessors / 2, 1U, kMaxRunSize);
    return {{size, size, size}, {}, 0};
}

std::uint32_t paddedSize(std::uint32_t items) {
    const auto* size = std::lower_bound(kRunSizes.begin(), kRunSizes.end(), items);
    return size == kRunSizes.end() ? kMaxRunSize : *size;
}

}  // namespace bifocal::schedule
