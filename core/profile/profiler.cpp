// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profiler.h"

#include "core/base/assert.h"
#include "core/profile/histogram.h"
#include "core/profile/internal/exporters.h"
#include "core/profile/internal/span_ring.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

namespace bifocal::profile {

namespace {

constexpr std::size_t kRecentTotalCapacity = 4096;
constexpr std::size_t kSampleCapacity = 600;
constexpr Duration kRecordingDelay = std::chrono::milliseconds(100);

double toMs(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) * 1e-6;
}

std::uint64_t durationOf(const Span& span) {
    return span.end > span.begin ? static_cast<std::uint64_t>((span.end - span.begin).count()) : 0;
}

std::size_t indexOf(Urgency urgency) {
    const auto index = static_cast<std::size_t>(urgency) - 1;
    BIFOCAL_ASSERT(index < 3);
    return index;
}

Quantiles quantilesOf(const Histogram& histogram) {
    return {histogram.count(),
            toMs(histogram.quantile(0.50)),
            toMs(histogram.quantile(0.95)),
            toMs(histogram.quantile(0.99)),
            toMs(histogram.max())};
}

/// Nearest rank of sorted values.
double quantileMs(std::span<const std::uint64_t> sorted, double q) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
    return toMs(sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1]);
}

/// Times of one stage in one class.
struct Stage {
    Histogram histogram;
    std::atomic<std::uint64_t> itemCount{0};
};

/// By content: two files' literals of one name may have two addresses.
struct StageKey {
    std::string_view stage;
    Urgency urgency;
    SpanKind kind;

    auto operator<=>(const StageKey&) const = default;
};

/// Finds a stage's histogram by the address of its name, and by its content the first time that an
/// address is seen. A reader takes no lock: two would cost as much as the rest of record().
/// Invariants: (1) an entry of `byAddress_` is set once and never changes; (2) along a probe no
/// empty slot comes before the entry that is looked for; (3) `mutex_` guards `stages_`, `entries_`
/// and every change of `byAddress_`.
/// Threads: safe; the stages themselves never move.
class StageTable {
public:
    Stage& find(const Span& span) {
        std::size_t slot = hashOf(span);
        for (std::size_t probe = 0; probe < kMostProbes; ++probe, ++slot) {
            const Entry* entry = byAddress_[slot % kSlotCount].load(std::memory_order_acquire);
            if (entry == nullptr) {
                break;
            }
            if (entry->matches(span)) {
                return *entry->stage;
            }
        }
        return add(span);
    }

    std::vector<StageStats> stats() const {
        const std::lock_guard lock(mutex_);
        std::vector<StageStats> all;
        all.reserve(stages_.size());
        for (const auto& [key, stage] : stages_) {
            all.push_back({std::string(key.stage),
                           key.urgency,
                           key.kind,
                           quantilesOf(stage->histogram),
                           stage->itemCount.load(std::memory_order_relaxed)});
        }
        return all;
    }

private:
    struct Entry {
        const char* name;
        Urgency urgency;
        SpanKind kind;
        Stage* stage;

        bool matches(const Span& span) const {
            return name == span.stage && urgency == span.urgency && kind == span.kind;
        }
    };

    static constexpr std::size_t kSlotCount = 1024;
    static constexpr std::size_t kMostProbes = 16;

    static std::size_t hashOf(const Span& span) {
        const auto address = reinterpret_cast<std::uintptr_t>(span.stage);
        const std::uint64_t mixed =
            (std::uint64_t{address} * 16 + static_cast<std::uint64_t>(span.urgency) * 4 +
             static_cast<std::uint64_t>(span.kind)) *
            0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(mixed >> 40U);
    }

    /// Where too many names meet, each call ends here: right, and as slow as a map.
    Stage& add(const Span& span) {
        const std::lock_guard lock(mutex_);
        auto& stage = stages_[StageKey{span.stage, span.urgency, span.kind}];
        if (stage == nullptr) {
            stage = std::make_unique<Stage>();
        }
        std::size_t slot = hashOf(span);
        for (std::size_t probe = 0; probe < kMostProbes; ++probe, ++slot) {
            std::atomic<const Entry*>& place = byAddress_[slot % kSlotCount];
            const Entry* there = place.load(std::memory_order_relaxed);
            if (there == nullptr) {
                entries_.push_back(std::make_unique<const Entry>(
                    Entry{span.stage, span.urgency, span.kind, stage.get()}));
                place.store(entries_.back().get(), std::memory_order_release);
                break;
            }
            if (there->matches(span)) {
                break;  // another thread was faster
            }
        }
        return *stage;
    }

    std::array<std::atomic<const Entry*>, kSlotCount> byAddress_{};
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<const Entry>> entries_;
    std::map<StageKey, std::unique_ptr<Stage>> stages_;
};

struct EndedTotal {
    TimePoint end;
    std::uint64_t nanoseconds = 0;
};

}  // namespace

const char* toString(Outcome outcome) {
    switch (outcome) {
        case Outcome::Done: return "done";
        case Outcome::Failed: return "failed";
        case Outcome::Cancelled: return "cancelled";
        case Outcome::Superseded: return "superseded";
    }
    return "failed";
}

const char* totalStage(Outcome outcome) {
    switch (outcome) {
        case Outcome::Done: return "request";
        case Outcome::Failed: return "request_failed";
        case Outcome::Cancelled: return "request_cancelled";
        case Outcome::Superseded: return "request_superseded";
    }
    return "request_failed";
}

std::optional<Outcome> outcomeOf(std::string_view stage) {
    for (const Outcome outcome :
         {Outcome::Done, Outcome::Failed, Outcome::Cancelled, Outcome::Superseded}) {
        if (stage == totalStage(outcome)) {
            return outcome;
        }
    }
    return std::nullopt;
}

double RequestTrace::totalMs() const {
    return std::chrono::duration<double, std::milli>(end - begin).count();
}

/// Invariants: (1) `mutex` guards what is declared below it; (2) `byId` points at every element of
/// `running` and `ended`, and nothing else; (3) the ring, the stages and the totals guard
/// themselves, and none of them is called with `mutex` held.
struct Profiler::State {
    State(const Clock& clockIn, Options options)
        : clock(clockIn),
          epoch(clockIn.now()),
          capacity(std::max<std::size_t>(options.requestCapacity, 1)),
          ring(options.spanCapacity) {}

    const Clock& clock;
    const TimePoint epoch;
    const std::size_t capacity;
    SpanRing ring;
    StageTable stages;
    std::array<Histogram, 3> totals;

    mutable std::mutex mutex;
    std::list<RequestTrace> running;  // in order of begin; spans stay empty, they are in the ring
    std::list<RequestTrace> ended;    // in order of end
    std::unordered_map<RequestId, std::list<RequestTrace>::iterator> byId;
    std::array<std::deque<EndedTotal>, 3> recentTotals;
    std::deque<Sample> samples;

    void forgetOldest() {
        std::list<RequestTrace>& from = ended.empty() ? running : ended;
        byId.erase(from.front().request);
        from.pop_front();
    }
    /// A running request lasts until now.
    RequestTrace copyOf(const RequestTrace& trace, TimePoint now) const {
        RequestTrace copy = trace;
        if (!copy.outcome) {
            copy.end = now;
        }
        return copy;
    }
    void attachSpans(RequestTrace& trace, std::size_t limit) const {
        trace.spans = ring.ofRequest(trace.request, limit);
        std::stable_sort(trace.spans.begin(), trace.spans.end(), [](const Span& a, const Span& b) {
            return a.end < b.end;
        });
    }
    ExportData exportData() const;
};

ExportData Profiler::State::exportData() const {
    ExportData data{epoch, ring.all(), {}, {}};
    const std::lock_guard lock(mutex);
    for (const auto* list : {&running, &ended}) {
        for (const RequestTrace& trace : *list) {
            data.labels.emplace(trace.request, trace.label);
        }
    }
    data.samples.assign(samples.begin(), samples.end());
    return data;
}

Profiler::Profiler(const Clock& clock) : Profiler(clock, Options()) {}

Profiler::Profiler(const Clock& clock, Options options)
    : state_(std::make_unique<State>(clock, options)) {}

Profiler::~Profiler() = default;

void Profiler::record(const Span& span) {
    Stage& stage = state_->stages.find(span);
    stage.histogram.add(durationOf(span));
    stage.itemCount.fetch_add(span.itemCount, std::memory_order_relaxed);
    state_->ring.append(span);
}

void Profiler::beginRequest(RequestId request, std::string label, Urgency urgency) {
    RequestTrace trace;
    trace.request = request;
    trace.label = std::move(label);
    trace.urgency = urgency;
    trace.begin = state_->clock.now();
    const std::lock_guard lock(state_->mutex);
    const auto [place, isNew] = state_->byId.try_emplace(request);
    if (!isNew) {
        return;
    }
    place->second = state_->running.insert(state_->running.end(), std::move(trace));
    if (state_->byId.size() > state_->capacity) {
        state_->forgetOldest();
    }
}

void Profiler::endRequest(RequestId request, Outcome outcome) {
    const TimePoint now = state_->clock.now();
    Span total;
    {
        const std::lock_guard lock(state_->mutex);
        const auto found = state_->byId.find(request);
        if (found == state_->byId.end() || found->second->outcome) {
            return;
        }
        RequestTrace& trace = *found->second;
        trace.outcome = outcome;
        trace.end = now;
        state_->ended.splice(state_->ended.end(), state_->running, found->second);
        total.stage = totalStage(outcome);
        total.request = request;
        total.kind = SpanKind::Total;
        total.urgency = trace.urgency;
        total.begin = trace.begin;
        total.end = now;
        if (outcome == Outcome::Done) {
            auto& recent = state_->recentTotals[indexOf(total.urgency)];
            recent.push_back({now, durationOf(total)});
            if (recent.size() > kRecentTotalCapacity) {
                recent.pop_front();
            }
        }
    }
    if (outcome == Outcome::Done) {
        state_->totals[indexOf(total.urgency)].add(durationOf(total));
    }
    record(total);
}

std::vector<RequestTrace> Profiler::recentRequests(std::size_t limit, std::size_t spanLimit) const {
    const TimePoint now = state_->clock.now();
    std::vector<RequestTrace> traces;
    {
        const std::lock_guard lock(state_->mutex);
        std::vector<const RequestTrace*> order;
        order.reserve(state_->byId.size());
        for (const auto& [id, place] : state_->byId) {
            order.push_back(&*place);
        }
        std::sort(order.begin(), order.end(), [](const RequestTrace* a, const RequestTrace* b) {
            return std::tie(a->begin, a->request) > std::tie(b->begin, b->request);
        });
        order.resize(std::min(limit, order.size()));
        traces.reserve(order.size());
        for (const RequestTrace* trace : order) {
            traces.push_back(state_->copyOf(*trace, now));
        }
    }
    for (RequestTrace& trace : traces) {
        state_->attachSpans(trace, spanLimit);
    }
    return traces;
}

std::uint64_t Profiler::spansSince(std::uint64_t cursor, std::vector<Span>& out) const {
    return state_->ring.since(cursor, out);
}

std::vector<Span> Profiler::spansBetween(TimePoint begin, TimePoint end) const {
    std::vector<Span> spans;
    // Recorded as they end, give or take what a thread needs to do so: spans that ended a while
    // before the interval end the search.
    const TimePoint oldest = begin - kRecordingDelay;
    state_->ring.visitBackwards([&](const Span& span) {
        if (span.end >= begin && span.begin <= end) {
            spans.push_back(span);
        }
        return span.end >= oldest;
    });
    return spans;
}

std::optional<RequestTrace> Profiler::request(RequestId id) const {
    const TimePoint now = state_->clock.now();
    std::optional<RequestTrace> trace;
    {
        const std::lock_guard lock(state_->mutex);
        const auto found = state_->byId.find(id);
        if (found == state_->byId.end()) {
            return std::nullopt;
        }
        trace = state_->copyOf(*found->second, now);
    }
    state_->attachSpans(*trace, SIZE_MAX);
    return trace;
}

std::vector<StageStats> Profiler::stages() const {
    return state_->stages.stats();
}

Quantiles Profiler::totals(Urgency urgency) const {
    return quantilesOf(state_->totals[indexOf(urgency)]);
}

Quantiles Profiler::recentTotals(Urgency urgency, Duration window) const {
    const TimePoint since = state_->clock.now() - window;
    std::vector<std::uint64_t> times;
    {
        const std::lock_guard lock(state_->mutex);
        const auto& recent = state_->recentTotals[indexOf(urgency)];
        for (auto total = recent.rbegin(); total != recent.rend() && total->end >= since; ++total) {
            times.push_back(total->nanoseconds);
        }
    }
    if (times.empty()) {
        return {};
    }
    std::sort(times.begin(), times.end());
    return {times.size(),
            quantileMs(times, 0.50),
            quantileMs(times, 0.95),
            quantileMs(times, 0.99),
            toMs(times.back())};
}

double Profiler::meanBatch(std::string_view stage, Duration window) const {
    const TimePoint since = state_->clock.now() - window;
    std::uint64_t itemCount = 0;
    std::uint64_t spanCount = 0;
    // Execute spans are recorded as they end: the first one that is too old ends the search.
    state_->ring.visitBackwards([&](const Span& span) {
        if (span.kind != SpanKind::Execute) {
            return true;
        }
        if (span.end < since) {
            return false;
        }
        if (stage == span.stage) {
            itemCount += span.itemCount;
            ++spanCount;
        }
        return true;
    });
    return spanCount == 0 ? 0.0 : static_cast<double>(itemCount) / static_cast<double>(spanCount);
}

void Profiler::addSample(const Sample& sample) {
    const std::lock_guard lock(state_->mutex);
    state_->samples.push_back(sample);
    if (state_->samples.size() > kSampleCapacity) {
        state_->samples.pop_front();
    }
}

std::vector<Sample> Profiler::samples() const {
    const std::lock_guard lock(state_->mutex);
    return {state_->samples.begin(), state_->samples.end()};
}

std::vector<Sample> Profiler::samplesSince(TimePoint time) const {
    const std::lock_guard lock(state_->mutex);
    const auto first = std::find_if(state_->samples.begin(),
                                    state_->samples.end(),
                                    [&](const Sample& sample) { return sample.time > time; });
    return {first, state_->samples.end()};
}

TimePoint Profiler::epoch() const {
    return state_->epoch;
}

std::string Profiler::chromeTrace() const {
    return toChromeTrace(state_->exportData());
}

std::string Profiler::csv() const {
    return toCsv(state_->exportData());
}

}  // namespace bifocal::profile
