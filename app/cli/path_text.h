// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace bifocal::cli {

/// A path on one line of a terminal: what would move its cursor or change its colours is written
/// as \n, \t or \xHH. Threads: safe.
std::string printable(const std::filesystem::path& path);

/// Puts "path" into a JSON object; and, when the name is not valid UTF-8 and "path" can only come
/// near it, "uri" with its exact bytes (RFC 8089, other bytes as %HH). Threads: safe.
void putPath(nlohmann::json& object, const std::filesystem::path& path);

}  // namespace bifocal::cli
