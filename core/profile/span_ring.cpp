// SPDX-License-Identifier: Apache-2.0
#include "core/profile/internal/span_ring.h"

#include <algorithm>

namespace bifocal::profile {

SpanRing::SpanRing(std::size_t capacity) : slots_(std::max<std::size_t>(capacity, 1)) {}

void SpanRing::append(const Span& span) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t number = ++appendedCount_;
    std::uint64_t& newest = newestOfBucket_[bucketOf(span.request)];
    newestSlot_ = newestSlot_ + 1 == slots_.size() ? 0 : newestSlot_ + 1;
    slots_[newestSlot_] = Slot{span, newest};
    newest = number;
}

std::vector<Span> SpanRing::all() const {
    std::vector<Span> spans;
    std::uint64_t end = 0;
    {
        const std::lock_guard lock(mutex_);
        end = appendedCount_;
    }
    spans.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(end, slots_.size())));
    std::uint64_t next = end > slots_.size() ? end - slots_.size() + 1 : 1;
    while (next <= end) {
        const std::lock_guard lock(mutex_);
        // What was overwritten since the last chunk is gone.
        if (appendedCount_ > slots_.size()) {
            next = std::max(next, appendedCount_ - slots_.size() + 1);
        }
        for (std::size_t i = 0; i < kChunk && next <= end; ++i, ++next) {
            spans.push_back(slotOf(next).span);
        }
    }
    return spans;
}

std::vector<Span> SpanRing::ofRequest(RequestId request) const {
    std::vector<Span> spans;
    std::uint64_t next = 0;
    {
        const std::lock_guard lock(mutex_);
        next = newestOfBucket_[bucketOf(request)];
    }
    for (bool isMore = true; isMore;) {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < kChunk && isThere(next); ++i) {
            const Slot& slot = slotOf(next);
            if (slot.span.request == request) {
                spans.push_back(slot.span);
            }
            next = slot.previous;
        }
        isMore = isThere(next);
    }
    std::reverse(spans.begin(), spans.end());
    return spans;
}

void SpanRing::visitBackwards(const std::function<bool(const Span&)>& visit) const {
    std::array<Span, kChunk> chunk;
    std::uint64_t next = 0;
    {
        const std::lock_guard lock(mutex_);
        next = appendedCount_;
    }
    while (true) {
        std::size_t count = 0;
        {
            const std::lock_guard lock(mutex_);
            for (; count < kChunk && isThere(next); ++count, --next) {
                chunk[count] = slotOf(next).span;
            }
        }
        if (count == 0) {
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (!visit(chunk[i])) {
                return;
            }
        }
    }
}

}  // namespace bifocal::profile
