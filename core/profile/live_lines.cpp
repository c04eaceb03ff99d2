// SPDX-License-Identifier: Apache-2.0
#include "core/profile/live_lines.h"

#include "core/profile/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace bifocal::profile {

namespace {

constexpr std::size_t kSlotCount = kSampleWindow / LiveLines::kTick;
static_assert(Histogram::kBucketCount <= UINT16_MAX);

double inMs(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) * 1e-6;
}

double inSeconds(Duration time) {
    return std::chrono::duration<double>(time).count();
}

/// A distribution of which the oldest part can be taken away again.
class Window {
public:
    void add(std::size_t slot, Duration time, std::uint32_t items) {
        const auto nanoseconds =
            static_cast<std::uint64_t>(std::max<Duration::rep>(time.count(), 0));
        const std::size_t bucket = Histogram::bucketOf(nanoseconds);
        ++counts_[bucket];
        ++octaves_[bucket / Histogram::kStepsPerOctave];
        ++total_;
        items_ += items;
        slots_[slot].buckets.push_back(static_cast<std::uint16_t>(bucket));
        slots_[slot].items += items;
    }
    void clear(std::size_t slot) {
        Slot& old = slots_[slot];
        for (const std::uint16_t bucket : old.buckets) {
            --counts_[bucket];
            --octaves_[bucket / Histogram::kStepsPerOctave];
        }
        total_ -= old.buckets.size();
        items_ -= old.items;
        old.buckets.clear();
        old.items = 0;
    }
    std::uint64_t count() const { return total_; }
    double meanItems() const { return static_cast<double>(items_) / static_cast<double>(total_); }

    /// Requires: count() is not 0.
    Quantiles quantiles() const {
        Quantiles result{total_, 0, 0, 0, 0};
        const std::array<std::pair<std::uint64_t, double*>, 4> wanted{
            {{rankOf(0.50), &result.p50Ms},
             {rankOf(0.95), &result.p95Ms},
             {rankOf(0.99), &result.p99Ms},
             {total_, &result.maxMs}}};
        std::size_t octave = 0;
        std::uint64_t belowOctave = 0;
        for (const auto& [rank, value] : wanted) {
            while (belowOctave + octaves_[octave] < rank) {
                belowOctave += octaves_[octave++];
            }
            std::size_t bucket = octave * Histogram::kStepsPerOctave;
            std::uint64_t below = belowOctave;
            while (below + counts_[bucket] < rank) {
                below += counts_[bucket++];
            }
            *value = inMs(Histogram::valueOf(bucket));
        }
        return result;
    }

private:
    struct Slot {
        std::vector<std::uint16_t> buckets;
        std::uint64_t items = 0;
    };

    std::uint64_t rankOf(double q) const {
        return std::max<std::uint64_t>(
            static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(total_))), 1);
    }

    std::array<std::uint32_t, Histogram::kBucketCount> counts_{};
    std::array<std::uint32_t, Histogram::kBucketCount / Histogram::kStepsPerOctave> octaves_{};
    std::array<Slot, kSlotCount> slots_;
    std::uint64_t total_ = 0;
    std::uint64_t items_ = 0;
};

/// Time that the workers of one lane were busy, by tick.
struct Busy {
    std::array<Duration, kSlotCount> slots{};
    std::vector<TimePoint> newestBegin;  // by worker
    std::uint32_t workerCount() const { return static_cast<std::uint32_t>(newestBegin.size()); }
};

}  // namespace

struct LiveLines::State {
    explicit State(TimePoint beginIn) : begin(beginIn) {}

    Window& windowOf(const Span& span);
    Busy& busyOf(const char* lane);
    void add(const Span& span);
    void addBusy(const Span& span);
    LiveTick closeTick();

    TimePoint tickEnd() const { return begin + kTick * (tickIndex + 1); }
    std::size_t slot() const { return static_cast<std::size_t>(tickIndex) % kSlotCount; }

    const TimePoint begin;
    std::int64_t tickIndex = 0;  // the current one
    std::vector<LineKey> keys;
    std::vector<std::unique_ptr<Window>> windows;  // of keys
    std::vector<std::string> laneNames;
    std::vector<Busy> busy;  // of laneNames
    // By the address of a name, which costs no comparison of texts; by its content the first time.
    std::map<std::tuple<const char*, Urgency, SpanKind>, std::size_t> lineOf;
    std::map<const char*, std::size_t> laneOf;
};

Window& LiveLines::State::windowOf(const Span& span) {
    const auto [place, isNew] =
        lineOf.try_emplace(std::tuple(span.stage, span.urgency, span.kind), keys.size());
    if (isNew) {
        const LineKey key{span.stage, span.urgency, span.kind};
        const auto known = std::find(keys.begin(), keys.end(), key);
        place->second = static_cast<std::size_t>(known - keys.begin());
        if (known == keys.end()) {
            keys.push_back(key);
            windows.push_back(std::make_unique<Window>());
        }
    }
    return *windows[place->second];
}

Busy& LiveLines::State::busyOf(const char* lane) {
    const auto [place, isNew] = laneOf.try_emplace(lane, laneNames.size());
    if (isNew) {
        const auto known = std::find(laneNames.begin(), laneNames.end(), std::string_view(lane));
        place->second = static_cast<std::size_t>(known - laneNames.begin());
        if (known == laneNames.end()) {
            laneNames.emplace_back(lane);
            busy.emplace_back();
        }
    }
    return busy[place->second];
}

void LiveLines::State::add(const Span& span) {
    windowOf(span).add(slot(), span.end - span.begin, span.itemCount);
    if (span.kind == SpanKind::Execute) {
        addBusy(span);
    }
}

/// The span's time, to each tick of the window its part. Members of one run leave a span each, one
/// behind the other.
void LiveLines::State::addBusy(const Span& span) {
    Busy& lane = busyOf(span.lane);
    lane.newestBegin.resize(std::max<std::size_t>(lane.newestBegin.size(), span.worker + 1),
                            TimePoint::min());
    if (std::exchange(lane.newestBegin[span.worker], span.begin) == span.begin) {
        return;
    }
    const auto oldest = std::max<std::int64_t>(tickIndex - std::int64_t{kSlotCount} + 1, 0);
    for (std::int64_t tick = tickIndex; tick >= oldest; --tick) {
        const TimePoint from = begin + kTick * tick;
        const TimePoint until = tick == tickIndex ? TimePoint::max() : from + kTick;
        const Duration part = std::min(span.end, until) - std::max(span.begin, from);
        lane.slots[static_cast<std::size_t>(tick) % kSlotCount] += std::max(part, Duration(0));
        if (span.begin >= from) {
            break;
        }
    }
}

LiveTick LiveLines::State::closeTick() {
    LiveTick tick;
    tick.time = tickEnd();
    const auto length = std::min<Duration>(kSampleWindow, tick.time - begin);
    for (std::size_t line = 0; line < keys.size(); ++line) {
        const Window& window = *windows[line];
        if (window.count() > 0) {
            tick.lines.push_back({line,
                                  window.quantiles(),
                                  static_cast<double>(window.count()) / inSeconds(length),
                                  window.meanItems()});
        }
    }
    for (std::size_t lane = 0; lane < laneNames.size(); ++lane) {
        Duration sum{0};
        for (const Duration part : busy[lane].slots) {
            sum += part;
        }
        const double share = inSeconds(sum) / (inSeconds(length) * busy[lane].workerCount());
        tick.lanes.push_back({lane, std::min(share, 1.0), busy[lane].workerCount()});
    }
    ++tickIndex;
    for (const auto& window : windows) {
        window->clear(slot());
    }
    for (Busy& lane : busy) {
        lane.slots[slot()] = Duration(0);
    }
    return tick;
}

LiveLines::LiveLines(TimePoint begin) : state_(std::make_unique<State>(begin)) {}

LiveLines::~LiveLines() = default;

std::vector<LiveTick> LiveLines::add(std::span<const Span> spans, TimePoint now) {
    std::vector<LiveTick> ticks;
    for (const Span& span : spans) {
        while (span.end >= state_->tickEnd() && state_->tickEnd() <= now) {
            ticks.push_back(state_->closeTick());
        }
        state_->add(span);
    }
    while (state_->tickEnd() <= now) {
        ticks.push_back(state_->closeTick());
    }
    return ticks;
}

std::size_t LiveLines::lineOf(const Span& span) const {
    return state_->lineOf.at({span.stage, span.urgency, span.kind});
}

const std::vector<LineKey>& LiveLines::lines() const {
    return state_->keys;
}

const std::vector<std::string>& LiveLines::lanes() const {
    return state_->laneNames;
}

}  // namespace bifocal::profile
