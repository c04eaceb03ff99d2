// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/contention_bench.h"
#include "app/cli/bench/first_bench.h"
#include "app/cli/bench/mixed_bench.h"
#include "app/cli/bench/scheduler_bench.h"
#include "app/cli/bench/speech_bench.h"
#include "app/cli/bench/stored_run.h"
#include "app/cli/command.h"
#include "core/base/files.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli bench - measure the speed of this build on this machine

usage: bifocal-cli bench NAME|all [--full] [--json] [--collection DIR] [--library L]
                         [--clips DIR] [--packs P] [--pack NAME]

benches:
  first       pictures indexed per second; a 2560x1440 picture with words, by stage; prompts
              of words, idle and while indexing; exact search of 100,000 and 1,000,000 rows
              against the read bandwidth of the same memory
  scheduler   what the scheduler costs: dispatch, queue, waking, idling, recording; beside
              oneTBB and a std::priority_queue with a mutex where they do the same
  contention  prompts of words and of pictures, 5 a second, alone and beside endless
              indexing: their P95 against idle, and what is left of the indexing rate
  speech      spoken prompts on one thread: a clip of 2.6 seconds, word errors, silence
  mixed       image batches and spoken clips at once, with plain threads and on the scheduler

  --full            the whole workload, without a limit of time; the result is kept under the
                    user's data folder with machine and commit, and later runs on this machine
                    show it as "peer"
  --collection DIR  pictures to index (the demo collection); not for scheduler
  --library L       first: ask the picture with words of this library instead of one just
                    indexed
  --clips DIR       speech, mixed: WAV files and a texts.txt with a line "name: text" for each
  --packs P         folder of model packs (BIFOCAL_PACKS, else the user's data folder)
  --pack NAME       the pack to use (starter)
  --json            JSON on standard output: an object for NAME, an array for all

Without --full a bench ends within 45 seconds on two cores and has the same rows. The machine
should do nothing else meanwhile.

JSON: {"bench":"","machine":"","rows":[{"id":"","value":0.0,"unit":"","target":0.0,
       "better":"lower|higher","holds":true,"peer":null}],
       "left_out":[{"id":"","reason":""}]}
"target" is null for a figure that is reported and not judged; it "holds" then. "peer" is null
or {"name":"","value":0.0}: somebody else's figure, or ours from a kept full run.
)";

constexpr const char* kDemoCollection = "/usr/share/tuxpaint/stamps";

enum class Needs : std::uint8_t { Nothing = 1, Pictures };

/// One bench of this build.
struct Bench {
    const char* name;
    Result<BenchReport> (*run)(const BenchSetup& setup);
    Needs needs;
};

constexpr Bench kBenches[] = {{"first", runFirstBench, Needs::Pictures},
                              {"scheduler", runSchedulerBench, Needs::Nothing},
                              {"contention", runContentionBench, Needs::Pictures},
                              {"speech", runSpeechBench, Needs::Nothing},
                              {"mixed", runMixedBench, Needs::Nothing}};

void announce(const char* step) {
    if (::isatty(STDERR_FILENO) == 1) {
        std::fprintf(stderr, "measuring: %s\n", step);
    }
}

Result<std::vector<Bench>> chosenBenches(const Arguments& arguments) {
    std::vector<Bench> chosen;
    if (arguments.words().size() == 1) {
        const std::string& name = arguments.words().front();
        std::copy_if(std::begin(kBenches),
                     std::end(kBenches),
                     std::back_inserter(chosen),
                     [&name](const Bench& bench) { return name == "all" || name == bench.name; });
    }
    if (chosen.empty()) {
        std::string names;
        for (const Bench& bench : kBenches) {
            names += std::string(bench.name) + ", ";
        }
        return Error{ErrorCode::InvalidArgument, "bench: name one of: " + names + "all"};
    }
    return chosen;
}

Result<void> checkFolders(const BenchSetup& setup) {
    if (!std::filesystem::is_directory(setup.collection)) {
        return Error{ErrorCode::NotFound,
                     setup.collection.string() + ": no such folder; name one with --collection"};
    }
    if (setup.library && !std::filesystem::is_directory(*setup.library)) {
        return Error{ErrorCode::NotFound, setup.library->string() + ": no library here"};
    }
    return {};
}

Result<int> run(const Arguments& arguments) {
    BIFOCAL_TRY(const std::vector<Bench> benches, chosenBenches(arguments));
    BenchSetup setup;
    setup.length = arguments.has("--full") ? BenchLength::Full : BenchLength::Short;
    setup.openEngine = [&arguments](const std::filesystem::path& library) {
        return openEngine(library, arguments);
    };
    setup.collection = arguments.value("--collection").value_or(kDemoCollection);
    if (const auto library = arguments.value("--library")) {
        setup.library = *library;
    }
    setup.packFolder = packFolder(arguments);
    setup.speechFolder = speechFolder(arguments);
    if (const auto clips = arguments.value("--clips")) {
        setup.clips = *clips;
    }
    setup.announce = announce;
    if (std::any_of(benches.begin(), benches.end(), [](const Bench& bench) {
            return bench.needs == Needs::Pictures;
        })) {
        BIFOCAL_CHECK(checkFolders(setup));
    }
    const std::filesystem::path kept = dataHome() / "bench";
    std::vector<BenchReport> reports;
    for (const Bench& bench : benches) {
        BIFOCAL_TRY(BenchReport report, bench.run(setup));
        BIFOCAL_CHECK(setup.length == BenchLength::Full ? storeFullRun(kept, report, BIFOCAL_COMMIT)
                                                        : addStoredPeers(kept, report));
        reports.push_back(std::move(report));
    }
    if (!arguments.has("--json")) {
        for (const BenchReport& report : reports) {
            std::cout << toTable(report);
        }
    } else if (arguments.words().front() == "all") {
        std::cout << toJson(reports) << '\n';
    } else {
        std::cout << toJson(reports.front()) << '\n';
    }
    return kExitDone;
}

}  // namespace

Command benchCommand() {
    return {"bench",
            "measure the speed of this build on this machine",
            kManual,
            withEngineOptions({{"--collection"},
                               {"--clips"},
                               {"--full", OptionSpec::Value::None},
                               {"--json", OptionSpec::Value::None}}),
            run};
}

}  // namespace bifocal::cli
