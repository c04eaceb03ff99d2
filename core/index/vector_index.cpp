// SPDX-License-Identifier: Apache-2.0
#include "core/index/vector_index.h"

#include "core/base/files.h"
#include "core/index/internal/index_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace bifocal {
namespace {

using index::Durability;
using index::FileIdentity;
using index::IndexFile;
using index::OpenMode;
using index::StorageFile;

/// At the opening, so much of the newest data is read again: every commit of a small library, and
/// of a large one far more than a crash can have touched.
constexpr index::ReadOptions kOpening{.checkedBytes = 16U << 20U, .looksBehindEnd = true};
constexpr index::ReadOptions kFollowing{};
constexpr index::ReadOptions kEverything{.checkedBytes = UINT64_MAX, .looksBehindEnd = true};

/// A file is rewritten when more than half of its rows are dead, unless that saves nothing.
constexpr std::uint64_t kLeastDeadRows = 256;

Result<void> checkSpec(const IndexSpec& spec) {
    const bool isUsable = !spec.packId.empty() && spec.packId.size() <= index::kMaxPackIdBytes &&
                          spec.dim > 0 && spec.strideBytes % 64 == 0 &&
                          spec.strideBytes / 2 >= spec.dim &&
                          spec.strideBytes <= index::kMaxStrideBytes;
    if (!isUsable) {
        return Error{ErrorCode::InvalidArgument,
                     "no index can be made for pack '" + spec.packId + "' with rows of " +
                         std::to_string(spec.dim) + " numbers in " +
                         std::to_string(spec.strideBytes) + " bytes"};
    }
    return {};
}

Result<std::unique_ptr<IndexFile>> openFile(const std::filesystem::path& path,
                                            const IndexSpec& spec,
                                            OpenMode mode) {
    BIFOCAL_TRY(auto storage, index::openStorageFile(path, mode));
    BIFOCAL_TRY(auto file, IndexFile::open(std::move(storage)));
    const IndexSpec found = index::specOf(file->header());
    if (found.packId != spec.packId || found.dim != spec.dim ||
        found.strideBytes != spec.strideBytes) {
        return Error{ErrorCode::InvalidArgument,
                     "made for pack '" + found.packId + "' (" + std::to_string(found.dim) +
                         " numbers in " + std::to_string(found.strideBytes) + " bytes), wanted '" +
                         spec.packId + "' (" + std::to_string(spec.dim) + " in " +
                         std::to_string(spec.strideBytes) + ")"};
    }
    BIFOCAL_CHECK(file->takeUp(kOpening));
    return file;
}

/// Copies the live rows into a new file and puts it in the old one's place.
Result<void> rewrite(const std::filesystem::path& path, const IndexFile& old) {
    const std::filesystem::path temporary = path.string() + ".compact";
    BIFOCAL_TRY(auto storage, index::openStorageFile(temporary, OpenMode::CreateEmpty));
    const std::uint32_t perExtent = old.header().rowsPerExtent;
    BIFOCAL_CHECK(
        storage->writeAt(0, IndexFile::emptyFile(index::specOf(old.header()), perExtent)));
    BIFOCAL_TRY(auto fresh, IndexFile::open(std::move(storage)));
    std::vector<ContentKey> keys;
    std::vector<std::uint32_t> rows;
    const auto flush = [&]() -> Result<void> {
        const auto copyRow = [&](std::size_t at, std::span<std::byte> out) {
            std::ranges::copy(old.table().bytesOf(rows[at]), out.begin());
        };
        BIFOCAL_CHECK(fresh->commit(keys, copyRow, {}, Durability::Later));
        keys.clear();
        rows.clear();
        return {};
    };
    for (std::uint32_t row = 0; row < old.table().rowCount(); ++row) {
        if (old.table().isLive(row)) {
            rows.push_back(row);
            keys.push_back(old.table().keyOf(row));
        }
        if (rows.size() == perExtent) {
            BIFOCAL_CHECK(flush());
        }
    }
    BIFOCAL_CHECK(flush());
    BIFOCAL_CHECK(fresh->sync());
    return index::renameDurably(temporary, path);
}

class FileVectorIndex final : public VectorIndex {
public:
    FileVectorIndex(std::filesystem::path path,
                    IndexSpec spec,
                    IndexAccess access,
                    std::unique_ptr<IndexFile> file)
        : path_(std::move(path)), spec_(std::move(spec)), access_(access) {
        take(std::move(file));
    }

    Result<void> append(std::span<const ContentKey> keys, std::span<const float> rows) override;
    Result<void> remove(std::span<const ContentKey> keys) override;
    Result<void> refresh() override;

    std::shared_ptr<const IndexSnapshot> snapshot() const override {
        const std::lock_guard lock(snapshotMutex_);
        return snapshot_;
    }

private:
    Result<void> commit(std::span<const ContentKey> keys,
                        const index::RowWriter& writeRow,
                        std::span<const ContentKey> removed);
    Result<void> followFile();
    void take(std::unique_ptr<IndexFile> file);
    void publish();

    const std::filesystem::path path_;
    const IndexSpec spec_;
    const IndexAccess access_;

    std::mutex fileMutex_;             ///< guards the four below
    std::unique_ptr<IndexFile> file_;  ///< none while the file is not there
    FileIdentity identity_;
    std::uint64_t publishedSequence_ = 0;
    std::uint64_t generationBase_ = 0;  ///< so that generations grow when another file comes

    mutable std::mutex snapshotMutex_;  ///< guards snapshot_; held for a pointer's copy alone
    std::shared_ptr<const IndexSnapshot> snapshot_;
};

void FileVectorIndex::take(std::unique_ptr<IndexFile> file) {
    if (snapshot_ != nullptr) {
        generationBase_ = snapshot_->generation() + 1;
    }
    file_ = std::move(file);
    identity_ = {};
    if (file_ != nullptr) {
        if (const Result<FileIdentity> identity = file_->identity()) {
            identity_ = *identity;
        }
    }
    publish();
}

void FileVectorIndex::publish() {
    std::shared_ptr<const IndexSnapshot> fresh;
    if (file_ == nullptr) {
        publishedSequence_ = 0;
        fresh = index::makeEmptySnapshot(spec_, generationBase_);
    } else {
        publishedSequence_ = file_->sequence();
        fresh = file_->publish(generationBase_ + publishedSequence_);
    }
    const std::lock_guard lock(snapshotMutex_);
    std::swap(snapshot_, fresh);  // the old one dies after the lock
}

Result<void> FileVectorIndex::commit(std::span<const ContentKey> keys,
                                     const index::RowWriter& writeRow,
                                     std::span<const ContentKey> removed) {
    if (access_ != IndexAccess::Write) {
        return Error{ErrorCode::InvalidArgument, path_.string() + ": open for reading alone"};
    }
    const std::lock_guard lock(fileMutex_);
    const auto outcome = file_->commit(keys, writeRow, removed, Durability::BeforeReturn);
    if (!outcome) {
        return outcome.error().withContext(path_.string());
    }
    if (publishedSequence_ != file_->sequence()) {
        publish();
    }
    return {};
}

Result<void> FileVectorIndex::append(std::span<const ContentKey> keys,
                                     std::span<const float> rows) {
    if (rows.size() / spec_.dim != keys.size() || rows.size() % spec_.dim != 0) {
        return Error{ErrorCode::InvalidArgument,
                     std::to_string(rows.size()) + " numbers for " + std::to_string(keys.size()) +
                         " rows of " + std::to_string(spec_.dim)};
    }
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (!std::isfinite(toFloat(toHalf(rows[at])))) {
            return Error{ErrorCode::InvalidArgument,
                         "number " + std::to_string(at % spec_.dim) + " of row " +
                             std::to_string(at / spec_.dim) + " is not finite in 16 bits"};
        }
    }
    const auto writeRow = [&](std::size_t row, std::span<std::byte> out) {
        for (std::size_t at = 0; at < spec_.dim; ++at) {
            const Half half = toHalf(rows[row * spec_.dim + at]);
            std::memcpy(out.data() + at * sizeof(half), &half, sizeof(half));
        }
    };
    return commit(keys, writeRow, {});
}

Result<void> FileVectorIndex::remove(std::span<const ContentKey> keys) {
    return commit({}, {}, keys);
}

Result<void> FileVectorIndex::refresh() {
    if (access_ == IndexAccess::Write) {
        return {};  // nobody else writes
    }
    const std::lock_guard lock(fileMutex_);
    const Result<void> outcome = followFile();
    return outcome ? outcome : outcome.error().withContext(path_.string());
}

Result<void> FileVectorIndex::followFile() {
    const Result<FileIdentity> now = index::identityOf(path_);
    if (!now && now.error().code != ErrorCode::NotFound) {
        return now.error();
    }
    if (!now) {
        if (file_ != nullptr) {
            take(nullptr);
        }
        return {};
    }
    if (file_ == nullptr || identity_ != *now) {
        BIFOCAL_TRY(auto file, openFile(path_, spec_, OpenMode::Read));
        take(std::move(file));
        return {};
    }
    BIFOCAL_CHECK(file_->takeUp(kFollowing));
    if (publishedSequence_ != file_->sequence()) {
        publish();
    }
    return {};
}

Result<std::unique_ptr<IndexFile>> openForWriting(const std::filesystem::path& path,
                                                  const IndexSpec& spec) {
    std::error_code ignored;
    std::filesystem::remove(path.string() + ".compact", ignored);  // of a crash while rewriting
    if (const auto there = index::identityOf(path);
        !there && there.error().code == ErrorCode::NotFound) {
        if (path.has_parent_path()) {
            BIFOCAL_CHECK(makeDirectories(path.parent_path()));
        }
        const std::filesystem::path temporary = path.string() + ".new";
        BIFOCAL_TRY(auto storage, index::openStorageFile(temporary, OpenMode::CreateEmpty));
        BIFOCAL_CHECK(storage->writeAt(0, IndexFile::emptyFile(spec, index::kRowsPerExtent)));
        BIFOCAL_CHECK(storage->sync());
        BIFOCAL_CHECK(index::renameDurably(temporary, path));
    }
    BIFOCAL_TRY(auto file, openFile(path, spec, OpenMode::Write));
    BIFOCAL_CHECK(file->repairTail());
    const std::uint64_t live = file->table().liveCount();
    const std::uint64_t dead = file->table().rowCount() - live;
    if (dead > live && dead >= kLeastDeadRows) {
        if (rewrite(path, *file)) {
            return openFile(path, spec, OpenMode::Write);
        }
        // The old file is as good as before: a full disk is no reason to refuse it.
        std::filesystem::remove(path.string() + ".compact", ignored);
    }
    return file;
}

}  // namespace

Result<std::unique_ptr<VectorIndex>> VectorIndex::open(const std::filesystem::path& file,
                                                       const IndexSpec& spec,
                                                       IndexAccess access) {
    BIFOCAL_CHECK(checkSpec(spec));
    Result<std::unique_ptr<IndexFile>> opened = access == IndexAccess::Write
                                                    ? openForWriting(file, spec)
                                                    : openFile(file, spec, OpenMode::Read);
    const bool isAbsent = !opened && opened.error().code == ErrorCode::NotFound;
    if (!opened && !(isAbsent && access == IndexAccess::Read)) {
        return opened.error().withContext(file.string());
    }
    return std::unique_ptr<VectorIndex>(std::make_unique<FileVectorIndex>(
        file, spec, access, isAbsent ? nullptr : *std::move(opened)));
}

Result<IndexCheck> VectorIndex::check(const std::filesystem::path& file) {
    BIFOCAL_TRY(auto storage, index::openStorageFile(file, OpenMode::Read));
    IndexCheck check;
    Result<std::unique_ptr<IndexFile>> opened = IndexFile::open(std::move(storage));
    Result<void> outcome = opened ? (*opened)->takeUp(kEverything) : Result<void>(opened.error());
    if (!outcome && outcome.error().code != ErrorCode::Corruption &&
        outcome.error().code != ErrorCode::Unsupported) {
        return outcome.error().withContext(file.string());
    }
    if (!outcome) {
        check.problems.push_back(file.string() + ": " + outcome.error().message);
        check.isDamaged = outcome.error().code == ErrorCode::Corruption;
        return check;
    }
    check.rowCount = (*opened)->table().rowCount();
    check.liveCount = (*opened)->table().liveCount();
    if (const std::optional<std::uint64_t> lost = (*opened)->lostSequence()) {
        check.problems.push_back(file.string() + ": the rows of the last commit, number " +
                                 std::to_string(*lost) +
                                 ", are not what was written; opening for writing drops it");
    }
    return check;
}

}  // namespace bifocal
