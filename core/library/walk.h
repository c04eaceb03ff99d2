// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/library/library.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace bifocal {

/// A regular file met by a walk.
struct WalkEntry {
    std::filesystem::path path;
    FileStamp stamp;
};

/// A folder or file that could not be visited, and why.
struct WalkProblem {
    std::filesystem::path path;
    std::string reason;
};

/// Depth-first over `root`, each real directory once (symlink loops end), in name order; passed by:
/// hidden folders, caches, trash, `.git`, `node_modules`, thumbnails, `._*` and `.DS_Store`.
/// A symlink is followed where its target is not met at its own place: a file outside of the root
/// comes under the link's path, one inside comes once. Links to nothing are problems.
/// An unreadable folder is a problem, not an end. NotFound when the root itself is not there,
/// InvalidArgument when it is no folder; Cancelled. `visit` returns nothing and may block (that is
/// how the walk is slowed down). Threads: safe; runs on the caller's thread.
Result<std::vector<WalkProblem>> walk(const std::filesystem::path& root,
                                      std::stop_token stop,
                                      const std::function<void(WalkEntry)>& visit);

/// stat() of one file; NotFound.
Result<FileStamp> stampOf(const std::filesystem::path& path);

/// XXH3-128 of the file's bytes, read in pieces. NotFound, Internal; Cancelled between pieces.
Result<ContentKey> contentKeyOf(const std::filesystem::path& path,
                                const std::stop_token& stop = {});
ContentKey contentKeyOf(std::span<const std::uint8_t> bytes);

}  // namespace bifocal
