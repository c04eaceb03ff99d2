// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/stored_run.h"

#include "core/base/files.h"

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace bifocal::cli {
namespace {

std::filesystem::path fileOf(const std::filesystem::path& folder, const std::string& bench) {
    return folder / (bench + ".json");
}

/// The figures of a stored run by row id; none when it is another machine's.
Result<std::map<std::string, BenchPeer>> readPeers(const std::filesystem::path& file,
                                                   const std::vector<std::uint8_t>& bytes,
                                                   const std::string& machine) {
    const Error unreadable{ErrorCode::Corruption, file.string() + ": not a stored bench"};
    const nlohmann::json document = nlohmann::json::parse(bytes, nullptr, false);
    if (!document.is_object() || !document.contains("rows") || !document["rows"].is_array() ||
        !document.value("machine", nlohmann::json()).is_string() ||
        !document.value("commit", nlohmann::json()).is_string()) {
        return unreadable;
    }
    std::map<std::string, BenchPeer> peers;
    if (document["machine"].get<std::string>() != machine) {
        return peers;
    }
    const std::string name = "full run of " + document["commit"].get<std::string>();
    for (const nlohmann::json& row : document["rows"]) {
        if (!row.is_object() || !row.value("id", nlohmann::json()).is_string() ||
            !row.value("value", nlohmann::json()).is_number()) {
            return unreadable;
        }
        peers[row["id"].get<std::string>()] = {name, row["value"].get<double>()};
    }
    return peers;
}

}  // namespace

Result<void> storeFullRun(const std::filesystem::path& folder,
                          const BenchReport& report,
                          const std::string& commit) {
    BIFOCAL_CHECK(makeDirectories(folder));
    nlohmann::json document = nlohmann::json::parse(toJson(report));
    document["commit"] = commit;
    return writeFileAtomically(fileOf(folder, report.bench), document.dump(1) + "\n");
}

Result<void> addStoredPeers(const std::filesystem::path& folder, BenchReport& report) {
    const std::filesystem::path file = fileOf(folder, report.bench);
    const Result<std::vector<std::uint8_t>> bytes = readFile(file);
    if (!bytes) {
        return bytes.error().code == ErrorCode::NotFound ? Result<void>() : bytes.error();
    }
    BIFOCAL_TRY(const auto peers, readPeers(file, *bytes, report.machine));
    for (BenchRow& row : report.rows) {
        const auto found = peers.find(row.id);
        if (!row.peer && found != peers.end()) {
            row.peer = found->second;
        }
    }
    return {};
}

}  // namespace bifocal::cli
