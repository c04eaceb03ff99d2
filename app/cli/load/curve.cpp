// SPDX-License-Identifier: Apache-2.0
#include "app/cli/load/curve.h"

#include "core/base/assert.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::size_t kFewestPoints = 3;

LoadLatency latencyOf(std::span<const double> ms) {
    return {ms.size(),
            estimateQuantile(ms, 0.50),
            estimateQuantile(ms, 0.95),
            estimateQuantile(ms, 0.99)};
}

nlohmann::json documentOf(const std::optional<Estimate>& estimate) {
    if (!estimate) {
        return nullptr;
    }
    return {{"value", estimate->value}, {"low", estimate->low}, {"high", estimate->high}};
}

nlohmann::json documentOf(const LoadLatency& latency) {
    return {{"count", latency.count},
            {"p50_ms", documentOf(latency.p50)},
            {"p95_ms", documentOf(latency.p95)},
            {"p99_ms", documentOf(latency.p99)}};
}

nlohmann::json documentOf(const LoadPoint& point) {
    nlohmann::json document = documentOf(point.all);
    document["rate"] = point.rate;
    document["completed_per_second"] = point.completedPerSecond;
    document["mean_ms"] = point.meanMs;
    document["late_p99_ms"] = point.lateP99Ms;
    document["most_in_flight"] = point.mostInFlight;
    nlohmann::json kinds = nlohmann::json::object();
    for (const auto& [kind, latency] : point.kinds) {
        kinds[toString(kind)] = documentOf(latency);
    }
    document["kinds"] = std::move(kinds);
    return document;
}

/// "12.3 [11.0, 14.1]", or a dash.
std::string textOf(const std::optional<Estimate>& estimate) {
    if (!estimate) {
        return "-";
    }
    std::array<char, 96> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%.1f [%.1f, %.1f]",
                  estimate->value,
                  estimate->low,
                  estimate->high);
    return text.data();
}

std::string rowOf(const std::string& rate, const std::string& kind, const LoadLatency& latency) {
    std::array<char, 256> line{};
    std::snprintf(line.data(),
                  line.size(),
                  "%9s  %-6s %6zu  %-24s %-24s %s\n",
                  rate.c_str(),
                  kind.c_str(),
                  latency.count,
                  textOf(latency.p50).c_str(),
                  textOf(latency.p95).c_str(),
                  textOf(latency.p99).c_str());
    return line.data();
}

std::string rateText(double rate) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f/s", rate);
    return text.data();
}

}  // namespace

LoadPoint pointOf(double rate, const LoadRun& run) {
    BIFOCAL_ASSERT(!run.refusal);
    LoadPoint point;
    point.rate = rate;
    point.lateP99Ms = run.lateP99Ms;
    point.mostInFlight = run.mostInFlight;
    std::vector<double> all;
    std::map<LoadKind, std::vector<double>> byKind;
    for (const LoadSample& sample : run.samples) {
        all.push_back(sample.ms);
        byKind[sample.kind].push_back(sample.ms);
    }
    if (!all.empty()) {
        const auto count = static_cast<double>(all.size());
        point.meanMs = std::accumulate(all.begin(), all.end(), 0.0) / count;
        point.completedPerSecond = run.seconds > 0 ? count / run.seconds : 0;
    }
    point.all = latencyOf(all);
    for (const auto& [kind, ms] : byKind) {
        point.kinds.emplace(kind, latencyOf(ms));
    }
    return point;
}

std::optional<std::size_t> kneeOf(const LoadCurve& curve, std::string& why) {
    if (curve.points.size() < kFewestPoints) {
        why = "fewer than three rates were kept";
        return std::nullopt;
    }
    const auto power = [](const LoadPoint& point) {
        return point.meanMs > 0 ? point.rate / point.meanMs : 0.0;
    };
    const auto best = std::max_element(
        curve.points.begin(), curve.points.end(), [&](const LoadPoint& a, const LoadPoint& b) {
            return power(a) < power(b);
        });
    if (best + 1 == curve.points.end()) {
        why = "not below the highest rate that was kept: it brought more than it cost";
        return std::nullopt;
    }
    why.clear();
    return static_cast<std::size_t>(best - curve.points.begin());
}

std::string toJson(const LoadCurve& curve) {
    nlohmann::json document{{"points", nlohmann::json::array()},
                            {"refused", nlohmann::json::array()},
                            {"knee", nullptr}};
    for (const LoadPoint& point : curve.points) {
        document["points"].push_back(documentOf(point));
    }
    for (const LoadRefusal& refusal : curve.refused) {
        document["refused"].push_back({{"rate", refusal.rate}, {"reason", refusal.reason}});
    }
    std::string why;
    if (const auto knee = kneeOf(curve, why)) {
        document["knee"] = {{"rate", curve.points[*knee].rate},
                            {"mean_ms", curve.points[*knee].meanMs}};
    }
    document["knee_reason"] = why;
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string toTable(const LoadCurve& curve) {
    std::string table;
    if (!curve.points.empty()) {
        table +=
            "     rate  kind    count  P50 ms [95 %]            P95 ms                   P99 ms\n";
    }
    for (const LoadPoint& point : curve.points) {
        table += rowOf(rateText(point.rate), "all", point.all);
        for (const auto& [kind, latency] : point.kinds) {
            if (point.kinds.size() > 1) {
                table += rowOf("", toString(kind), latency);
            }
        }
    }
    for (const LoadRefusal& refusal : curve.refused) {
        table += "not kept: " + rateText(refusal.rate) + ": " + refusal.reason + '\n';
    }
    std::string why;
    const auto knee = kneeOf(curve, why);
    table +=
        knee ? "knee at " + rateText(curve.points[*knee].rate) + '\n' : "no knee: " + why + '\n';
    return table;
}

}  // namespace bifocal::cli
