// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/path_text.h"
#include "app/cli/prompt_options.h"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli query - find pictures by words, by a picture, or by both

usage: bifocal-cli query --library L [--text T] [--speech F] [--image F] [--minus T]...
                         [--balance B] [--names W] [--strictness S] [--sort O] [-k N] [--json]
                         [--type T]... [--folder D] [--after DAY] [--before DAY]
                         [--min-kb N] [--max-kb N] [--packs P] [--pack NAME]

  --text T       what to look for; a word after " -" counts against ("flower -tree")
  --speech F     a WAV file in which somebody says what to look for (needs ./run --with-speech)
  --image F      a picture to look like; with --at MS the frame of a video at that time
  --region X,Y,W,H   only this part of the picture, in pixels
  --minus T      less like this; may be given several times
  --balance B    0: words only ... 1: looks only (0.5); used with both --text and --image
  --names W      weight of file and folder names beside the vectors, 0: none ... 1 (1); names
                 count when they hold all words, by 1/(60 + rank) as the vectors do
  --strictness S any, fair or strong: the weakest match that is shown (any)
  --sort O       order of the best: best, newest, oldest, largest, smallest, name (best)
  --type T       only files with this extension (jpeg); may be given several times
  --folder D     only files in this folder and below
  --after DAY, --before DAY   only files changed from then on, before then (2024-12-31, UTC)
  --min-kb N, --max-kb N      only files of at least, at most this many thousand bytes
  -k N           number of results (10)
  --json         one JSON object on standard output

Works while another program indexes the library, on what is there so far. A path that is not
valid UTF-8 has its exact bytes in a further field "uri".

JSON: {"answer":"strong|fair|weak|none","results":[{"path":"","score":0.0,
       "confidence":"strong|fair|weak","why":{"image":0.0,"text":0.0},
       "name":{"share":0.0,"is_own":false}}],
       "hidden":0,"timing_ms":{"total":0.0,"stages":{}},"pack":"","device":"","spoken":""}
)";

const char* toString(Notice notice) {
    switch (notice) {
        case Notice::TextTruncated: return "text_truncated";
        case Notice::StillIndexing: return "still_indexing";
        case Notice::PartialLens: return "partial_lens";
        case Notice::TextUnread: return "text_unread";
        case Notice::TextPartlyUnread: return "text_partly_unread";
    }
    return "";
}

void printJson(const ResultSet& set) {
    nlohmann::json results = nlohmann::json::array();
    for (const ResultRow& row : set.rows) {
        nlohmann::json result{{"score", row.score},
                              {"confidence", toString(row.confidence)},
                              {"why", {{"image", row.why.image}, {"text", row.why.text}}},
                              {"name", {{"share", row.name.share}, {"is_own", row.name.isOwnName}}},
                              {"this_picture", row.isThisPicture},
                              {"width", row.file.width},
                              {"height", row.file.height},
                              {"bytes", row.file.stamp.sizeBytes}};
        putPath(result, row.file.path);
        results.push_back(std::move(result));
    }
    nlohmann::json stages = nlohmann::json::object();
    for (const StageTime& stage : set.stages) {
        stages[stage.stage] = stage.ms;
    }
    nlohmann::json notices = nlohmann::json::array();
    for (const Notice notice : set.notices) {
        notices.push_back(toString(notice));
    }
    const nlohmann::json document{{"answer", bifocal::toString(set.answer)},
                                  {"results", std::move(results)},
                                  {"hidden", set.hiddenCount},
                                  {"searched", set.searchedCount},
                                  {"notices", std::move(notices)},
                                  {"timing_ms", {{"total", set.totalMs}, {"stages", stages}}},
                                  {"spoken", set.spoken},
                                  {"pack", set.pack},
                                  {"device", set.device}};
    std::cout << document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void printText(const ResultSet& set) {
    if (set.searchedCount == 0) {
        std::cout << "Nothing to search: the library is empty, or no file passes the filters.\n";
        return;
    }
    if (!set.spoken.empty()) {
        std::cout << "Understood: " << set.spoken << '\n';
    }
    if (set.answer == Answer::None) {
        std::cout << (set.rows.empty() ? "Nothing really matches.\n"
                                       : "Nothing really matches. The nearest:\n");
    }
    int rank = 0;
    for (const ResultRow& row : set.rows) {
        std::printf("%3d  %6.3f  %-6s  %s%s%s\n",
                    ++rank,
                    static_cast<double>(row.score),
                    bifocal::toString(row.confidence),
                    printable(row.file.path).c_str(),
                    row.isThisPicture ? "  (this picture)" : "",
                    row.name.share > 0 ? "  (its name)" : "");
    }
    if (set.hiddenCount > 0) {
        std::cout << set.hiddenCount << " weaker ones are not shown (--strictness any)\n";
    }
    for (const Notice notice : set.notices) {
        std::cout << "note: " << toString(notice) << '\n';
    }
    std::printf("%zu of %llu pictures, %.1f ms\n",
                set.rows.size(),
                static_cast<unsigned long long>(set.searchedCount),
                set.totalMs);
}

Result<int> run(const Arguments& arguments) {
    if (!arguments.words().empty()) {
        return Error{ErrorCode::InvalidArgument,
                     "'" + arguments.words().front() + "': write the words as --text"};
    }
    BIFOCAL_TRY(Prompt prompt, promptFrom(arguments));
    BIFOCAL_TRY(const std::unique_ptr<Engine> engine, openExisting(arguments));
    BIFOCAL_TRY(const std::shared_ptr<const ResultSet> answer, ask(*engine, std::move(prompt)));
    if (arguments.has("--json")) {
        printJson(*answer);
    } else {
        printText(*answer);
    }
    return kExitDone;
}

}  // namespace

Command queryCommand() {
    return {"query",
            "find pictures by words, by a picture, or by both",
            kManual,
            withPromptOptions(withEngineOptions({{"--json", OptionSpec::Value::None}})),
            run};
}

}  // namespace bifocal::cli
