// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/library/library.h"

#include <cstddef>
#include <string_view>
#include <vector>

/// The words of file and folder names, in the table file_names. Whoever
/// removes files removes their names first.
namespace bifocal::library {

class Database;

/// Enters the name of a file that was just put; nothing when it is there already, for a path is
/// never another one's. Requires: a writing transaction.
Result<void> putName(Database& database, const FileRecord& file);

/// Enters the names of all files of a library that had none. Requires: a writing transaction.
Result<void> putAllNames(Database& database);

/// Library::filesNamed().
Result<std::vector<NameMatch>> filesNamed(Database& database,
                                          std::string_view text,
                                          std::size_t atMost);

}  // namespace bifocal::library
