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
    since(0, spans);
    return spans;
}

std::uint64_t SpanRing::since(std::uint64_t cursor, std::vector<Span>& out) const {
    std::uint64_t end = 0;
    {
        const std::lock_guard lock(mutex_);
        end = appendedCount_;
    }
    const std::uint64_t oldest = end > slots_.size() ? end - slots_.size() + 1 : 1;
    std::uint64_t next = std::max(cursor + 1, oldest);
    out.reserve(out.size() + static_cast<std::size_t>(end + 1 - std::min(next, end + 1)));
    while (next <= end) {
        const std::lock_guard lock(mutex_);
        // What was overwritten since the last chunk is gone.
        if (appendedCount_ > slots_.size()) {
            next = std::max(next, appendedCount_ - slots_.size() + 1);
        }
        for (std::size_t i = 0; i < kChunk && next <= end; ++i, ++next) {
            out.push_back(slotOf(next).span);
        }
    }
    return end;
}

std::vector<Span> SpanRing::ofRequest(RequestId request, std::size_t limit) const {
    std::vector<Span> spans;
    std::uint64_t next = 0;
    {
        const std::lock_guard lock(mutex_);
        next = newestOfBucket_[bucketOf(request)];
    }
    for (bool isMore = true; isMore;) {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < kChunk && isThere(next) && spans.size() < limit; ++i) {
            const Slot& slot = slotOf(next);
            if (slot.span.request == request) {
                spans.push_back(slot.span);
            }
            next = slot.previous;
        }
        isMore = isThere(next) && spans.size() < limit;
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
