// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/index/internal/extent_map.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bifocal::index {

/// Where the next record goes, and what it must say.
struct LogPosition {
    std::size_t extent = 0;                       ///< among the Log extents
    std::uint64_t offset = sizeof(ExtentHeader);  ///< in that extent
    std::uint64_t sequence = 0;                   ///< of the last commit before it
    std::uint64_t rowCount = 0;                   ///< committed before it
};

struct Commit {
    CommitHeader header;
    std::vector<std::uint32_t> tombstones;
    LogPosition start;  ///< the position before this commit
    LogPosition end;    ///< … and after it
};

/// What was found from a position on.
struct CommitRun {
    std::vector<Commit> commits;
    LogPosition end;                            ///< behind the last of them
    bool isTorn = false;                        ///< something that is no commit stands at `end`
    std::optional<std::uint64_t> lostSequence;  ///< … with a whole record, and rows that do not fit
};

struct ReadOptions {
    /// How many bytes of keys and rows are read again, newest first: only the last commit can have
    /// been cut by a crash, and older ones are doctor's.
    std::uint64_t checkedBytes = UINT64_MAX;
    /// Looks for commits behind a clean end as well, which costs a pass over the Log extent.
    bool looksBehindEnd = false;
};

/// Reads whole commits from `from` on. A commit that is not whole ends the run when nothing comes
/// after it (it is torn, or being written just now) and is Corruption when a whole one does:
/// a commit begins only after the one before it is durable.
/// Takes up new extents first.
Result<CommitRun> readCommits(const StorageFile& file,
                              ExtentMap& map,
                              const LogPosition& from,
                              const ReadOptions& options);

/// XXH3-64 over the keys, then the rows.
Result<std::uint64_t> dataChecksum(const StorageFile& file,
                                   const ExtentMap& map,
                                   const CommitHeader& commit);

/// Overwrites whatever stands at `position` in its extent with zeros.
Result<void> clearLogFrom(StorageFile& file, const ExtentMap& map, const LogPosition& position);

}  // namespace bifocal::index
