// SPDX-License-Identifier: Apache-2.0
#include "app/cli/lab/lab_runs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

namespace bifocal::cli {

namespace {

using nlohmann::json;
using schedule::LatencySummary;
using schedule::MemoryStrategy;
using schedule::SimulationResult;

double medianOf(const std::vector<SimulationResult>& results,
                const std::function<double(const SimulationResult&)>& value) {
    std::vector<double> values;
    values.reserve(results.size());
    for (const SimulationResult& result : results) {
        values.push_back(value(result));
    }
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

LatencySummary mergeLatencies(const std::vector<SimulationResult>& results,
                              LatencySummary SimulationResult::*member) {
    LatencySummary merged;
    const auto median = [&](double LatencySummary::*quantile) {
        return medianOf(results,
                        [&](const SimulationResult& result) { return result.*member.*quantile; });
    };
    for (const SimulationResult& result : results) {
        merged.count += (result.*member).count;
        merged.maxMs = std::max(merged.maxMs, (result.*member).maxMs);
    }
    merged.p50Ms = median(&LatencySummary::p50Ms);
    merged.p95Ms = median(&LatencySummary::p95Ms);
    merged.p99Ms = median(&LatencySummary::p99Ms);
    return merged;
}

SimulationResult merge(const std::vector<SimulationResult>& results) {
    SimulationResult merged;
    merged.prompts = mergeLatencies(results, &SimulationResult::prompts);
    merged.textPrompts = mergeLatencies(results, &SimulationResult::textPrompts);
    merged.batchItems = mergeLatencies(results, &SimulationResult::batchItems);
    merged.batchPerSecond = medianOf(results, [](const auto& r) { return r.batchPerSecond; });
    merged.promptsPerSecond = medianOf(results, [](const auto& r) { return r.promptsPerSecond; });
    merged.utilization = medianOf(results, [](const auto& r) { return r.utilization; });
    merged.batchShare = medianOf(results, [](const auto& r) { return r.batchShare; });
    for (const SimulationResult& result : results) {
        merged.offeredPrompts += result.offeredPrompts;
        merged.droppedPrompts += result.droppedPrompts;
        merged.unansweredPrompts += result.unansweredPrompts;
        merged.refused += result.refused;
        merged.guardTurns += result.guardTurns;
        merged.suspensions += result.suspensions;
        merged.inversions += result.inversions;
        merged.boundChecks += result.boundChecks;
        merged.boundViolations += result.boundViolations;
        merged.longestBatchWait = std::max(merged.longestBatchWait, result.longestBatchWait);
        merged.loosestBound = std::max(merged.loosestBound, result.loosestBound);
    }
    return merged;
}

Result<SimulationResult> runSeeds(const LabOptions& options, schedule::SimulationConfig config) {
    std::vector<SimulationResult> results;
    for (std::uint64_t seed = options.firstSeed; seed <= options.lastSeed; ++seed) {
        config.seed = seed;
        BIFOCAL_TRY(SimulationResult result, schedule::simulate(config));
        results.push_back(std::move(result));
    }
    return merge(results);
}

json toDocument(const LatencySummary& latency) {
    return {{"count", latency.count},
            {"p50_ms", latency.p50Ms},
            {"p95_ms", latency.p95Ms},
            {"p99_ms", latency.p99Ms},
            {"max_ms", latency.maxMs}};
}

json toDocument(const PolicyRow& row) {
    const SimulationResult& r = row.over;
    return {{"policy", row.policy},
            {"interactive", toDocument(r.prompts)},
            {"interactive_text", toDocument(r.textPrompts)},
            {"batch", toDocument(r.batchItems)},
            {"batch_per_s", r.batchPerSecond},
            {"prompts_per_s", r.promptsPerSecond},
            {"utilization", r.utilization},
            {"batch_share", r.batchShare},
            {"offered", r.offeredPrompts},
            {"drops", r.droppedPrompts},
            {"unanswered", r.unansweredPrompts},
            {"overflows", r.refused},
            {"guard_turns", r.guardTurns},
            {"suspensions", r.suspensions},
            {"inversions", r.inversions},
            {"bound_checks", r.boundChecks},
            {"bound_violations", r.boundViolations},
            {"longest_batch_wait_s", r.longestBatchWait},
            {"bound_s", r.loosestBound}};
}

std::string format(const char* pattern, auto... values) {
    std::array<char, 256> line{};
    const int length = std::snprintf(line.data(), line.size(), pattern, values...);
    return std::string(line.data(), static_cast<std::size_t>(std::max(length, 0)));
}

std::string tableLine(const PolicyRow& row, const PolicyRow& unloaded) {
    const SimulationResult& r = row.over;
    const double base = std::max(unloaded.over.prompts.p99Ms, 1e-9);
    const std::uint64_t lost = r.droppedPrompts + r.unansweredPrompts;
    return format("%-16s %9.1f %9.1f %9.1f %9.1f %7.2f %8.1f %6.1f %7llu %7llu %7llu\n",
                  row.policy.c_str(),
                  r.prompts.p50Ms,
                  r.prompts.p95Ms,
                  r.prompts.p99Ms,
                  r.prompts.maxMs,
                  r.prompts.p99Ms / base,
                  r.batchPerSecond,
                  100 * r.utilization,
                  static_cast<unsigned long long>(lost),
                  static_cast<unsigned long long>(r.guardTurns),
                  static_cast<unsigned long long>(r.inversions));
}

}  // namespace

Result<std::vector<PolicyRow>> runPolicies(const LabOptions& options) {
    std::vector<PolicyRow> rows;
    for (const std::string& policy : options.policies) {
        schedule::SimulationConfig config = options.config;
        config.policy.name = policy;
        BIFOCAL_TRY(SimulationResult result, runSeeds(options, std::move(config)));
        rows.push_back({policy, std::move(result)});
    }
    return rows;
}

Result<PolicyRow> runUnloaded(const LabOptions& options) {
    schedule::SimulationConfig config = options.config;
    config.policy.name = "deadline";
    config.workload.source = schedule::BatchSource::None;
    BIFOCAL_TRY(SimulationResult result, runSeeds(options, std::move(config)));
    return PolicyRow{"(prompts alone)", std::move(result)};
}

Result<std::vector<StrategyRow>> runStrategies(const LabOptions& options) {
    std::vector<StrategyRow> rows;
    for (const MemoryStrategy strategy : {MemoryStrategy::Slots,
                                          MemoryStrategy::TensorBytes,
                                          MemoryStrategy::PrimedPools,
                                          MemoryStrategy::ExpandableSegments,
                                          MemoryStrategy::Arena}) {
        schedule::MemoryWorkloadOptions workload;
        workload.strategy = strategy;
        workload.firstSeed = options.firstSeed;
        workload.workloadCount =
            static_cast<std::uint32_t>(options.lastSeed - options.firstSeed + 1);
        BIFOCAL_TRY(const auto result, schedule::runMemoryWorkload(workload));
        rows.push_back({toString(strategy), result});
    }
    return rows;
}

std::string toJson(const LabOptions& options,
                   const std::vector<PolicyRow>& rows,
                   const PolicyRow& unloaded) {
    json policies = json::array();
    for (const PolicyRow& row : rows) {
        policies.push_back(toDocument(row));
    }
    json figures = json::array();
    for (const schedule::ProfileFigure& figure : options.config.device.figures) {
        figures.push_back({{"name", figure.name},
                           {"value", figure.value},
                           {"unit", figure.unit},
                           {"origin", figure.origin},
                           {"kind", figure.isAssumed ? "assumed" : "published"}});
    }
    const json document{{"workload", options.config.workload.name},
                        {"device", options.config.device.name},
                        {"device_figures", figures},
                        {"phi", options.config.guaranteedShare},
                        {"segments", options.config.segments},
                        {"seeds", {options.firstSeed, options.lastSeed}},
                        {"unloaded", toDocument(unloaded)},
                        {"policies", policies}};
    return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string toTable(const LabOptions& options,
                    const std::vector<PolicyRow>& rows,
                    const PolicyRow& unloaded) {
    const schedule::Workload& workload = options.config.workload;
    std::string table = workload.name + ", " + workload.title + "; " + options.config.device.name +
                        format(", %u segments, phi %.0f %%, seeds %llu to %llu\n\n",
                               options.config.segments,
                               100 * options.config.guaranteedShare,
                               static_cast<unsigned long long>(options.firstSeed),
                               static_cast<unsigned long long>(options.lastSeed));
    table +=
        "                  prompts, ms                              P99 by    batch   busy   lost   guard  inver-\n";
    table +=
        "policy                  P50       P95       P99       max   alone      1/s      %  prompts  turns  sions\n";
    table += tableLine(unloaded, unloaded);
    for (const PolicyRow& row : rows) {
        table += tableLine(row, unloaded);
    }
    return table;
}

std::string toJson(const std::vector<StrategyRow>& rows) {
    json strategies = json::array();
    for (const StrategyRow& row : rows) {
        const schedule::MemoryWorkloadResult& r = row.result;
        strategies.push_back({{"strategy", row.strategy},
                              {"workloads", r.workloadCount},
                              {"overflowed_workloads", r.overflowedWorkloadCount},
                              {"overflows", r.overflowCount},
                              {"ledger_violations", r.ledgerViolationCount},
                              {"deadlocks", r.deadlockedWorkloadCount},
                              {"late_claims", r.lateClaimCount},
                              {"mean_use", r.meanUse}});
    }
    return json{{"workload", "W-F"}, {"strategies", strategies}}.dump();
}

std::string toTable(const std::vector<StrategyRow>& rows) {
    std::string table = "W-F, random jobs on 16 GiB beside other programs\n\n";
    table += "strategy             overflowed  ledger      dead-  late     use of\n";
    table += "                     workloads   violations  locks  claims   budget\n";
    for (const StrategyRow& row : rows) {
        const schedule::MemoryWorkloadResult& r = row.result;
        table += format("%-20s %4llu of %-4llu %9llu %7llu %7llu %8.1f %%\n",
                        row.strategy.c_str(),
                        static_cast<unsigned long long>(r.overflowedWorkloadCount),
                        static_cast<unsigned long long>(r.workloadCount),
                        static_cast<unsigned long long>(r.ledgerViolationCount),
                        static_cast<unsigned long long>(r.deadlockedWorkloadCount),
                        static_cast<unsigned long long>(r.lateClaimCount),
                        100 * r.meanUse);
    }
    return table;
}

}  // namespace bifocal::cli
