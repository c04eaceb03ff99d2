// SPDX-License-Identifier: Apache-2.0
#include "core/index/internal/index_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

namespace bifocal::index {
namespace {

constexpr std::size_t kWriteBytes = 1 << 20;

std::uint64_t randomFileId() {
    std::random_device device;
    return std::uint64_t{device()} << 32U | device();
}

}  // namespace

std::vector<std::byte> IndexFile::emptyFile(const IndexSpec& spec, std::uint32_t rowsPerExtent) {
    const FileHeader header = makeFileHeader(spec, rowsPerExtent, randomFileId());
    std::vector<std::byte> bytes(kAlignBytes);
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes;
}

IndexFile::IndexFile(std::unique_ptr<StorageFile> file, const FileHeader& header)
    : file_(std::move(file)), map_(header), table_(specOf(header), header.rowsPerExtent) {}

Result<std::unique_ptr<IndexFile>> IndexFile::open(std::unique_ptr<StorageFile> file) {
    std::array<std::byte, sizeof(FileHeader)> bytes{};
    BIFOCAL_TRY(const std::size_t count, file->readAt(0, bytes));
    BIFOCAL_TRY(const FileHeader header, parseFileHeader(std::span(bytes).first(count)));
    return std::unique_ptr<IndexFile>(new IndexFile(std::move(file), header));
}

Result<void> IndexFile::takeUp(const ReadOptions& options) {
    BIFOCAL_TRY(const CommitRun run, readCommits(*file_, map_, position_, options));
    BIFOCAL_CHECK(table_.mapThrough(run.end.rowCount, map_, *file_));
    for (const Commit& commit : run.commits) {
        table_.apply(commit, map_);
    }
    position_ = run.end;
    isTorn_ = run.isTorn;
    lostSequence_ = run.lostSequence;
    return {};
}

Result<void> IndexFile::repairTail() {
    BIFOCAL_TRY(const std::uint64_t fileBytes, file_->sizeBytes());
    const bool hasLength = fileBytes == map_.endOffset();
    if (!isTorn_ && hasLength) {
        return {};
    }
    BIFOCAL_CHECK(clearLogFrom(*file_, map_, position_));
    if (!hasLength) {
        BIFOCAL_CHECK(file_->resize(map_.endOffset()));
    }
    BIFOCAL_CHECK(file_->sync());
    isTorn_ = false;
    return {};
}

std::vector<std::uint32_t> IndexFile::tombstonesOf(std::span<const ContentKey> keys,
                                                   std::span<const ContentKey> removed) const {
    std::vector<std::uint32_t> tombstones;
    const auto bury = [&](const ContentKey& key) {
        if (const std::optional<std::uint32_t> row = table_.find(key)) {
            tombstones.push_back(*row);
        }
    };
    std::unordered_map<ContentKey, std::uint32_t> added;
    auto row = static_cast<std::uint32_t>(table_.rowCount());
    for (const ContentKey& key : keys) {
        const auto [entry, isNew] = added.try_emplace(key, row);
        if (isNew) {
            bury(key);
        } else {
            tombstones.push_back(std::exchange(entry->second, row));
        }
        ++row;
    }
    for (const ContentKey& key : removed) {
        bury(key);
    }
    std::ranges::sort(tombstones);
    tombstones.erase(std::unique(tombstones.begin(), tombstones.end()), tombstones.end());
    return tombstones;
}

Result<void> IndexFile::makeRoom(std::uint64_t rowCount, std::uint64_t recordBytes) {
    // The first Log extent stands before the rows, so that a file cut short anywhere in its rows
    // still knows of every whole commit before the cut.
    const bool hasRoom = position_.extent + 1 == map_.logs().size() &&
                         position_.offset + recordBytes <= map_.logs()[position_.extent].sizeBytes;
    if (!hasRoom) {
        const std::uint64_t needed = sizeof(ExtentHeader) + recordBytes;
        const std::uint64_t sizeBytes = (needed + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
        BIFOCAL_CHECK(map_.append(*file_, ExtentKind::Log, std::max(sizeBytes, kLogExtentBytes)));
        position_.extent = map_.logs().size() - 1;
        position_.offset = sizeof(ExtentHeader);
    }
    while (map_.rowCapacity() < table_.rowCount() + rowCount) {
        const FileHeader& header = map_.header();
        BIFOCAL_CHECK(map_.append(
            *file_, ExtentKind::Rows, rowsExtentBytes(header.rowsPerExtent, header.strideBytes)));
    }
    return table_.mapThrough(table_.rowCount() + rowCount, map_, *file_);
}

Result<std::uint64_t> IndexFile::writeRows(std::span<const ContentKey> keys,
                                           const RowWriter& writeRow) {
    Checksum checksum;
    checksum.add(std::as_bytes(keys));
    const std::size_t strideBytes = map_.header().strideBytes;
    const std::size_t rowsPerWrite = std::max<std::size_t>(1, kWriteBytes / strideBytes);
    std::vector<std::byte> buffer;
    std::size_t done = 0;
    for (const RowPiece& piece : map_.pieces(table_.rowCount(), keys.size())) {
        BIFOCAL_CHECK(
            file_->writeAt(piece.keysOffset, std::as_bytes(keys.subspan(done, piece.rowCount))));
        std::uint64_t offset = piece.rowsOffset;
        for (std::size_t left = piece.rowCount; left > 0;) {
            const std::size_t count = std::min(left, rowsPerWrite);
            buffer.assign(count * strideBytes, std::byte{0});
            for (std::size_t index = 0; index < count; ++index) {
                writeRow(done + index, std::span(buffer).subspan(index * strideBytes, strideBytes));
            }
            checksum.add(buffer);
            BIFOCAL_CHECK(file_->writeAt(offset, buffer));
            offset += buffer.size();
            done += count;
            left -= count;
        }
    }
    return checksum.value();
}

Result<void> IndexFile::writeRecord(std::span<const std::byte> record, Durability durability) {
    const std::uint64_t offset = map_.logs()[position_.extent].offset + position_.offset;
    Result<void> outcome = file_->writeAt(offset, record);
    const bool isWritten = outcome.has_value();
    if (isWritten && durability == Durability::BeforeReturn) {
        outcome = file_->sync();
    }
    if (!outcome) {
        // After a failed sync nobody knows what the disk has; only reading it again tells.
        const bool isTakenBack = clearLogFrom(*file_, map_, position_).has_value();
        isBroken_ = isWritten || !isTakenBack;
    }
    return outcome;
}

Result<void> IndexFile::commit(std::span<const ContentKey> keys,
                               const RowWriter& writeRow,
                               std::span<const ContentKey> removed,
                               Durability durability) {
    if (isBroken_) {
        return Error{ErrorCode::Internal,
                     "an earlier write failed half way; the index must be opened again"};
    }
    if (keys.size() > UINT32_MAX - table_.rowCount()) {
        return Error{ErrorCode::ResourceExhausted, "an index holds 4,294,967,295 rows at most"};
    }
    Commit commit;
    commit.tombstones = tombstonesOf(keys, removed);
    if (keys.empty() && commit.tombstones.empty()) {
        return {};
    }
    const std::uint64_t recordBytes = commitRecordBytes(commit.tombstones.size());
    BIFOCAL_CHECK(makeRoom(keys.size(), recordBytes));
    commit.header.sequence = position_.sequence + 1;
    commit.header.firstRow = table_.rowCount();
    commit.header.rowCount = static_cast<std::uint32_t>(keys.size());
    commit.header.fileId = map_.header().fileId;
    BIFOCAL_TRY(commit.header.dataChecksum, writeRows(keys, writeRow));
    BIFOCAL_CHECK(writeRecord(makeCommitRecord(commit.header, commit.tombstones), durability));
    table_.apply(commit, map_);
    position_.offset += recordBytes;
    ++position_.sequence;
    position_.rowCount += keys.size();
    return {};
}

}  // namespace bifocal::index
