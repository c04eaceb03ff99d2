// SPDX-License-Identifier: Apache-2.0
#include "core/index/internal/commit_log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace bifocal::index {
namespace {

constexpr std::size_t kReadBytes = 1 << 18;

Error damaged(std::uint64_t sequence) {
    return {ErrorCode::Corruption,
            "commit " + std::to_string(sequence) + " is damaged, and later ones are whole"};
}

Result<void> takeUpExtents(const StorageFile& file, ExtentMap& map) {
    BIFOCAL_CHECK(map.discover(file));
    if (map.damagedAt()) {
        return Error{
            ErrorCode::Corruption,
            "no extent at byte " + std::to_string(*map.damagedAt()) + ", where one must start"};
    }
    return {};
}

/// The record at `offset` of the file, all of it, when it is intact.
Result<std::optional<Commit>> readRecord(const StorageFile& file,
                                         const ExtentMap& map,
                                         const Extent& extent,
                                         std::uint64_t offset) {
    std::array<std::byte, sizeof(CommitHeader)> head{};
    BIFOCAL_TRY(std::size_t count, file.readAt(extent.offset + offset, head));
    const std::optional<CommitHeader> header =
        parseCommitHeader(std::span(head).first(count), map.header());
    if (!header || header->recordBytes > extent.sizeBytes - offset) {
        return std::optional<Commit>();
    }
    std::vector<std::byte> record(header->recordBytes);
    BIFOCAL_TRY(count, file.readAt(extent.offset + offset, record));
    // The head is compared again: it may have changed between the two reads.
    if (count < record.size() || std::memcmp(record.data(), &*header, sizeof(*header)) != 0 ||
        !isCommitRecordIntact(record)) {
        return std::optional<Commit>();
    }
    Commit commit;
    commit.header = *header;
    commit.tombstones.resize(header->tombstoneCount);
    std::ranges::copy(std::span(record).subspan(sizeof(CommitHeader),
                                                commit.tombstones.size() * sizeof(std::uint32_t)),
                      std::as_writable_bytes(std::span(commit.tombstones)).begin());
    return std::optional(std::move(commit));
}

/// Whether an intact record says what a commit at `position` must say.
bool continues(const Commit& commit, const LogPosition& position) {
    const CommitHeader& header = commit.header;
    const std::uint64_t rowsAfter = position.rowCount + header.rowCount;
    return header.sequence == position.sequence + 1 && header.firstRow == position.rowCount &&
           rowsAfter <= UINT32_MAX &&
           std::ranges::all_of(commit.tombstones,
                               [&](std::uint32_t row) { return row < rowsAfter; });
}

bool hasRows(const CommitHeader& header, const ExtentMap& map, std::uint64_t fileBytes) {
    return header.firstRow + header.rowCount <= map.rowCapacity() &&
           map.endOffsetOf(header.firstRow, header.rowCount) <= fileBytes;
}

/// Whether any later commit is whole: then what stands at `position` was whole once.
Result<bool> hasLaterCommit(const StorageFile& file,
                            const ExtentMap& map,
                            const LogPosition& position) {
    std::vector<std::byte> bytes;
    for (std::size_t index = position.extent; index < map.logs().size(); ++index) {
        const Extent& extent = map.logs()[index];
        bytes.resize(extent.sizeBytes);
        BIFOCAL_TRY(const std::size_t count, file.readAt(extent.offset, bytes));
        const std::uint64_t first =
            index == position.extent ? position.offset : sizeof(ExtentHeader);
        for (std::uint64_t offset = first; offset + sizeof(CommitHeader) <= count;
             offset += kRecordAlignBytes) {
            const auto header =
                parseCommitHeader(std::span(bytes).subspan(offset, count - offset), map.header());
            if (header && header->sequence > position.sequence + 1 &&
                header->recordBytes <= count - offset &&
                isCommitRecordIntact(std::span(bytes).subspan(offset, header->recordBytes))) {
                return true;
            }
        }
    }
    return false;
}

enum class Standing : std::uint8_t { Nothing = 1, Commit, RowsMissing, Damage };

struct Look {
    Standing standing = Standing::Nothing;
    Commit commit;
};

/// What stands at `position`; moves it into the next extent when this one has ended.
Result<Look> lookAt(const StorageFile& file, const ExtentMap& map, LogPosition& position) {
    BIFOCAL_TRY(const std::uint64_t fileBytes, file.sizeBytes());
    while (position.extent < map.logs().size()) {
        const Extent& extent = map.logs()[position.extent];
        std::array<std::byte, sizeof(CommitHeader)> head{};
        std::size_t count = 0;
        if (position.offset + head.size() <= extent.sizeBytes) {
            BIFOCAL_TRY(count, file.readAt(extent.offset + position.offset, head));
        }
        if (isZero(std::span(head).first(count))) {
            // Records go into the last Log extent alone, so an older one has said all it will.
            if (position.extent + 1 == map.logs().size()) {
                break;
            }
            ++position.extent;
            position.offset = sizeof(ExtentHeader);
            continue;
        }
        BIFOCAL_TRY(std::optional<Commit> commit, readRecord(file, map, extent, position.offset));
        if (!commit || !continues(*commit, position)) {
            return Look{Standing::Damage, {}};
        }
        if (!hasRows(commit->header, map, fileBytes)) {
            return Look{Standing::RowsMissing, {}};
        }
        commit->start = position;
        commit->end = {position.extent,
                       position.offset + commit->header.recordBytes,
                       position.sequence + 1,
                       position.rowCount + commit->header.rowCount};
        return Look{Standing::Commit, *std::move(commit)};
    }
    return Look{};
}

Result<void> readRecords(const StorageFile& file,
                         ExtentMap& map,
                         const ReadOptions& options,
                         CommitRun& run) {
    while (true) {
        BIFOCAL_TRY(Look look, lookAt(file, map, run.end));
        if (look.standing == Standing::Commit) {
            run.end = look.commit.end;
            run.commits.push_back(std::move(look.commit));
            continue;
        }
        run.isTorn = look.standing != Standing::Nothing;
        // Of a file that was cut short, later commits have lost their rows as well.
        const bool isCutShort = look.standing == Standing::RowsMissing && map.endsWithExtents();
        if (isCutShort || (!run.isTorn && !options.looksBehindEnd)) {
            return {};
        }
        // A newer Log extent is begun by a newer commit.
        const bool hasNewerExtent = run.isTorn && run.end.extent + 1 < map.logs().size();
        BIFOCAL_TRY(const bool hasLater, hasLaterCommit(file, map, run.end));
        if (!hasLater && !hasNewerExtent) {
            return {};
        }
        // The writer may have finished this one and the next since we looked.
        BIFOCAL_CHECK(takeUpExtents(file, map));
        BIFOCAL_TRY(look, lookAt(file, map, run.end));
        if (look.standing != Standing::Commit) {
            return damaged(run.end.sequence + 1);
        }
    }
}

/// Reads the newest commits' data; the last one may be torn, then it leaves the run.
Result<void> checkData(const StorageFile& file,
                       const ExtentMap& map,
                       const ReadOptions& options,
                       CommitRun& run) {
    const std::uint64_t rowBytes = sizeof(ContentKey) + map.header().strideBytes;
    std::uint64_t bytesLeft = options.checkedBytes;
    for (std::size_t index = run.commits.size(); index-- > 0;) {
        const Commit& commit = run.commits[index];
        const std::uint64_t bytes = commit.header.rowCount * rowBytes;
        const bool isLast = index + 1 == run.commits.size();
        if (!isLast && bytes > bytesLeft) {
            return {};
        }
        bytesLeft -= std::min(bytes, bytesLeft);
        BIFOCAL_TRY(const std::uint64_t checksum, dataChecksum(file, map, commit.header));
        if (checksum == commit.header.dataChecksum) {
            continue;
        }
        const bool hasSuccessor = commit.start.extent + 1 < map.logs().size();
        if (!isLast || run.isTorn || hasSuccessor) {
            return damaged(commit.header.sequence);
        }
        run.lostSequence = commit.header.sequence;
        run.end = commit.start;
        run.isTorn = true;
        run.commits.pop_back();
    }
    return {};
}

Result<void> addRange(const StorageFile& file,
                      std::uint64_t offset,
                      std::uint64_t sizeBytes,
                      std::vector<std::byte>& buffer,
                      Checksum& checksum) {
    while (sizeBytes > 0) {
        buffer.resize(std::min<std::uint64_t>(sizeBytes, kReadBytes));
        BIFOCAL_TRY(const std::size_t count, file.readAt(offset, buffer));
        checksum.add(std::span(buffer).first(count));
        if (count < buffer.size()) {
            return {};  // cut off: the checksum will not match
        }
        offset += count;
        sizeBytes -= count;
    }
    return {};
}

}  // namespace

Result<std::uint64_t> dataChecksum(const StorageFile& file,
                                   const ExtentMap& map,
                                   const CommitHeader& commit) {
    Checksum checksum;
    std::vector<std::byte> buffer;
    const std::vector<RowPiece> pieces = map.pieces(commit.firstRow, commit.rowCount);
    for (const RowPiece& piece : pieces) {
        BIFOCAL_CHECK(addRange(
            file, piece.keysOffset, piece.rowCount * sizeof(ContentKey), buffer, checksum));
    }
    for (const RowPiece& piece : pieces) {
        BIFOCAL_CHECK(addRange(file,
                               piece.rowsOffset,
                               std::uint64_t{piece.rowCount} * map.header().strideBytes,
                               buffer,
                               checksum));
    }
    return checksum.value();
}

Result<CommitRun> readCommits(const StorageFile& file,
                              ExtentMap& map,
                              const LogPosition& from,
                              const ReadOptions& options) {
    CommitRun run;
    run.end = from;
    BIFOCAL_CHECK(takeUpExtents(file, map));
    BIFOCAL_CHECK(readRecords(file, map, options, run));
    BIFOCAL_CHECK(checkData(file, map, options, run));
    return run;
}

Result<void> clearLogFrom(StorageFile& file, const ExtentMap& map, const LogPosition& position) {
    if (position.extent >= map.logs().size()) {
        return {};
    }
    const Extent& extent = map.logs()[position.extent];
    std::vector<std::byte> bytes(extent.sizeBytes - position.offset);
    BIFOCAL_TRY(const std::size_t count, file.readAt(extent.offset + position.offset, bytes));
    std::size_t used = count;
    while (used > 0 && bytes[used - 1] == std::byte{0}) {
        --used;
    }
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    return file.writeAt(extent.offset + position.offset, std::span(bytes).first(used));
}

}  // namespace bifocal::index
