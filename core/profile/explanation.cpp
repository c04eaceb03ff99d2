// SPDX-License-Identifier: Apache-2.0
#include "core/profile/explanation.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace bifocal::profile {

namespace {

constexpr double kUnusual = 1.5;          // times the median of its peers
constexpr double kSmallMs = 2;            // below it nothing is called slow
constexpr double kWaitShare = 1.0 / 3.0;  // of a request that is spent waiting
constexpr double kMostShare = 0.5;
constexpr double kBlamedShare = 0.3;  // of a wait that one request ran for, at least
constexpr std::uint64_t kFewestRuns = 20;

double inMs(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

double overlapMs(const Span& span, TimePoint begin, TimePoint end) {
    return std::max(inMs(std::min(span.end, end) - std::max(span.begin, begin)), 0.0);
}

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// One piece of the chain that decided the end. Threads: value.
struct Piece {
    const Span* span = nullptr;  ///< none: nothing was done for the request
    TimePoint begin;
    TimePoint end;

    double ms() const { return inMs(end - begin); }
    bool isWait() const { return span == nullptr || span->kind == SpanKind::Queue; }
};

/// From the end back to the begin. A stage queues the next one a little before its own span ends,
/// so what is looked for is the span that was going on, or ended last, before a moment.
std::vector<Piece> chainOf(const RequestTrace& trace) {
    std::vector<Piece> chain;
    TimePoint at = trace.end;
    while (at > trace.begin) {
        const Span* last = nullptr;
        Duration lastDistance = Duration::max();
        TimePoint lastEnd = TimePoint::min();
        for (const Span& span : trace.spans) {
            if (span.kind == SpanKind::Total || span.begin >= at || span.begin < trace.begin) {
                continue;
            }
            const TimePoint end = std::min(span.end, at);
            const Duration distance = span.end > at ? span.end - at : at - span.end;
            if (end > lastEnd || (end == lastEnd && distance < lastDistance)) {
                last = &span;
                lastEnd = end;
                lastDistance = distance;
            }
        }
        if (last == nullptr) {
            chain.push_back({nullptr, trace.begin, at});
            break;
        }
        if (lastEnd < at) {
            chain.push_back({nullptr, lastEnd, at});
        }
        chain.push_back({last, last->begin, lastEnd});
        at = last->begin;
    }
    return chain;
}

class Reasoning {
public:
    Reasoning(const RequestTrace& trace, const Surroundings& around)
        : trace_(trace), around_(around), chain_(chainOf(trace)) {
        result_.totalMs = trace.totalMs();
    }

    Explanation run() {
        if (const std::optional<Cause> early = earlyEnd()) {
            result_.cause = *early;
            nameWhatRanLast();
            return result_;
        }
        if (trace_.urgency == Urgency::Batch) {
            explainBackground();
            return result_;
        }
        const Piece* wait = longestWait();
        const bool isWaiting =
            wait != nullptr && wait->ms() >= kSmallMs && wait->ms() >= kWaitShare * result_.totalMs;
        if (!hasPeers()) {
            isWaiting ? blameWait(*wait) : nameMost();
        } else if (result_.totalMs > std::max(kUnusual * peersMs(), peersMs() + kSmallMs)) {
            blameExcess();
        } else if (isWaiting) {
            blameWait(*wait);
        } else {
            nameMost();
            result_.cause = Cause::NothingUnusual;
            result_.usualMs = peersMs();
            result_.usualCount = around_.peersMs.size();
        }
        return result_;
    }

private:
    std::optional<Cause> earlyEnd() const {
        if (!trace_.outcome) {
            return Cause::StillRunning;
        }
        switch (*trace_.outcome) {
            case Outcome::Failed: return Cause::Failed;
            case Outcome::Cancelled: return Cause::Cancelled;
            case Outcome::Superseded: return Cause::Superseded;
            case Outcome::Done: break;
        }
        return std::nullopt;
    }

    bool hasPeers() const { return around_.peersMs.size() >= kFewestPeers; }
    double peersMs() const { return medianOf(around_.peersMs); }

    void nameWhatRanLast() {
        for (const Piece& piece : chain_) {
            if (piece.span != nullptr) {
                result_.stage = piece.span->stage;
                result_.lane = piece.span->lane;
                result_.causeMs = piece.ms();
                return;
            }
        }
    }

    const Piece* longestWait() const {
        const Piece* longest = nullptr;
        for (const Piece& piece : chain_) {
            if (piece.isWait() && (longest == nullptr || piece.ms() > longest->ms())) {
                longest = &piece;
            }
        }
        return longest;
    }

    /// The stage that the chain spends most of its time in.
    void nameMost() {
        std::map<std::string_view, double> byStage;
        for (const Piece& piece : chain_) {
            if (!piece.isWait()) {
                byStage[piece.span->stage] += piece.ms();
            }
        }
        for (const auto& [stage, ms] : byStage) {
            if (ms > result_.causeMs) {
                result_.causeMs = ms;
                result_.stage = stage;
            }
        }
        result_.cause =
            result_.causeMs >= kMostShare * result_.totalMs ? Cause::Mostly : Cause::Spread;
    }

    const StageStats* usualOf(const Span& span) const {
        const auto found =
            std::find_if(around_.usual.begin(), around_.usual.end(), [&](const StageStats& known) {
                return known.stage == span.stage && known.urgency == span.urgency &&
                       known.kind == span.kind && known.quantiles.count >= kFewestRuns;
            });
        return found == around_.usual.end() ? nullptr : &*found;
    }

    /// Of the chain, the piece that exceeds what is usual by most.
    void blameExcess() {
        const Piece* worst = nullptr;
        double worstExcess = 0;
        for (const Piece& piece : chain_) {
            const StageStats* usual = piece.span == nullptr ? nullptr : usualOf(*piece.span);
            const double excess = piece.ms() - (usual == nullptr ? 0 : usual->quantiles.p50Ms);
            if (worst == nullptr || excess > worstExcess) {
                worst = &piece;
                worstExcess = excess;
            }
        }
        if (worst == nullptr) {
            nameMost();
        } else if (worst->isWait()) {
            blameWait(*worst);
        } else {
            blameStage(*worst);
        }
    }

    void blameStage(const Piece& piece) {
        const Span& span = *piece.span;
        const StageStats* usual = usualOf(span);
        result_.causeMs = piece.ms();
        result_.stage = span.stage;
        result_.lane = span.lane;
        if (usual == nullptr) {
            result_.cause =
                piece.ms() >= kMostShare * result_.totalMs ? Cause::Mostly : Cause::Spread;
            return;
        }
        result_.usualMs = usual->quantiles.p50Ms;
        result_.usualCount = usual->quantiles.count;
        result_.cause = Cause::SlowStage;
        const Span* batch = mainRunner(piece, nullptr);
        if (batch != nullptr && batch->urgency == Urgency::Batch) {
            result_.cause = Cause::SlowedByBatch;
            result_.other = batch->request;
            result_.otherStage = batch->stage;
        }
    }

    void blameWait(const Piece& piece) {
        result_.causeMs = piece.ms();
        if (piece.span == nullptr) {
            blameGap(piece);
            return;
        }
        const Span& wait = *piece.span;
        result_.stage = wait.stage;
        result_.lane = wait.lane;
        if (wait.waitedFor == WaitedFor::Room) {
            result_.cause = Cause::WaitedForRoom;
            result_.bytes = wait.bytes;
            return;
        }
        const Span* runner = mainRunner(piece, wait.lane);
        if (runner == nullptr) {
            result_.cause = Cause::WaitedForWorker;
            return;
        }
        result_.other = runner->request;
        result_.otherStage = runner->stage;
        result_.cause = isLoading(*runner)                     ? Cause::ColdModels
                        : runner->urgency == Urgency::Batch    ? Cause::BehindBatch
                        : runner->urgency == Urgency::Prefetch ? Cause::BehindPrefetch
                                                               : Cause::BehindPrompt;
    }

    /// Before the first stage a prompt waits for models; behind the last one for its delivery.
    void blameGap(const Piece& gap) {
        for (const Span& span : around_.spans) {
            if (isLoading(span) && overlapMs(span, gap.begin, gap.end) >= kBlamedShare * gap.ms()) {
                result_.cause = Cause::ColdModels;
                result_.otherStage = span.stage;
                return;
            }
        }
        result_.cause = gap.end == trace_.end ? Cause::Delivery : Cause::WaitedForWorker;
    }

    static bool isLoading(const Span& span) {
        const std::string_view stage = span.stage;
        return stage == "load_pack" || stage == "warm_up" || stage == "load_speech";
    }

    /// The run of others that fills most of a piece, on its lane or (null) on any; none when no
    /// request has a good part of it.
    const Span* mainRunner(const Piece& piece, const char* lane) const {
        std::map<std::pair<std::uint64_t, Urgency>, std::pair<double, const Span*>> byRequest;
        for (const Span& span : around_.spans) {
            const bool isOther = span.kind == SpanKind::Execute && span.request != trace_.request;
            if (isOther && (lane == nullptr || std::string_view(span.lane) == lane)) {
                auto& [ms, longest] = byRequest[{span.request.value, span.urgency}];
                const double part = overlapMs(span, piece.begin, piece.end);
                ms += part;
                if (longest == nullptr || part > overlapMs(*longest, piece.begin, piece.end)) {
                    longest = &span;
                }
            }
        }
        const Span* most = nullptr;
        double mostMs = kBlamedShare * piece.ms();
        for (const auto& [request, run] : byRequest) {
            if (run.first >= mostMs && run.first > 0) {
                mostMs = run.first;
                most = run.second;
            }
        }
        return most;
    }

    /// Batch work has many pieces at once: its time is that of its workers.
    void explainBackground() {
        std::map<std::string_view, std::pair<double, std::size_t>> byStage;
        double waited = 0;
        double ran = 0;
        for (const Span& span : trace_.spans) {
            const double ms = inMs(span.end - span.begin);
            if (span.kind == SpanKind::Execute) {
                auto& [sum, count] = byStage[span.stage];
                sum += ms;
                ++count;
                ran += ms;
            } else if (span.kind == SpanKind::Queue) {
                waited += ms;
            }
        }
        for (const auto& [stage, run] : byStage) {
            if (run.first > result_.causeMs) {
                result_.causeMs = run.first;
                result_.stage = stage;
                result_.pieceCount = run.second;
            }
        }
        result_.cause = waited > ran ? Cause::BackgroundWaited : Cause::Background;
        if (waited > ran) {
            result_.causeMs = waited;
            result_.usualMs = ran;
        }
    }

    const RequestTrace& trace_;
    const Surroundings& around_;
    const std::vector<Piece> chain_;
    Explanation result_;
};

std::set<std::string_view> stagesOf(const RequestTrace& trace) {
    std::set<std::string_view> stages;
    for (const Span& span : trace.spans) {
        // Whether the first of two lenses answered early is chance.
        if (span.kind == SpanKind::Execute && std::string_view(span.stage) != "search_partial") {
            stages.insert(span.stage);
        }
    }
    return stages;
}

}  // namespace

std::vector<double> peersOf(const RequestTrace& trace, const std::vector<RequestTrace>& requests) {
    const std::set<std::string_view> stages = stagesOf(trace);
    std::vector<double> peers;
    for (const RequestTrace& other : requests) {
        if (other.request != trace.request && other.urgency == trace.urgency &&
            other.outcome == Outcome::Done && stagesOf(other) == stages) {
            peers.push_back(other.totalMs());
        }
    }
    return peers;
}

Explanation explain(const RequestTrace& trace, const Surroundings& around) {
    return Reasoning(trace, around).run();
}

}  // namespace bifocal::profile
