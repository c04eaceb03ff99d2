// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/load/arrivals.h"
#include "app/cli/load/curve.h"
#include "app/cli/load/open_loop.h"
#include "app/cli/load/prompt_source.h"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli load - how latency grows with the rate of prompts

usage: bifocal-cli load --library L --rate A[:B] [--seconds S] [--mix M] [--steps N]
                        [--seed N] [--json] [--packs P] [--pack NAME]

Sends prompts to the engine as people would who know nothing of each other, at each of N rates
from A to B for S seconds, and does not wait for answers. A prompt is timed from when it was
meant to start, so that a stall counts for everybody who came during it. Pictures are those of
the library, words those of the demo.

  --rate A[:B]   prompts per second, above 0; A:B goes from A to B in equal ratios
  --seconds S    length of each rate (10)
  --mix M        shares of the kinds (text:3,image:1,fused:1); fused has words and a picture
  --steps N      number of rates from A to B (8)
  --seed N       of the arrivals (1); the same seed gives the same ones
  --json         one JSON object on standard output

A figure has an interval that holds it with 95 % confidence (blocks of neighbours resampled) and
is left out with fewer prompts than it needs: 5 for P50, 20 for P95, 100 for P99. The knee is
the rate where rate / mean latency is largest.

A rate that could not be kept is not reported: more than a second's worth of prompts in flight,
a refused prompt, or an injector that was late itself. It ends the run. Exit status 1 when no
rate was kept.

JSON: {"points":[{"rate":0.0,"completed_per_second":0.0,"mean_ms":0.0,"late_p99_ms":0.0,
       "most_in_flight":n,"count":n,"p50_ms":{"value":0.0,"low":0.0,"high":0.0},"p95_ms":null,
       "p99_ms":null,"kinds":{"text":{"count":n,"p50_ms":...}}}],
       "refused":[{"rate":0.0,"reason":""}],"knee":{"rate":0.0,"mean_ms":0.0},
       "knee_reason":""}
)";

constexpr const char* kDefaultMix = "text:3,image:1,fused:1";
constexpr double kShortestSeconds = 0.1;
constexpr double kLongestSeconds = 3600;

/// What the arguments ask for. Threads: value.
struct LoadPlan {
    std::vector<double> rates;
    LoadMix mix;
    double seconds = 0;
    std::uint64_t seed = 1;
};

Result<LoadPlan> planFrom(const Arguments& arguments) {
    if (!arguments.words().empty()) {
        return Error{ErrorCode::InvalidArgument,
                     "'" + arguments.words().front() + "': load takes options only"};
    }
    LoadPlan plan;
    BIFOCAL_TRY(const std::string rate, arguments.required("--rate"));
    BIFOCAL_TRY(const RateRange range, parseRates(rate));
    BIFOCAL_TRY(const long steps, arguments.integer("--steps", 8, 2, 100));
    plan.rates = ratesOf(range, static_cast<std::size_t>(steps));
    BIFOCAL_TRY(plan.mix, parseMix(arguments.value("--mix").value_or(kDefaultMix)));
    BIFOCAL_TRY(plan.seconds, arguments.number("--seconds", 10, kShortestSeconds, kLongestSeconds));
    BIFOCAL_TRY(const long seed, arguments.integer("--seed", 1, 0, 1L << 40U));
    plan.seed = static_cast<std::uint64_t>(seed);
    return plan;
}

Result<LoadRun> runRate(Engine& engine, PromptSource& source, const LoadPlan& plan, double rate) {
    if (::isatty(STDERR_FILENO) == 1) {
        std::fprintf(stderr, "%.2f prompts/s for %.1f s\n", rate, plan.seconds);
    }
    SteadyPacer pacer;
    OpenLoop loop(pacer, rate);
    loop.inject(makeArrivals(rate, plan.seconds, plan.mix, plan.seed), startOn(engine, source));
    return loop.finish();
}

Result<LoadCurve> measureCurve(Engine& engine, PromptSource& source, const LoadPlan& plan) {
    BIFOCAL_CHECK(warmUp(engine, source, plan.mix));
    LoadCurve curve;
    for (const double rate : plan.rates) {
        BIFOCAL_TRY(const LoadRun run, runRate(engine, source, plan, rate));
        if (run.refusal) {
            curve.refused.push_back({rate, *run.refusal});
            break;
        }
        curve.points.push_back(pointOf(rate, run));
    }
    return curve;
}

Result<int> run(const Arguments& arguments) {
    BIFOCAL_TRY(const LoadPlan plan, planFrom(arguments));
    BIFOCAL_TRY(const std::string library, arguments.required("--library"));
    if (!std::filesystem::is_directory(library)) {
        return Error{ErrorCode::NotFound, library + ": no library here"};
    }
    BIFOCAL_TRY(const std::unique_ptr<Engine> engine, openExisting(arguments));
    BIFOCAL_TRY(PromptSource source, PromptSource::ofLibrary(*engine));
    BIFOCAL_TRY(const LoadCurve curve, measureCurve(*engine, source, plan));
    std::cout << (arguments.has("--json") ? toJson(curve) + '\n' : toTable(curve));
    return curve.points.empty() ? kExitFailed : kExitDone;
}

}  // namespace

Command loadCommand() {
    return {"load",
            "how latency grows with the rate of prompts",
            kManual,
            withEngineOptions({{"--rate"},
                               {"--seconds"},
                               {"--mix"},
                               {"--steps"},
                               {"--seed"},
                               {"--json", OptionSpec::Value::None}}),
            run};
}

}  // namespace bifocal::cli
