// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/prompt_options.h"
#include "core/base/files.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli trace - run a prompt and write where its time went

usage: bifocal-cli trace --library L --out FILE [--repeat N] [--json] [--packs P]
                         [--pack NAME] [--text T] [--image F] [--at MS]
                         [--region X,Y,W,H] [--minus T]... [--balance B] [-k N]

Takes the prompt options of 'query'; without any, the text "a picture". Runs it N times
(--repeat, 5) after the models are loaded and writes every stage of every run: as Chrome and
Perfetto JSON, or as CSV when FILE ends in .csv.

JSON: {"file":"","runs":n,"p50_ms":0.0}
)";

Result<int> run(const Arguments& arguments) {
    BIFOCAL_TRY(const std::string out, arguments.required("--out"));
    BIFOCAL_TRY(const long repeat, arguments.integer("--repeat", 5, 1, 10'000));
    BIFOCAL_TRY(Prompt prompt, promptFrom(arguments));
    if (prompt.text.empty() && !prompt.image) {
        prompt.text = "a picture";
    }
    BIFOCAL_TRY(const std::unique_ptr<Engine> engine, openEngine(arguments));
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
            "run a prompt and write where its time went",
            kManual,
            withPromptOptions(
                withEngineOptions({{"--out"}, {"--repeat"}, {"--json", OptionSpec::Value::None}})),
            run};
}

}  // namespace bifocal::cli
