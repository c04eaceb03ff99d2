// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/lab/claims.h"
#include "app/cli/lab/lab_options.h"
#include "app/cli/lab/lab_runs.h"
#include "app/cli/lab/measured_device.h"
#include "app/cli/lab/placement_runs.h"
#include "core/base/files.h"
#include "core/schedule/simulate/tuner.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli lab - try the scheduler on simulated devices

usage: bifocal-cli lab [--workload W] [--policy P[,P...]] [--device D] [--seeds A-B] [--phi F]
                       [--segments N] [--batcher B] [--rate R] [--seconds S] [--rough]
                       [--set NAME=VALUE]... [--trace FILE] [--json]
       bifocal-cli lab tune [the same] [--generations N] [--json]
       bifocal-cli lab claims [--json]
       bifocal-cli lab placement [--devices D,D,...] [--rate R] [--seconds S] [--seeds A-B]
                       [--rough] [--json]

The scheduler is the program's own, on a virtual clock; only the device is simulated: a run of
b pictures takes alpha + beta x b. The same options and seeds give the same answer.

  --workload W   W-A batch always ready, W-B a dump of 10,000 pictures, W-C text prompts against
                 fresh pictures, W-D overload with a guaranteed share, W-E overload with an
                 objective of 300 ms, W-F memory; or a trace.json that 'trace' wrote (W-A)
  --policy P     deadline, seed_decay, round_robin, fifo, static_partition, strict_priority,
                 sjf, adaptive_lifo (deadline)
  --device D     R-T4, T4, Ascend310, AlveoU50, V100, H100, MI250X, CPU, or a profile.json (R-T4);
                 each figure of a profile says whether it was published or is assumed. measured:
                 this machine, timed first with the models of --pack (and --packs)
  --seeds A-B    one simulation for each (1-5)
  --phi F        share of the device that batch work is guaranteed, 0 to 0.5 (0.05)
  --segments N   pieces that a batch run is cut into (12)
  --batcher B    adaptive, 8x50 (8 pictures or 50 ms), sm-half (adaptive)
  --rate R       prompts per second, instead of the workload's own
  --seconds S    simulated time, instead of the workload's own
  --rough        service times with a spread of 0.2, and 1 % that take five times as long
  --set N=V      a parameter of a policy, like seed_decay.decay.batch=0.75
  --trace FILE   write every decision of the first policy and seed
  --generations  of the search (10)

'tune' searches parameters of the first policy, phi, segments, batch size and riders by
cross-entropy, and offers what it finds only when it beats the setting that it began with on
arrivals that it never saw: exit status 1 when it does not.
'claims' puts the figures of the two documents that the program is built from beside what the
simulation gives.
'placement' sends both stages of prompts of words and a picture to the device that is predicted
to finish each first, learning the times as it goes, and compares that with fixed places and with
everything on one device. --devices is CPU,T4,Ascend310 and --rate 20 when they are not given.

JSON: {"workload":"","device":"","device_figures":[...],"phi":0.0,"segments":n,"seeds":[a,b],
       "unloaded":{...},"policies":[{"policy":"","interactive":{"count":n,"p50_ms":0.0,
       "p95_ms":0.0,"p99_ms":0.0,"max_ms":0.0},"interactive_text":{...},"batch":{...},
       "batch_per_s":0.0,"prompts_per_s":0.0,"utilization":0.0,"batch_share":0.0,"offered":n,
       "drops":n,"unanswered":n,"overflows":n,"guard_turns":n,"suspensions":n,"inversions":n,
       "bound_checks":n,"bound_violations":n,"longest_batch_wait_s":0.0,"bound_s":0.0}]}
W-F:  {"workload":"W-F","strategies":[{"strategy":"","workloads":n,"overflowed_workloads":n,...}]}
tune: {"wins":true,"parameters":[{"name":"","before":0.0,"after":0.0}],"held_out":{"before":0.0,
       "after":0.0,"difference":[low,high]},"training":{"before":0.0,"after":0.0},
       "simulations":n}
placement: {"devices":[""],"rate":0.0,"seeds":[a,b],"strategies":[{"strategy":"","p50_ms":0.0,
       "p95_ms":0.0,"p99_ms":0.0,"max_ms":0.0,"prompts_per_s":0.0,"offered":n,"unanswered":n,
       "trials":n,"devices":[{"device":"","utilization":0.0,"words":n,"pictures":n}]}]}
)";

Result<int> runTune(const Arguments& arguments, const LabOptions& options) {
    schedule::TunerOptions tuner;
    tuner.config = options.config;
    tuner.config.seed = options.firstSeed;
    tuner.seed = options.firstSeed;
    if (!arguments.has("--seconds") && options.config.workload.recorded.empty()) {
        tuner.config.workload.length =
            std::min<Duration>(tuner.config.workload.length, std::chrono::seconds(120));
    }
    BIFOCAL_TRY(const long generations, arguments.integer("--generations", 10, 1, 1000));
    tuner.generations = static_cast<std::uint32_t>(generations);
    BIFOCAL_TRY(const schedule::TunerResult result, schedule::tune(tuner));
    if (arguments.has("--json")) {
        nlohmann::json parameters = nlohmann::json::array();
        for (const schedule::TunedParameter& parameter : result.parameters) {
            parameters.push_back({{"name", parameter.name},
                                  {"before", parameter.before},
                                  {"after", parameter.after}});
        }
        const nlohmann::json document{
            {"wins", result.wins},
            {"parameters", parameters},
            {"held_out",
             {{"before", result.heldOutBefore},
              {"after", result.heldOutAfter},
              {"difference", {result.differenceLow, result.differenceHigh}}}},
            {"training", {{"before", result.trainingBefore}, {"after", result.trainingAfter}}},
            {"simulations", result.simulations}};
        std::cout << document.dump() << '\n';
        return result.wins ? kExitDone : kExitFailed;
    }
    std::printf(
        "%u simulations; cost on held-out arrivals %.4f, was %.4f; difference %.4f to %.4f (95 %%)\n",
        result.simulations,
        result.heldOutAfter,
        result.heldOutBefore,
        result.differenceLow,
        result.differenceHigh);
    if (!result.wins) {
        std::printf("Not offered: it does not beat the setting that it began with.\n");
        return kExitFailed;
    }
    for (const schedule::TunedParameter& parameter : result.parameters) {
        std::printf("  %-36s %10.4g, was %.4g\n",
                    parameter.name.c_str(),
                    parameter.after,
                    parameter.before);
    }
    return kExitDone;
}

Result<int> runClaims(const Arguments& arguments) {
    BIFOCAL_TRY(const std::vector<Claim> claims, checkClaims());
    std::cout << (arguments.has("--json") ? toJson(claims) + '\n' : toTable(claims));
    return kExitDone;
}

Result<int> runPlacement(const Arguments& arguments) {
    BIFOCAL_TRY(const PlacementOptions options,
                placementOptionsFrom(arguments, measuringMeter(arguments)));
    BIFOCAL_TRY(const std::vector<PlacementRow> rows, runPlacements(options));
    std::cout << (arguments.has("--json") ? toJson(options, rows) + '\n' : toTable(options, rows));
    return kExitDone;
}

Result<void> writeTrace(const std::string& file, const LabOptions& options) {
    schedule::SimulationConfig config = options.config;
    config.seed = options.firstSeed;
    config.keepsTrace = true;
    BIFOCAL_TRY(const schedule::SimulationResult result, schedule::simulate(config));
    return writeFileAtomically(file, result.trace);
}

Result<int> run(const Arguments& arguments) {
    const std::string verb = arguments.words().empty() ? "" : arguments.words().front();
    constexpr std::string_view kVerbs[] = {"", "tune", "claims", "placement"};
    if (arguments.words().size() > 1 ||
        std::find(std::begin(kVerbs), std::end(kVerbs), verb) == std::end(kVerbs)) {
        return Error{ErrorCode::InvalidArgument, "lab: nothing, 'tune', 'claims' or 'placement'"};
    }
    if (verb == "claims") {
        return runClaims(arguments);
    }
    if (verb == "placement") {
        return runPlacement(arguments);
    }
    BIFOCAL_TRY(const LabOptions options, labOptionsFrom(arguments, measuringMeter(arguments)));
    if (options.isMemoryWorkload) {
        if (verb == "tune") {
            return Error{ErrorCode::InvalidArgument, "lab tune: W-F has no policy to tune"};
        }
        BIFOCAL_TRY(const std::vector<StrategyRow> rows, runStrategies(options));
        std::cout << (arguments.has("--json") ? toJson(rows) + '\n' : toTable(rows));
        return kExitDone;
    }
    if (verb == "tune") {
        return runTune(arguments, options);
    }
    BIFOCAL_TRY(const PolicyRow unloaded, runUnloaded(options));
    BIFOCAL_TRY(const std::vector<PolicyRow> rows, runPolicies(options));
    if (const auto file = arguments.value("--trace")) {
        BIFOCAL_CHECK(writeTrace(*file, options));
    }
    std::cout << (arguments.has("--json") ? toJson(options, rows, unloaded) + '\n'
                                          : toTable(options, rows, unloaded));
    return kExitDone;
}

}  // namespace

Command labCommand() {
    return {"lab",
            "try the scheduler on simulated devices",
            kManual,
            withLabOptions({{"--json", OptionSpec::Value::None},
                            {"--generations"},
                            {"--trace"},
                            {"--devices"},
                            {"--packs"},
                            {"--pack"}}),
            run};
}

}  // namespace bifocal::cli
