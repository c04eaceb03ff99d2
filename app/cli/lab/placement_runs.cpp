// SPDX-License-Identifier: Apache-2.0
#include "app/cli/lab/placement_runs.h"

#include "app/cli/bench/report.h"
#include "app/cli/lab/lab_options.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

namespace bifocal::cli {

namespace {

using nlohmann::json;
using schedule::DeviceUse;
using schedule::LatencySummary;
using schedule::PlacementConfig;
using schedule::PlacementResult;
using schedule::PlacementStrategy;

constexpr const char* kDefaultDevices = "CPU,T4,Ascend310";

template <typename Value>
double medianOf(const std::vector<PlacementResult>& results, Value value) {
    std::vector<double> values;
    std::transform(results.begin(), results.end(), std::back_inserter(values), value);
    return median(values);
}

PlacementResult merge(const std::vector<PlacementResult>& results) {
    PlacementResult merged;
    merged.prompts.p50Ms = medianOf(results, [](const auto& r) { return r.prompts.p50Ms; });
    merged.prompts.p95Ms = medianOf(results, [](const auto& r) { return r.prompts.p95Ms; });
    merged.prompts.p99Ms = medianOf(results, [](const auto& r) { return r.prompts.p99Ms; });
    merged.promptsPerSecond = medianOf(results, [](const auto& r) { return r.promptsPerSecond; });
    for (const PlacementResult& result : results) {
        merged.prompts.count += result.prompts.count;
        merged.prompts.maxMs = std::max(merged.prompts.maxMs, result.prompts.maxMs);
        merged.offered += result.offered;
        merged.unanswered += result.unanswered;
        merged.trials += result.trials;
    }
    for (std::size_t i = 0; i < results.front().devices.size(); ++i) {
        DeviceUse use;
        use.name = results.front().devices[i].name;
        use.utilization =
            medianOf(results, [i](const auto& r) { return r.devices[i].utilization; });
        for (const PlacementResult& result : results) {
            use.words += result.devices[i].words;
            use.pictures += result.devices[i].pictures;
        }
        merged.devices.push_back(std::move(use));
    }
    return merged;
}

Result<PlacementRow> runSeeds(const PlacementOptions& options,
                              std::string name,
                              PlacementStrategy strategy,
                              std::size_t onlyDevice) {
    PlacementConfig config = options.config;
    config.strategy = strategy;
    config.onlyDevice = onlyDevice;
    std::vector<PlacementResult> results;
    for (std::uint64_t seed = options.firstSeed; seed <= options.lastSeed; ++seed) {
        config.seed = seed;
        BIFOCAL_TRY(PlacementResult result, schedule::simulatePlacement(config));
        results.push_back(std::move(result));
    }
    return PlacementRow{std::move(name), merge(results)};
}

json toDocument(const PlacementRow& row) {
    json devices = json::array();
    for (const DeviceUse& use : row.over.devices) {
        devices.push_back({{"device", use.name},
                           {"utilization", use.utilization},
                           {"words", use.words},
                           {"pictures", use.pictures}});
    }
    const LatencySummary& prompts = row.over.prompts;
    return {{"strategy", row.strategy},
            {"p50_ms", prompts.p50Ms},
            {"p95_ms", prompts.p95Ms},
            {"p99_ms", prompts.p99Ms},
            {"max_ms", prompts.maxMs},
            {"prompts_per_s", row.over.promptsPerSecond},
            {"offered", row.over.offered},
            {"unanswered", row.over.unanswered},
            {"trials", row.over.trials},
            {"devices", std::move(devices)}};
}

}  // namespace

Result<PlacementOptions> placementOptionsFrom(const Arguments& arguments,
                                              const DeviceMeter& meter) {
    PlacementOptions options;
    for (const std::string& name :
         splitAtCommas(arguments.value("--devices").value_or(kDefaultDevices))) {
        BIFOCAL_TRY(schedule::DeviceProfile device, deviceFor("--devices", name, meter));
        options.config.devices.push_back(std::move(device));
    }
    BIFOCAL_TRY(options.config.promptsPerSecond,
                arguments.number("--rate", options.config.promptsPerSecond, 1e-6, 1e6));
    BIFOCAL_TRY(const double seconds, arguments.number("--seconds", 120, 1e-3, 1e6));
    options.config.length =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    if (arguments.has("--rough")) {
        options.config.disturbance = schedule::Disturbance::rough(1);
    }
    BIFOCAL_TRY(const auto seeds, parseSeeds(arguments.value("--seeds").value_or("1-5")));
    options.firstSeed = seeds.first;
    options.lastSeed = seeds.second;
    return options;
}

Result<std::vector<PlacementRow>> runPlacements(const PlacementOptions& options) {
    std::vector<PlacementRow> rows;
    BIFOCAL_TRY(PlacementRow earliest,
                runSeeds(options, "earliest finish", PlacementStrategy::EarliestFinish, 0));
    rows.push_back(std::move(earliest));
    BIFOCAL_TRY(PlacementRow fixed, runSeeds(options, "fixed", PlacementStrategy::Fixed, 0));
    rows.push_back(std::move(fixed));
    for (std::size_t i = 0; i < options.config.devices.size(); ++i) {
        BIFOCAL_TRY(PlacementRow one,
                    runSeeds(options,
                             "all on " + options.config.devices[i].name,
                             PlacementStrategy::OneDevice,
                             i));
        rows.push_back(std::move(one));
    }
    return rows;
}

std::string toJson(const PlacementOptions& options, const std::vector<PlacementRow>& rows) {
    json devices = json::array();
    for (const schedule::DeviceProfile& device : options.config.devices) {
        devices.push_back(device.name);
    }
    json strategies = json::array();
    for (const PlacementRow& row : rows) {
        strategies.push_back(toDocument(row));
    }
    return json{{"devices", std::move(devices)},
                {"rate", options.config.promptsPerSecond},
                {"seeds", {options.firstSeed, options.lastSeed}},
                {"strategies", std::move(strategies)}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string toTable(const PlacementOptions& options, const std::vector<PlacementRow>& rows) {
    std::array<char, 256> line{};
    std::snprintf(line.data(),
                  line.size(),
                  "prompts of words and a picture, %.3g a second; milliseconds\n"
                  "%-20s %9s %9s %9s %10s %10s   busy: words + pictures\n",
                  options.config.promptsPerSecond,
                  "",
                  "P50",
                  "P95",
                  "P99",
                  "answered/s",
                  "unanswered");
    std::string table = line.data();
    for (const PlacementRow& row : rows) {
        std::snprintf(line.data(),
                      line.size(),
                      "%-20s %9.1f %9.1f %9.1f %10.2f %10llu  ",
                      row.strategy.c_str(),
                      row.over.prompts.p50Ms,
                      row.over.prompts.p95Ms,
                      row.over.prompts.p99Ms,
                      row.over.promptsPerSecond,
                      static_cast<unsigned long long>(row.over.unanswered));
        table += line.data();
        for (const DeviceUse& use : row.over.devices) {
            std::snprintf(line.data(),
                          line.size(),
                          " %s %.0f %%: %llu + %llu",
                          use.name.c_str(),
                          100 * use.utilization,
                          static_cast<unsigned long long>(use.words),
                          static_cast<unsigned long long>(use.pictures));
            table += line.data();
        }
        table += '\n';
    }
    return table;
}

}  // namespace bifocal::cli
