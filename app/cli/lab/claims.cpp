// SPDX-License-Identifier: Apache-2.0
#include "app/cli/lab/claims.h"

#include "core/schedule/simulate/memory_workload.h"
#include "core/schedule/simulate/simulator.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

namespace bifocal::cli {

namespace {

using schedule::BatchRule;
using schedule::BatchSource;
using schedule::SimulationConfig;
using schedule::SimulationResult;

constexpr std::uint64_t kSeed = 1;

double inMs(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

class ClaimCheck {
public:
    Result<std::vector<Claim>> run();

private:
    Result<SimulationResult> simulate(SimulationConfig config);
    Result<SimulationConfig> reference() const;
    Result<void> memory();
    Result<void> baselines();
    Result<void> batcher();
    Result<void> throughput();
    Result<void> accelerators();
    void add(const char* row,
             std::string what,
             std::string source,
             double value,
             const char* unit,
             std::string note = "") {
        claims_.push_back({row, std::move(what), std::move(source), value, unit, std::move(note)});
    }

    std::vector<Claim> claims_;
};

Result<SimulationResult> ClaimCheck::simulate(SimulationConfig config) {
    config.seed = kSeed;
    return schedule::simulate(config);
}

Result<SimulationConfig> ClaimCheck::reference() const {
    SimulationConfig config;
    BIFOCAL_TRY(config.device, schedule::profileNamed("R-T4"));
    BIFOCAL_TRY(config.workload, schedule::workloadNamed("W-A"));
    config.workload.length = std::chrono::seconds(600);
    return config;
}

Result<void> ClaimCheck::memory() {
    schedule::MemoryWorkloadOptions options;
    options.workloadCount = 20;
    BIFOCAL_TRY(const auto curve, schedule::overflowCurve(options, 12));
    for (const schedule::OverflowPoint& point : curve) {
        const std::string count = std::to_string(point.inFlight);
        const char* source = point.inFlight == 4   ? "safe"
                             : point.inFlight == 5 ? "overflow 72 % of the time"
                                                   : "";
        add("A6",
            count + " prompts begun together on 16 GB, unmanaged",
            source,
            100 * point.unmanagedTogether,
            "%",
            "random jobs of W-F: sizes decide, not a count");
        add("A6",
            "200 prompts, " + count + " at once on 16 GB, unmanaged: any overflow",
            source,
            100 * point.unmanagedSustained,
            "%");
        add("A6",
            "the same, managed",
            "",
            100 * std::max(point.managedTogether, point.managedSustained),
            "%");
    }
    return {};
}

Result<void> ClaimCheck::baselines() {
    const std::array<std::pair<const char*, const char*>, 4> policies{
        {{"static_partition", "38 % busy"},
         {"round_robin", "P99 from 200 ms to 1.2 s"},
         {"fifo", ""},
         {"deadline", "82 % busy (\"dynamic\")"}}};
    for (const auto& [policy, source] : policies) {
        BIFOCAL_TRY(SimulationConfig config, reference());
        config.policy.name = policy;
        config.workload.promptsPerSecond = 4;
        config.workload.source = BatchSource::Fresh;
        config.workload.batchItemsPerSecond = 60;
        BIFOCAL_TRY(const SimulationResult result, simulate(std::move(config)));
        const std::string what = std::string(policy) + ", 4 prompts/s and 60 pictures/s on R-T4, ";
        add("A12", what + "device busy", source, 100 * result.utilization, "%");
        add("A12", what + "P99 of prompts", "", result.prompts.p99Ms, "ms");
    }
    return {};
}

Result<void> ClaimCheck::batcher() {
    for (const auto& [name, rule] : {std::pair{"no joining", BatchRule{{1, 1, 1}, {}, 0}},
                                     std::pair{"8 or 50 ms", BatchRule::eightOrFiftyMilliseconds()},
                                     std::pair{"adaptive", SimulationConfig{}.batching}}) {
        BIFOCAL_TRY(SimulationConfig config, reference());
        config.batching = rule;
        config.workload.source = BatchSource::None;
        config.workload.promptsPerSecond = 78;
        config.workload.length = std::chrono::seconds(120);
        BIFOCAL_TRY(const SimulationResult result, simulate(std::move(config)));
        const bool isAlone = rule.maxSize[0] == 1;
        add("B8",
            std::string(name) + ", 78 prompts/s on R-T4, P95",
            isAlone ? "210 ms" : "135 ms",
            result.prompts.p95Ms,
            "ms",
            isAlone
                ? "one at a time R-T4 serves 15/s: 78/s cannot be steady, so 210 ms is of another load"
                : "95 % of capacity at b = 8: the source gives no trace of arrivals");
    }
    return {};
}

Result<void> ClaimCheck::throughput() {
    BIFOCAL_TRY(const SimulationConfig config, reference());
    const auto perSecond = [&config](std::uint32_t items) {
        return items / inMs(config.device.service(items)) * 1000;
    };
    add("B13", "runs of 8 on R-T4", "82/s", perSecond(8), "1/s", "R-T4 is fitted to it");
    add("B13", "runs of 16 on R-T4", "121/s", perSecond(16), "1/s", "R-T4 is fitted to it");
    add("B8",
        "eight together against one by one on R-T4",
        "3.2 times",
        perSecond(8) / perSecond(1),
        "x",
        "the source's own 82/s and 121/s do not fit its 3.2 times");
    BIFOCAL_TRY(SimulationConfig loaded, reference());
    loaded.workload.source = BatchSource::None;
    loaded.workload.promptsPerSecond = 65;
    loaded.workload.length = std::chrono::seconds(120);
    BIFOCAL_TRY(const SimulationResult result, simulate(std::move(loaded)));
    add("B13",
        "65 prompts/s on R-T4, device busy",
        "75 to 85 %",
        100 * result.utilization,
        "%",
        "the load at which it is said is not given");
    return {};
}

Result<void> ClaimCheck::accelerators() {
    const auto publishedFor = [](const std::string& name) {
        return name == "T4"          ? "78 ms"
               : name == "Ascend310" ? "92 ms"
               : name == "AlveoU50"  ? "112 ms"
               : name == "CPU"       ? "over 5,000 ms with its words and the decoding"
                                     : "";
    };
    for (const schedule::DeviceProfile& device : schedule::builtInProfiles()) {
        bool isAssumed = false;
        for (const schedule::ProfileFigure& figure : device.figures) {
            isAssumed = isAssumed || (figure.isAssumed && figure.name == "alpha_ms");
        }
        const double ms = inMs(device.service(1));
        add("B15",
            device.name + ", one prompt",
            publishedFor(device.name),
            ms,
            "ms",
            isAssumed ? "assumed figures, see the profile" : "");
        add("B15",
            device.name + ", energy of one prompt",
            "",
            ms / 1000 * device.watts,
            "J",
            device.name == "Ascend310"
                ? "at its rated power, the lowest of all; the source's table contradicts itself on that"
                : "at its rated power");
    }
    return {};
}

Result<std::vector<Claim>> ClaimCheck::run() {
    BIFOCAL_CHECK(memory());
    BIFOCAL_CHECK(baselines());
    BIFOCAL_CHECK(batcher());
    BIFOCAL_CHECK(throughput());
    BIFOCAL_CHECK(accelerators());
    return std::move(claims_);
}

}  // namespace

Result<std::vector<Claim>> checkClaims() {
    return ClaimCheck().run();
}

std::string toJson(const std::vector<Claim>& claims) {
    nlohmann::json document = nlohmann::json::array();
    for (const Claim& claim : claims) {
        document.push_back({{"row", claim.row},
                            {"what", claim.what},
                            {"source", claim.source},
                            {"value", claim.value},
                            {"unit", claim.unit},
                            {"note", claim.note}});
    }
    return document.dump();
}

std::string toTable(const std::vector<Claim>& claims) {
    std::string table = "row   here             the sources say            what\n";
    for (const Claim& claim : claims) {
        std::array<char, 512> line{};
        const int length = std::snprintf(line.data(),
                                         line.size(),
                                         "%-4s %9.1f %-5s  %-26s %s%s%s\n",
                                         claim.row.c_str(),
                                         claim.value,
                                         claim.unit.c_str(),
                                         claim.source.c_str(),
                                         claim.what.c_str(),
                                         claim.note.empty() ? "" : "; ",
                                         claim.note.c_str());
        table.append(line.data(), std::min(static_cast<std::size_t>(length), line.size() - 1));
    }
    return table;
}

}  // namespace bifocal::cli
