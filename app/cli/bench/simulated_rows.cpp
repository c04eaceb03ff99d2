// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/simulated_rows.h"

#include "core/schedule/simulate/memory_workload.h"
#include "core/schedule/simulate/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace bifocal::cli {
namespace {

using schedule::BatchSource;
using schedule::Disturbance;
using schedule::SimulationConfig;
using schedule::SimulationResult;

Result<SimulationConfig> configOf(const std::string& workload) {
    SimulationConfig config;
    BIFOCAL_TRY(config.device, schedule::profileNamed("R-T4"));
    BIFOCAL_TRY(config.workload, schedule::workloadNamed(workload));
    return config;
}

/// Pictures per second of a device that does nothing but batch work.
double alone(const SimulationConfig& config) {
    const std::uint32_t items = config.batching.maxSize[2];
    return items / std::chrono::duration<double>(config.device.service(items)).count();
}

/// Ratios to the same prompts without batch work, the worst of the seeds.
struct Ratios {
    double p50 = 0;
    double p99 = 0;
    double max = 0;
    double batch = 1e9;  ///< share of alone(), the least
    std::uint64_t inversions = 0;
};

Result<Ratios> ratiosOf(SimulationConfig config, std::uint64_t seeds) {
    Ratios ratios;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        config.seed = seed;
        SimulationConfig unloaded = config;
        unloaded.workload.source = BatchSource::None;
        BIFOCAL_TRY(const SimulationResult with, schedule::simulate(config));
        BIFOCAL_TRY(const SimulationResult without, schedule::simulate(unloaded));
        ratios.p50 = std::max(ratios.p50, with.prompts.p50Ms / without.prompts.p50Ms);
        ratios.p99 = std::max(ratios.p99, with.prompts.p99Ms / without.prompts.p99Ms);
        ratios.max = std::max(ratios.max, with.prompts.maxMs / without.prompts.maxMs);
        ratios.batch = std::min(ratios.batch, with.batchPerSecond / alone(config));
        ratios.inversions += with.inversions;
    }
    return ratios;
}

void add(BenchReport& report,
         const char* id,
         double value,
         const char* unit,
         Better better,
         double target) {
    BenchRow row;
    row.id = id;
    row.value = value;
    row.unit = unit;
    row.better = better;
    row.target = target;
    report.rows.push_back(std::move(row));
}

Result<void> contention(std::uint64_t seeds, BenchReport& report) {
    BIFOCAL_TRY(const SimulationConfig saturated, configOf("W-A"));
    BIFOCAL_TRY(const Ratios a, ratiosOf(saturated, seeds));
    add(report, "s5", a.p99, "x", Better::Lower, 1.10);
    add(report, "s5_p50", a.p50, "x", Better::Lower, 1.15);
    add(report, "s5_max", a.max, "x", Better::Lower, 1.25);
    add(report, "s6", a.batch, "share", Better::Higher, 0.90);
    BIFOCAL_TRY(const SimulationConfig dump, configOf("W-B"));
    BIFOCAL_TRY(const Ratios b, ratiosOf(dump, seeds));
    add(report, "s7", b.p99, "x", Better::Lower, 1.15);
    double fresh = 0;
    std::uint64_t inversions = a.inversions + b.inversions;
    for (const double itemsPerSecond : {100.0, 130.0}) {
        BIFOCAL_TRY(SimulationConfig config, configOf("W-C"));
        config.workload.batchItemsPerSecond = itemsPerSecond;
        BIFOCAL_TRY(const Ratios c, ratiosOf(std::move(config), seeds));
        fresh = std::max(fresh, c.p99);
        inversions += c.inversions;
    }
    add(report, "s8", fresh, "x", Better::Lower, 1.10);
    add(report, "s8_inversions", static_cast<double>(inversions), "", Better::Lower, 0);
    return {};
}

Result<void> starvation(bool isFull, BenchReport& report) {
    std::uint64_t violations = 0;
    double error = 0;
    for (const double share : {0.02, 0.05, 0.10, 0.20}) {
        for (std::uint64_t seed = 1; seed <= (isFull ? 20U : 3U); ++seed) {
            BIFOCAL_TRY(SimulationConfig config, configOf("W-D"));
            config.guaranteedShare = share;
            config.seed = seed;
            if (!isFull) {
                config.workload.batchAlone = std::chrono::minutes(5);
            }
            BIFOCAL_TRY(const SimulationResult result, schedule::simulate(config));
            violations += result.boundViolations;
            error = std::max(error, std::abs(result.batchShare - share) * 100);
        }
    }
    add(report, "s9", static_cast<double>(violations), "", Better::Lower, 0);
    add(report, "s9_share", error, "pp", Better::Lower, 0.5);
    return {};
}

Result<void> overload(BenchReport& report) {
    double light = 1;
    double heavy = 1e9;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        for (const double rate : {70.0, 90.0, 120.0, 200.0}) {
            BIFOCAL_TRY(SimulationConfig config, configOf("W-E"));
            config.workload.promptsPerSecond = rate;
            config.seed = seed;
            BIFOCAL_TRY(const SimulationResult result, schedule::simulate(config));
            const double offered = static_cast<double>(result.offeredPrompts) / 60;
            const std::uint32_t joined = config.batching.maxSize[0];
            const double capacity =
                joined / std::chrono::duration<double>(config.device.service(joined)).count() *
                (1 - config.guaranteedShare);
            if (rate < capacity) {
                light = std::min(light, result.promptsPerSecond / offered);
            } else {
                heavy = std::min(heavy, result.promptsPerSecond / capacity);
            }
        }
    }
    add(report, "s10_light", light, "share", Better::Higher, 0.97);
    add(report, "s10", heavy, "share", Better::Higher, 0.95);
    return {};
}

Result<void> rough(std::uint64_t seeds, BenchReport& report) {
    double worst = 0;
    for (const double scale : {0.7, 1.0, 1.3}) {
        for (const char* workload : {"W-A", "W-B", "W-C"}) {
            BIFOCAL_TRY(SimulationConfig config, configOf(workload));
            config.disturbance = Disturbance::rough(scale);
            BIFOCAL_TRY(const Ratios ratios, ratiosOf(std::move(config), seeds));
            worst = std::max(worst, ratios.p99);
        }
    }
    add(report, "rough_p99", worst, "x", Better::Lower, 1.25);
    return {};
}

Result<void> memory(bool isFull, BenchReport& report) {
    schedule::MemoryWorkloadOptions options;
    options.workloadCount = isFull ? 10'000 : 100;
    BIFOCAL_TRY(const auto result, schedule::runMemoryWorkload(options));
    const std::uint64_t faults =
        result.overflowCount + result.ledgerViolationCount + result.deadlockedWorkloadCount;
    add(report, "s11", static_cast<double>(faults), "", Better::Lower, 0);
    add(report, "s11_use", result.meanUse, "share", Better::Higher, 0.70);
    return {};
}

}  // namespace

Result<void> measureSimulated(BenchLength length, BenchReport& report) {
    const bool isFull = length == BenchLength::Full;
    const std::uint64_t seeds = isFull ? 10 : 3;
    BIFOCAL_CHECK(contention(seeds, report));
    BIFOCAL_CHECK(starvation(isFull, report));
    BIFOCAL_CHECK(overload(report));
    BIFOCAL_CHECK(rough(seeds, report));
    return memory(isFull, report);
}

}  // namespace bifocal::cli
