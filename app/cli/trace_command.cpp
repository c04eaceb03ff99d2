// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/prompt_options.h"
#include "app/cli/trace_diff.h"
#include "core/base/files.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli trace - write where a prompt's time went, or compare two such files

usage: bifocal-cli trace --library L --out FILE [--repeat N] [--json] [--packs P]
                         [--pack NAME] [--text T] [--speech F] [--image F] [--at MS]
                         [--region X,Y,W,H] [--minus T]... [--balance B] [-k N]
       bifocal-cli trace diff BEFORE AFTER [--fail-over 5%] [--json]

Takes the prompt options of 'query'; without any, the text "a picture". Runs it N times
(--repeat, 5) after the models are loaded and writes every stage of every run: as Chrome and
Perfetto JSON, or as CSV when FILE ends in .csv.

JSON: {"file":"","runs":n,"p50_ms":0.0}

'trace diff' compares two files that were written so, or by the window's profiler, each in
either form: for every stage and class the time it took and the time it waited. A stage got
slower when its median grew by more than --fail-over (5%) and by more than 0.05 ms, and chance
does not explain it: all the differences' intervals hold together with 95 % confidence. Stages
with fewer than 10 spans on one side are shown and not judged, so record both files with
--repeat 30 or more.

Exit status of diff: 0 nothing got slower, 1 something did (it is named last), or a file is not
a whole trace, or no stage could be judged.

JSON: {"fail_over":0.05,"slower":[{"stage":"","class":"","time":"execute|queue|total"}],
       "stages":[{"stage":"","class":"","time":"","before":{"count":n,"p50_ms":0.0,
       "p95_ms":0.0},"after":{...},"difference_ms":{"value":0.0,"low":0.0,"high":0.0},
       "verdict":"same|slower|faster|too_few"}],"only_before":[...],"only_after":[...]}
)";

constexpr std::uint64_t kMaxTraceBytes = 256U << 20U;
constexpr const char* kDefaultShare = "5%";

Result<std::vector<TracedSpan>> readTraceFile(const std::string& file) {
    BIFOCAL_TRY(const std::vector<std::uint8_t> bytes, readFile(file, kMaxTraceBytes));
    auto spans = readTrace({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return spans ? std::move(spans) : spans.error().withContext(file);
}

Result<int> diff(const Arguments& arguments) {
    const std::vector<std::string>& words = arguments.words();
    if (words.size() != 3) {
        return Error{ErrorCode::InvalidArgument, "trace diff: name two files"};
    }
    for (const char* option : {"--library", "--out", "--repeat", "--text", "--image"}) {
        if (arguments.has(option)) {
            return Error{ErrorCode::InvalidArgument,
                         std::string(option) + ": does not belong to 'trace diff'"};
        }
    }
    const auto share = parseShare(arguments.value("--fail-over").value_or(kDefaultShare));
    if (!share) {
        return share.error().withContext("--fail-over");
    }
    BIFOCAL_TRY(const std::vector<TracedSpan> before, readTraceFile(words[1]));
    BIFOCAL_TRY(const std::vector<TracedSpan> after, readTraceFile(words[2]));
    BIFOCAL_TRY(const TraceDiff found, diffTraces(before, after, *share));
    std::cout << (arguments.has("--json") ? toJson(found, *share) + '\n' : toTable(found));
    const bool isSlower =
        std::any_of(found.changes.begin(), found.changes.end(), [](const StageChange& change) {
            return change.verdict == TraceVerdict::Slower;
        });
    return isSlower ? kExitFailed : kExitDone;
}

Result<int> run(const Arguments& arguments) {
    if (!arguments.words().empty() && arguments.words().front() == "diff") {
        return diff(arguments);
    }
    if (!arguments.words().empty() || arguments.has("--fail-over")) {
        return Error{ErrorCode::InvalidArgument,
                     "trace: words and --fail-over belong to 'trace diff BEFORE AFTER'"};
    }
    BIFOCAL_TRY(const std::string out, arguments.required("--out"));
    BIFOCAL_TRY(const long repeat, arguments.integer("--repeat", 5, 1, 10'000));
    BIFOCAL_TRY(Prompt prompt, promptFrom(arguments));
    if (prompt.text.empty() && !prompt.image) {
        prompt.text = "a picture";
    }
    BIFOCAL_TRY(const std::unique_ptr<Engine> engine, openExisting(arguments));
    for (long i = 0; i < repeat; ++i) {
        BIFOCAL_CHECK(ask(*engine, prompt));
    }
    const profile::Profiler& profiler = engine->profiler();
    BIFOCAL_CHECK(
        writeFileAtomically(out, out.ends_with(".csv") ? profiler.csv() : profiler.chromeTrace()));
    const profile::Quantiles totals = profiler.totals(Urgency::Interactive);
    if (arguments.has("--json")) {
        const nlohmann::json document{{"file", out}, {"runs", repeat}, {"p50_ms", totals.p50Ms}};
        std::cout << document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                  << '\n';
    } else {
        std::cout << repeat << " runs, median " << totals.p50Ms << " ms: " << out << '\n';
    }
    return kExitDone;
}

}  // namespace

Command traceCommand() {
    return {"trace",
            "write where a prompt's time went, or compare two such files",
            kManual,
            withPromptOptions(withEngineOptions(
                {{"--out"}, {"--repeat"}, {"--fail-over"}, {"--json", OptionSpec::Value::None}})),
            run};
}

}  // namespace bifocal::cli
