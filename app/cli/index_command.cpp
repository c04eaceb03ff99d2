// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/path_text.h"
#include "app/cli/progress_line.h"
#include "core/base/files.h"
#include "core/library/library.h"

#include <atomic>
#include <cstdio>
#include <future>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <unistd.h>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli index - bring folders of pictures up to date in a library

usage: bifocal-cli index DIR... --library L [--json] [--no-wait] [--packs P] [--pack NAME]

Walks each DIR, reads what is new or changed, and makes it findable. A file that did not
change costs one look at its date; a moved file keeps its vector; a file that is gone is
forgotten. A file that cannot be read is listed with the reason and does not stop the rest;
it is tried again when it changes, or with --retry.

  --library L   the library's folder; made when it is missing
  --retry       try files again that failed before, even when they did not change
  --no-wait     answer "busy" at once when another program is indexing this library
                (without it: say so on standard error and wait)
  --json        one JSON object on standard output, no progress
  --packs P     folder of model packs (BIFOCAL_PACKS, else the user's data folder)
  --pack NAME   the pack to use (starter)

Ctrl-C stops within a second with exit status 130 (128 + the signal's number); everything that
was finished is kept, and the summary says "stopped":true.

JSON: {"indexed":n,"unchanged":n,"moved":n,"removed":n,
       "failed":[{"path":"","reason":""}],"skipped":[{"path":"","reason":""}],"seconds":s,
       "stopped":false}
)";

nlohmann::json toJson(const std::vector<PathReason>& entries) {
    nlohmann::json array = nlohmann::json::array();
    for (const PathReason& entry : entries) {
        nlohmann::json object{{"reason", entry.reason}};
        putPath(object, entry.path);
        array.push_back(std::move(object));
    }
    return array;
}

void addTo(IndexSummary& sum, const IndexSummary& part) {
    sum.indexed += part.indexed;
    sum.unchanged += part.unchanged;
    sum.moved += part.moved;
    sum.removed += part.removed;
    sum.failed.insert(sum.failed.end(), part.failed.begin(), part.failed.end());
    sum.skipped.insert(sum.skipped.end(), part.skipped.begin(), part.skipped.end());
    sum.seconds += part.seconds;
}

enum class Ended : std::uint8_t { Whole = 1, Stopped };

struct Part {
    IndexSummary summary;
    Ended ended = Ended::Whole;
};

void print(const Part& part, bool asJson) {
    const IndexSummary& summary = part.summary;
    if (asJson) {
        const nlohmann::json document{{"indexed", summary.indexed},
                                      {"unchanged", summary.unchanged},
                                      {"moved", summary.moved},
                                      {"removed", summary.removed},
                                      {"failed", toJson(summary.failed)},
                                      {"skipped", toJson(summary.skipped)},
                                      {"seconds", summary.seconds},
                                      {"stopped", part.ended == Ended::Stopped}};
        std::cout << document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                  << '\n';
        return;
    }
    std::printf("%llu indexed, %llu unchanged, %llu moved, %llu removed, %zu failed in %.1f s\n",
                static_cast<unsigned long long>(summary.indexed),
                static_cast<unsigned long long>(summary.unchanged),
                static_cast<unsigned long long>(summary.moved),
                static_cast<unsigned long long>(summary.removed),
                summary.failed.size(),
                summary.seconds);
    for (const PathReason& entry : summary.failed) {
        std::cout << "could not read " << printable(entry.path) << ": " << entry.reason << '\n';
    }
    for (const PathReason& entry : summary.skipped) {
        std::cout << "passed by " << printable(entry.path) << ": " << entry.reason << '\n';
    }
}

/// Repeats `step` as long as another program holds the library, unless told not to wait.
template <typename Step>
auto patiently(const Arguments& arguments, const std::filesystem::path& library, Step step)
    -> decltype(step()) {
    for (;;) {
        auto outcome = step();
        if (outcome || outcome.error().code != ErrorCode::Busy || arguments.has("--no-wait")) {
            return outcome;
        }
        std::cerr << "bifocal-cli: waiting: " << outcome.error().message << '\n';
        BIFOCAL_CHECK(FileLock::waitUntilFree(libraryLockFile(library)));
    }
}

/// One indexing run to its end. Busy also when the library was found to be locked only then.
Result<Part> runIndexing(Engine& engine,
                         const Arguments& arguments,
                         CollectionId collection,
                         Interrupt& interrupt) {
    auto line = std::make_shared<ProgressLine>(!arguments.has("--json"));
    std::promise<IndexProgress> promise;
    std::future<IndexProgress> end = promise.get_future();
    const IndexHandler handler = [&promise, line](const IndexProgress& progress) {
        line->show(progress);
        if (progress.state >= IndexState::Done) {
            promise.set_value(progress);
        }
    };
    BIFOCAL_TRY(const RequestId request,
                arguments.has("--retry") ? engine.retryFailures(collection, {}, handler)
                                         : engine.startIndexing(collection, handler));
    interrupt.cancels(request);
    const IndexProgress last = end.get();
    interrupt.cancels({});
    line->finish();
    if (last.state == IndexState::Failed) {
        return *last.error;
    }
    return Part{last.summary.value_or(IndexSummary{}),
                last.state == IndexState::Cancelled ? Ended::Stopped : Ended::Whole};
}

Result<Part> indexFolder(Engine& engine,
                         const Arguments& arguments,
                         const std::filesystem::path& library,
                         const std::string& folder,
                         Interrupt& interrupt) {
    BIFOCAL_TRY(const CollectionId collection,
                patiently(arguments, library, [&] { return engine.addCollection(folder); }));
    return patiently(
        arguments, library, [&] { return runIndexing(engine, arguments, collection, interrupt); });
}

/// The folders that were named, each once however it is written.
std::vector<std::string> distinct(const std::vector<std::string>& folders) {
    std::vector<std::string> kept;
    std::set<std::filesystem::path> seen;
    for (const std::string& folder : folders) {
        std::error_code code;  // one that is not there is refused when its turn comes
        const std::filesystem::path canonical = std::filesystem::weakly_canonical(folder, code);
        if (seen.insert(code ? std::filesystem::path(folder) : canonical).second) {
            kept.push_back(folder);
        }
    }
    return kept;
}

Result<int> run(const Arguments& arguments) {
    if (arguments.words().empty()) {
        return Error{ErrorCode::InvalidArgument, "index: name at least one folder"};
    }
    BIFOCAL_TRY(const std::string library, arguments.required("--library"));
    const bool asJson = arguments.has("--json");
    // Before the engine's threads, so that they inherit the blocked signals.
    Interrupt interrupt(asJson ? errorJson({ErrorCode::Cancelled, "stopped before it began"}) + '\n'
                               : "");
    BIFOCAL_TRY(const std::unique_ptr<Engine> engine, openEngine(arguments));
    interrupt.watch(*engine);
    Part sum;
    for (const std::string& folder : distinct(arguments.words())) {
        BIFOCAL_TRY(const Part part, indexFolder(*engine, arguments, library, folder, interrupt));
        addTo(sum.summary, part.summary);
        sum.ended = part.ended;
        if (sum.ended == Ended::Stopped) {
            break;
        }
    }
    print(sum, asJson);
    if (sum.ended == Ended::Stopped) {
        std::cerr << "bifocal-cli: stopped; what was finished is kept\n";
        return 128 + interrupt.lastSignal();
    }
    return kExitDone;
}

}  // namespace

Command indexCommand() {
    return {"index",
            "bring folders of pictures up to date in a library",
            kManual,
            withEngineOptions({{"--json", OptionSpec::Value::None},
                               {"--retry", OptionSpec::Value::None},
                               {"--no-wait", OptionSpec::Value::None}}),
            run};
}

}  // namespace bifocal::cli
