// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/path_text.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bifocal::cli {
namespace {

constexpr std::string_view kManual =
    R"(bifocal-cli forget - take folders out of a library; the pictures on disk are not touched

usage: bifocal-cli forget DIR... --library L [--json] [--packs P] [--pack NAME]

For a folder that was indexed and is no longer wanted, or was renamed or deleted: what is not
there is kept as long as nobody says so, for it may be a drive that comes back. 'doctor' lists
such folders. DIR is the folder's name as it was when it was indexed.

JSON: {"forgotten":[{"path":"","pictures":n}]}
)";

/// The collection of a folder that may be gone.
Result<CollectionRecord> collectionAt(const Engine& engine, const std::string& folder) {
    std::error_code code;
    std::filesystem::path wanted =
        std::filesystem::weakly_canonical(std::filesystem::absolute(folder, code), code);
    if (!wanted.has_filename()) {
        wanted = wanted.parent_path();  // "DIR/"
    }
    const std::vector<CollectionRecord> known = engine.status().collections;
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& collection) {
        return collection.root == wanted || collection.root == folder;
    });
    if (found == known.end()) {
        return Error{ErrorCode::NotFound, folder + ": no folder of this library"};
    }
    return *found;
}

Result<int> run(const Arguments& arguments) {
    if (arguments.words().empty()) {
        return Error{ErrorCode::InvalidArgument, "forget: name at least one folder"};
    }
    BIFOCAL_TRY(const std::unique_ptr<Engine> engine, openExisting(arguments));
    std::vector<CollectionRecord> wanted;  // all are known before the first is forgotten
    for (const std::string& folder : arguments.words()) {
        BIFOCAL_TRY(CollectionRecord collection, collectionAt(*engine, folder));
        wanted.push_back(std::move(collection));
    }
    nlohmann::json forgotten = nlohmann::json::array();
    for (const CollectionRecord& collection : wanted) {
        BIFOCAL_CHECK(engine->removeCollection(collection.id));
        nlohmann::json object{{"pictures", collection.fileCount}};
        putPath(object, collection.root);
        forgotten.push_back(std::move(object));
        if (!arguments.has("--json")) {
            std::cout << printable(collection.root) << ": " << collection.fileCount
                      << " pictures forgotten\n";
        }
    }
    if (arguments.has("--json")) {
        const nlohmann::json document{{"forgotten", std::move(forgotten)}};
        std::cout << document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                  << '\n';
    }
    return kExitDone;
}

}  // namespace

Command forgetCommand() {
    return {"forget",
            "take folders out of a library",
            kManual,
            withEngineOptions({{"--json", OptionSpec::Value::None}}),
            run};
}

}  // namespace bifocal::cli
