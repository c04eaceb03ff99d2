// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "core/base/clock.h"
#include "core/inference/manifest.h"
#include "core/inference/torch/torch_packs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "models/convert/starter.h"
#include "models/convert/whisper.h"

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli models - the model packs: which are here, and how they are made

usage: bifocal-cli models list [--packs P] [--json]
       bifocal-cli models prepare starter|whisper --from DOWNLOADS [--packs P] [--json]

list loads every pack of the packs folder and says whether it is ready, or why it is not,
under which licence it stands, how it runs on this machine and from what it was made.

prepare makes a pack from its downloads: verifies them by size and hash, converts the weights
without running any code from them, and puts the finished folder in place at once. A finished
pack is left as it is. Nothing is downloaded; ./run fetches what DOWNLOADS needs. 'starter' is
what pictures are searched with; 'whisper' reads spoken prompts (./run --with-speech).

  --packs P          the packs folder (BIFOCAL_PACKS, else the user's data folder)
  --from DOWNLOADS   folder that holds the downloaded archives
  --json             one JSON object on standard output

JSON of list:    {"folder":"","packs":[{"id":"","name":"","folder":"","kind":"search|speech",
                  "state":"ready|broken","reason":"","licence":"","device":"",
                  "device_why":"","precision":"","bytes":0,
                  "sources":[{"name":"","version":"","licence":""}]}]}
JSON of prepare: {"pack":"","folder":"","seconds":0.0}
)";

/// One folder of the packs folder. Threads: value.
struct PackEntry {
    std::string folder;
    std::optional<PackManifest> manifest;
    std::optional<PackInfo> info;  ///< when ready
    std::string reason;            ///< when broken
};

Result<PackInfo> load(const std::filesystem::path& folder, PackKind kind) {
    if (kind == PackKind::Speech) {
        BIFOCAL_TRY(const auto model, torch_backend::loadSpeech(folder));
        return model->info();
    }
    BIFOCAL_TRY(const auto pack, torch_backend::loadPack(folder));
    return pack->info();
}

PackEntry inspect(const std::filesystem::path& folder) {
    PackEntry entry;
    entry.folder = folder.filename().string();
    Result<PackManifest> manifest = readManifest(folder);
    if (!manifest) {
        entry.reason = manifest.error().message;
        return entry;
    }
    entry.manifest = *std::move(manifest);
    const Result<PackInfo> info = load(folder, entry.manifest->kind);
    if (info) {
        entry.info = *info;
    } else {
        entry.reason = info.error().message;
    }
    return entry;
}

/// The folders of `packs` in name order; hidden ones are somebody's work in progress.
Result<std::vector<PackEntry>> inspectAll(const std::filesystem::path& packs) {
    std::vector<std::filesystem::path> folders;
    std::error_code code;
    for (std::filesystem::directory_iterator at(packs, code), end; !code && at != end;
         at.increment(code)) {
        if (at->is_directory() && !at->path().filename().string().starts_with('.')) {
            folders.push_back(at->path());
        }
    }
    if (code && code != std::errc::no_such_file_or_directory) {
        return Error{ErrorCode::Internal, packs.string() + ": " + code.message()};
    }
    std::sort(folders.begin(), folders.end());
    std::vector<PackEntry> entries;
    entries.reserve(folders.size());
    for (const std::filesystem::path& folder : folders) {
        entries.push_back(inspect(folder));
    }
    return entries;
}

std::uint64_t bytesOf(const PackManifest& manifest) {
    std::uint64_t bytes = 0;
    for (const PackFile& file : manifest.files) {
        bytes += file.bytes;
    }
    return bytes;
}

nlohmann::json toJson(const PackEntry& entry) {
    const PackManifest manifest = entry.manifest.value_or(PackManifest{});
    const PackInfo info = entry.info.value_or(PackInfo{});
    nlohmann::json sources = nlohmann::json::array();
    for (const PackSource& source : manifest.sources) {
        sources.push_back(
            {{"name", source.name}, {"version", source.version}, {"licence", source.licence}});
    }
    return {{"id", manifest.id},
            {"name", manifest.name},
            {"folder", entry.folder},
            {"kind", manifest.kind == PackKind::Speech ? "speech" : "search"},
            {"state", entry.info ? "ready" : "broken"},
            {"reason", entry.reason},
            {"licence", manifest.licence},
            {"device", info.device},
            {"device_why", info.deviceWhy},
            {"precision", info.precision},
            {"bytes", bytesOf(manifest)},
            {"sources", std::move(sources)}};
}

void printEntry(const PackEntry& entry) {
    if (!entry.manifest) {
        std::cout << entry.folder << "  broken: " << entry.reason << '\n';
        return;
    }
    const PackManifest& manifest = *entry.manifest;
    std::printf("%s  %s\n  id       %s\n",
                entry.folder.c_str(),
                manifest.name.c_str(),
                manifest.id.c_str());
    std::printf("  state    %s\n", entry.info ? "ready" : ("broken: " + entry.reason).c_str());
    if (entry.info) {
        std::printf("  runs on  %s in %s. %s\n",
                    entry.info->device.c_str(),
                    entry.info->precision.c_str(),
                    entry.info->deviceWhy.c_str());
    }
    std::printf("  licence  %s\n  size     %.1f MB\n",
                manifest.licence.c_str(),
                static_cast<double>(bytesOf(manifest)) / 1e6);
    for (const PackSource& source : manifest.sources) {
        std::printf("  made of  %s %s (%s)\n",
                    source.name.c_str(),
                    source.version.c_str(),
                    source.licence.c_str());
    }
}

void printJson(const nlohmann::json& document) {
    std::cout << document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

Result<int> list(const Arguments& arguments) {
    const std::filesystem::path packs = packsFolder(arguments);
    BIFOCAL_TRY(const std::vector<PackEntry> entries, inspectAll(packs));
    if (arguments.has("--json")) {
        nlohmann::json array = nlohmann::json::array();
        for (const PackEntry& entry : entries) {
            array.push_back(toJson(entry));
        }
        printJson({{"folder", packs.string()}, {"packs", std::move(array)}});
        return kExitDone;
    }
    for (const PackEntry& entry : entries) {
        printEntry(entry);
    }
    if (entries.empty()) {
        std::cout << "no packs in " << packs.string() << '\n';
    }
    return kExitDone;
}

/// On a terminal one line that is written over; otherwise, in a log, a line each tenth.
class PrepareLine {
public:
    void show(const models::PrepareProgress& progress) {
        const int percent = static_cast<int>(std::floor(progress.fraction * 100));
        if (isTerminal_) {
            std::fprintf(stderr, "\r%3d %%  %s\033[K", percent, progress.step.c_str());
            wasShown_ = true;
        } else if (percent / 10 > lastTenth_) {
            lastTenth_ = percent / 10;
            std::fprintf(stderr, "%3d %%  %s\n", percent, progress.step.c_str());
        }
    }
    void finish() const {
        if (wasShown_) {
            std::fputc('\n', stderr);
        }
    }

private:
    bool isTerminal_ = ::isatty(STDERR_FILENO) == 1;
    bool wasShown_ = false;
    int lastTenth_ = -1;
};

/// A pack that this build can make. Threads: value.
struct Preparable {
    std::string_view name;
    const char* folder;
    Result<void> (*prepare)(const std::filesystem::path& downloads,
                            const std::filesystem::path& packs,
                            const models::ProgressCallback& progress,
                            const std::stop_token& stop);
};
constexpr Preparable kPreparable[]{
    {"starter", models::kStarterFolder, models::prepareStarterPack},
    {"whisper", models::kWhisperFolder, models::prepareWhisper},
};

Result<int> prepare(const Arguments& arguments) {
    const std::vector<std::string>& words = arguments.words();
    const auto* const pack =
        std::find_if(std::begin(kPreparable), std::end(kPreparable), [&](const Preparable& one) {
            return words.size() == 2 && words[1] == one.name;
        });
    if (pack == std::end(kPreparable)) {
        return Error{ErrorCode::InvalidArgument,
                     "models prepare: name the pack to prepare; this build knows 'starter' and "
                     "'whisper'"};
    }
    BIFOCAL_TRY(const std::string downloads, arguments.required("--from"));
    const std::filesystem::path packs = packsFolder(arguments);
    const SteadyClock clock;
    const TimePoint begin = clock.now();
    PrepareLine line;
    const Result<void> outcome =
        pack->prepare(downloads, packs, [&line](const auto& progress) { line.show(progress); }, {});
    line.finish();
    if (!outcome) {
        return outcome.error();
    }
    const std::filesystem::path folder = packs / pack->folder;
    BIFOCAL_TRY(const PackManifest manifest, readManifest(folder));
    const double seconds = std::chrono::duration<double>(clock.now() - begin).count();
    if (arguments.has("--json")) {
        printJson({{"pack", manifest.id}, {"folder", folder.string()}, {"seconds", seconds}});
    } else {
        std::printf("%s is ready in %s (%.1f s)\n", manifest.id.c_str(), folder.c_str(), seconds);
    }
    return kExitDone;
}

Result<int> run(const Arguments& arguments) {
    const std::vector<std::string>& words = arguments.words();
    if (words == std::vector<std::string>{"list"}) {
        if (arguments.has("--from")) {
            return Error{ErrorCode::InvalidArgument, "--from: belongs to 'models prepare'"};
        }
        return list(arguments);
    }
    if (!words.empty() && words.front() == "prepare") {
        return prepare(arguments);
    }
    return Error{ErrorCode::InvalidArgument,
                 "models: say 'list', 'prepare starter' or 'prepare whisper'"};
}

}  // namespace

Command modelsCommand() {
    return {"models",
            "list the model packs, or make one from its downloads",
            kManual,
            {{"--packs"}, {"--from"}, {"--json", OptionSpec::Value::None}},
            run};
}

}  // namespace bifocal::cli
