// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/library/internal/sqlite.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::library {

/// The version that migrate() makes. One step per version; a step is never edited once released.
inline constexpr std::int64_t kSchemaVersion = 3;

/// Unsupported for a version from the future, Corruption for a database of something else.
Result<std::int64_t> schemaVersion(Database& database);

/// Brings the schema to kSchemaVersion in one transaction. Two processes may try at once: the
/// second one waits, and finds it done.
Result<void> migrate(Database& database);

/// Differences between this schema and the one that migrate() makes from nothing.
Result<std::vector<std::string>> schemaProblems(Database& database);

}  // namespace bifocal::library
