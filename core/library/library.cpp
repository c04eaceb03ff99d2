// SPDX-License-Identifier: Apache-2.0
#include "core/library/library.h"

#include "core/base/files.h"
#include "core/library/internal/migrations.h"
#include "core/library/internal/name_index.h"
#include "core/library/internal/queries.h"
#include "core/library/internal/sqlite.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <unordered_set>
#include <utility>

#include <sys/statvfs.h>

namespace bifocal {
namespace {

namespace queries = library::queries;
using library::Database;
using library::DatabaseMode;
using library::Statement;
using library::Transaction;

std::int64_t toStored(std::uint64_t value) {
    return std::bit_cast<std::int64_t>(value);
}

std::uint64_t fromStored(std::int64_t value) {
    return std::bit_cast<std::uint64_t>(value);
}

std::filesystem::path toPath(std::span<const std::uint8_t> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

ContentKey toKey(std::span<const std::uint8_t> bytes) {
    ContentKey key;
    if (bytes.size() == key.bytes.size()) {
        std::ranges::copy(bytes, key.bytes.begin());
    }
    return key;
}

FileStamp stampAt(const Statement& row, int column) {
    return {fromStored(row.integer(column)),
            row.integer(column + 1),
            fromStored(row.integer(column + 2))};
}

FileRecord toFile(const Statement& row) {
    FileRecord file;
    file.id.value = fromStored(row.integer(0));
    file.collection.value = fromStored(row.integer(1));
    file.path = toPath(row.blob(2));
    file.stamp = stampAt(row, 3);
    file.content = toKey(row.blob(6));
    file.width = static_cast<int>(row.integer(7));
    file.height = static_cast<int>(row.integer(8));
    file.perceptualHash = fromStored(row.integer(9));
    return file;
}

FailureRecord toFailure(const Statement& row) {
    FailureRecord failure;
    failure.collection.value = fromStored(row.integer(0));
    failure.path = toPath(row.blob(1));
    failure.stamp = stampAt(row, 2);
    const std::int64_t code = row.integer(5);
    const bool isKnown = code >= static_cast<int>(ErrorCode::InvalidArgument) &&
                         code <= static_cast<int>(ErrorCode::Internal);
    failure.code = isKnown ? static_cast<ErrorCode>(code) : ErrorCode::Internal;
    failure.reason = row.text(6);
    return failure;
}

CollectionRecord toCollection(const Statement& row) {
    CollectionRecord collection;
    collection.id.value = fromStored(row.integer(0));
    collection.root = toPath(row.blob(1));
    if (!row.isNull(2)) {
        collection.lastScan = std::chrono::sys_seconds(std::chrono::seconds(row.integer(2)));
    }
    collection.fileCount = fromStored(row.integer(3));
    collection.failureCount = fromStored(row.integer(4));
    return collection;
}

/// All rows of a bound statement.
template <typename Convert>
auto collect(Statement& statement, Convert convert)
    -> Result<std::vector<decltype(convert(statement))>> {
    std::vector<decltype(convert(statement))> values;
    while (true) {
        BIFOCAL_TRY(const bool hasRow, statement.step());
        if (!hasRow) {
            return values;
        }
        values.push_back(convert(statement));
    }
}

std::int64_t toNanoseconds(std::chrono::sys_seconds time) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
    return std::clamp<std::int64_t>(time.time_since_epoch().count(), -kMost, kMost) * 1'000'000'000;
}

class SqliteLibrary final : public Library {
public:
    SqliteLibrary(std::unique_ptr<Database> database, LibraryAccess access)
        : database_(std::move(database)), access_(access) {}

    Result<CollectionId> addCollection(const std::filesystem::path& root) override;
    Result<void> removeCollection(CollectionId id) override;
    Result<std::vector<CollectionRecord>> collections() const override;
    Result<void> markScanned(CollectionId id, std::chrono::sys_seconds when) override;
    Result<std::unordered_map<std::string, KnownFile>> knownFiles(CollectionId id) const override;
    Result<void> apply(const LibraryChange& change) override;
    Result<std::vector<FileRecord>> filesWithContent(const ContentKey& content) const override;
    Result<std::optional<FileRecord>> fileAt(const std::filesystem::path& path) const override;
    Result<std::vector<FileRecord>> filesWithPerceptualHash(std::uint64_t hash) const override;
    Result<std::vector<NameMatch>> filesNamed(std::string_view text,
                                              std::size_t atMost) const override;
    Result<std::vector<FileRecord>> newestFiles(std::optional<CollectionId> collection,
                                                std::size_t offset,
                                                std::size_t limit) const override;
    Result<std::vector<ContentKey>> contentsMatching(
        std::span<const CollectionId> collections,
        std::optional<std::chrono::sys_seconds> modifiedAfter,
        std::optional<std::chrono::sys_seconds> modifiedBefore) const override {
        return contentsMatching(collections, modifiedAfter, modifiedBefore, FileTest());
    }
    Result<std::vector<ContentKey>> contentsMatching(
        std::span<const CollectionId> collections,
        std::optional<std::chrono::sys_seconds> modifiedAfter,
        std::optional<std::chrono::sys_seconds> modifiedBefore,
        const FileTest& accepts) const override;
    Result<std::vector<ContentKey>> allContents() const override;
    Result<std::vector<FailureRecord>> failures(
        std::optional<CollectionId> collection) const override;
    Result<void> forgetFailures(CollectionId collection,
                                std::span<const std::filesystem::path> paths) override;
    Result<std::uint64_t> fileCount() const override;
    Result<std::uint64_t> generation() const override;
    Result<LibraryCheck> check() const override;

private:
    /// Runs `change()` in one transaction, and counts it when it says that something changed.
    template <typename Change>
    Result<void> write(const Change& change);

    Result<void> putFile(const FileRecord& file);
    Result<void> putFailure(const FailureRecord& failure);
    Result<void> removeAt(std::string_view sql,
                          CollectionId collection,
                          const std::filesystem::path& path);

    mutable std::mutex mutex_;  ///< guards database_
    std::unique_ptr<Database> database_;
    const LibraryAccess access_;
};

template <typename Change>
Result<void> SqliteLibrary::write(const Change& change) {
    if (access_ != LibraryAccess::Write) {
        return Error{ErrorCode::InvalidArgument, "the library is open for reading alone"};
    }
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Transaction transaction, Transaction::beginWriting(*database_));
    BIFOCAL_CHECK(change());
    {
        BIFOCAL_TRY(Statement count, database_->prepare(queries::kCountGeneration));
        BIFOCAL_CHECK(count.run());
    }
    return transaction.commit();
}

Error noCollection(CollectionId id) {
    return {ErrorCode::NotFound, "no collection " + std::to_string(id.value)};
}

Result<CollectionId> SqliteLibrary::addCollection(const std::filesystem::path& root) {
    if (!root.is_absolute()) {
        return Error{ErrorCode::InvalidArgument, root.string() + ": is not an absolute path"};
    }
    // One folder is one collection, by whatever name it is called.
    std::error_code code;
    std::filesystem::path canonical = std::filesystem::weakly_canonical(root, code);
    if (code) {
        canonical = root.lexically_normal();
    }
    if (!canonical.has_filename() && canonical != canonical.root_path()) {
        canonical = canonical.parent_path();
    }
    CollectionId id;
    {
        const std::lock_guard lock(mutex_);
        BIFOCAL_TRY(Statement find, database_->prepare(queries::kCollectionAt));
        BIFOCAL_TRY(const bool isThere, find.bind(1, canonical).step());
        if (isThere) {
            id.value = fromStored(find.integer(0));
            return id;
        }
    }
    const auto add = [&]() -> Result<void> {
        BIFOCAL_TRY(Statement statement, database_->prepare(queries::kAddCollection));
        BIFOCAL_CHECK(statement.bind(1, canonical).run());
        id.value = fromStored(database_->lastInsertedId());
        return {};
    };
    BIFOCAL_CHECK(write(add));
    return id;
}

Result<void> SqliteLibrary::removeCollection(CollectionId id) {
    return write([&]() -> Result<void> {
        {
            BIFOCAL_TRY(Statement names, database_->prepare(queries::kRemoveNamesOf));
            BIFOCAL_CHECK(names.bind(1, toStored(id.value)).run());
        }
        BIFOCAL_TRY(Statement remove, database_->prepare(queries::kRemoveCollection));
        BIFOCAL_CHECK(remove.bind(1, toStored(id.value)).run());
        return database_->changedRowCount() == 1 ? Result<void>() : noCollection(id);
    });
}

Result<std::vector<CollectionRecord>> SqliteLibrary::collections() const {
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Statement statement, database_->prepare(queries::kCollections));
    return collect(statement, toCollection);
}

Result<void> SqliteLibrary::markScanned(CollectionId id, std::chrono::sys_seconds when) {
    return write([&]() -> Result<void> {
        BIFOCAL_TRY(Statement mark, database_->prepare(queries::kMarkScanned));
        mark.bind(1, toStored(id.value)).bind(2, when.time_since_epoch().count());
        BIFOCAL_CHECK(mark.run());
        return database_->changedRowCount() == 1 ? Result<void>() : noCollection(id);
    });
}

Result<std::unordered_map<std::string, KnownFile>> SqliteLibrary::knownFiles(
    CollectionId id) const {
    const std::lock_guard lock(mutex_);
    // One state for both statements, so that no file is in neither or in both.
    BIFOCAL_TRY(Transaction transaction, Transaction::beginReading(*database_));
    std::unordered_map<std::string, KnownFile> known;
    {
        BIFOCAL_TRY(Statement files, database_->prepare(queries::kKnownFiles));
        files.bind(1, toStored(id.value));
        while (true) {
            BIFOCAL_TRY(const bool hasRow, files.step());
            if (!hasRow) {
                break;
            }
            const FileId file{fromStored(files.integer(0))};
            known[toPath(files.blob(1)).string()] = {
                file, stampAt(files, 2), toKey(files.blob(5)), false};
        }
        BIFOCAL_TRY(Statement failures, database_->prepare(queries::kKnownFailures));
        failures.bind(1, toStored(id.value));
        while (true) {
            BIFOCAL_TRY(const bool hasRow, failures.step());
            if (!hasRow) {
                break;
            }
            known[toPath(failures.blob(0)).string()] = {{}, stampAt(failures, 1), {}, true};
        }
    }
    BIFOCAL_CHECK(transaction.commit());
    return known;
}

Result<void> SqliteLibrary::removeAt(std::string_view sql,
                                     CollectionId collection,
                                     const std::filesystem::path& path) {
    BIFOCAL_TRY(Statement remove, database_->prepare(sql));
    return remove.bind(1, toStored(collection.value)).bind(2, path).run();
}

Result<void> SqliteLibrary::putFile(const FileRecord& file) {
    BIFOCAL_TRY(Statement put, database_->prepare(queries::kPutFile));
    put.bind(1, toStored(file.collection.value))
        .bind(2, file.path)
        .bind(3, toStored(file.stamp.sizeBytes))
        .bind(4, file.stamp.modifiedNanoseconds)
        .bind(5, toStored(file.stamp.inode))
        .bind(6, std::span<const std::uint8_t>(file.content.bytes))
        .bind(7, std::int64_t{file.width})
        .bind(8, std::int64_t{file.height})
        .bind(9, toStored(file.perceptualHash));
    BIFOCAL_CHECK(put.run());
    BIFOCAL_CHECK(library::putName(*database_, file));
    return removeAt(queries::kRemoveFailureAt, file.collection, file.path);
}

Result<void> SqliteLibrary::putFailure(const FailureRecord& failure) {
    BIFOCAL_TRY(Statement put, database_->prepare(queries::kPutFailure));
    put.bind(1, toStored(failure.collection.value))
        .bind(2, failure.path)
        .bind(3, toStored(failure.stamp.sizeBytes))
        .bind(4, failure.stamp.modifiedNanoseconds)
        .bind(5, toStored(failure.stamp.inode))
        .bind(6, static_cast<std::int64_t>(failure.code))
        .bind(7, std::string_view(failure.reason));
    BIFOCAL_CHECK(put.run());
    BIFOCAL_CHECK(removeAt(queries::kRemoveNameAt, failure.collection, failure.path));
    return removeAt(queries::kRemoveFileAt, failure.collection, failure.path);
}

Result<void> SqliteLibrary::apply(const LibraryChange& change) {
    const bool isEmpty = change.upserts.empty() && change.failures.empty() &&
                         change.removals.empty() && change.failureRemovals.empty();
    if (isEmpty) {
        return {};
    }
    return write([&]() -> Result<void> {
        // Removals first: a file that took the place of a removed one is among the upserts.
        for (const FileId id : change.removals) {
            BIFOCAL_TRY(Statement name, database_->prepare(queries::kRemoveName));
            BIFOCAL_CHECK(name.bind(1, toStored(id.value)).run());
            BIFOCAL_TRY(Statement remove, database_->prepare(queries::kRemoveFile));
            BIFOCAL_CHECK(remove.bind(1, toStored(id.value)).run());
        }
        for (const std::filesystem::path& path : change.failureRemovals) {
            BIFOCAL_CHECK(removeAt(queries::kRemoveFailureAt, change.collection, path));
        }
        for (const FileRecord& file : change.upserts) {
            BIFOCAL_CHECK(putFile(file));
        }
        for (const FailureRecord& failure : change.failures) {
            BIFOCAL_CHECK(putFailure(failure));
        }
        return {};
    });
}

Result<std::vector<FileRecord>> SqliteLibrary::filesWithContent(const ContentKey& content) const {
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Statement statement, database_->prepare(queries::kFilesWithContent));
    statement.bind(1, std::span<const std::uint8_t>(content.bytes));
    return collect(statement, toFile);
}

Result<std::optional<FileRecord>> SqliteLibrary::fileAt(const std::filesystem::path& path) const {
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Statement statement, database_->prepare(queries::kFileAt));
    BIFOCAL_TRY(const bool isThere, statement.bind(1, path).step());
    return isThere ? std::optional(toFile(statement)) : std::nullopt;
}

Result<std::vector<FileRecord>> SqliteLibrary::filesWithPerceptualHash(std::uint64_t hash) const {
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Statement statement, database_->prepare(queries::kFilesWithHash));
    statement.bind(1, toStored(hash));
    return collect(statement, toFile);
}

Result<std::vector<NameMatch>> SqliteLibrary::filesNamed(std::string_view text,
                                                         std::size_t atMost) const {
    const std::lock_guard lock(mutex_);
    return library::filesNamed(*database_, text, atMost);
}

Result<std::vector<FileRecord>> SqliteLibrary::newestFiles(std::optional<CollectionId> collection,
                                                           std::size_t offset,
                                                           std::size_t limit) const {
    constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Statement statement,
                database_->prepare(collection ? queries::kNewestFilesOf : queries::kNewestFiles));
    statement.bind(1, toStored(std::min(limit, kMost))).bind(2, toStored(std::min(offset, kMost)));
    if (collection) {
        statement.bind(3, toStored(collection->value));
    }
    return collect(statement, toFile);
}

Result<std::vector<ContentKey>> SqliteLibrary::contentsMatching(
    std::span<const CollectionId> collections,
    std::optional<std::chrono::sys_seconds> modifiedAfter,
    std::optional<std::chrono::sys_seconds> modifiedBefore,
    const FileTest& accepts) const {
    using Limits = std::numeric_limits<std::int64_t>;
    const std::int64_t first = modifiedAfter ? toNanoseconds(*modifiedAfter) : Limits::min();
    const std::int64_t end = modifiedBefore ? toNanoseconds(*modifiedBefore) : Limits::max();
    std::unordered_set<ContentKey> contents;
    const auto add = [&](Statement& statement) -> Result<void> {
        while (true) {
            BIFOCAL_TRY(const bool hasRow, statement.step());
            if (!hasRow) {
                return {};
            }
            if (!accepts || accepts(toPath(statement.blob(1)), fromStored(statement.integer(2)))) {
                contents.insert(toKey(statement.blob(0)));
            }
        }
    };
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Transaction transaction, Transaction::beginReading(*database_));
    if (collections.empty()) {
        BIFOCAL_TRY(Statement statement, database_->prepare(queries::kContentsByTime));
        BIFOCAL_CHECK(add(statement.bind(1, first).bind(2, end)));
    }
    for (const CollectionId collection : collections) {
        BIFOCAL_TRY(Statement statement, database_->prepare(queries::kContentsOf));
        statement.bind(1, toStored(collection.value)).bind(2, first).bind(3, end);
        BIFOCAL_CHECK(add(statement));
    }
    BIFOCAL_CHECK(transaction.commit());
    std::vector<ContentKey> sorted(contents.begin(), contents.end());
    std::ranges::sort(sorted);
    return sorted;
}

Result<std::vector<ContentKey>> SqliteLibrary::allContents() const {
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Statement statement, database_->prepare(queries::kAllContents));
    return collect(statement, [](const Statement& row) { return toKey(row.blob(0)); });
}

Result<std::vector<FailureRecord>> SqliteLibrary::failures(
    std::optional<CollectionId> collection) const {
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(Statement statement,
                database_->prepare(collection ? queries::kFailuresOf : queries::kFailures));
    if (collection) {
        statement.bind(1, toStored(collection->value));
    }
    return collect(statement, toFailure);
}

Result<void> SqliteLibrary::forgetFailures(CollectionId collection,
                                           std::span<const std::filesystem::path> paths) {
    return write([&]() -> Result<void> {
        if (paths.empty()) {
            BIFOCAL_TRY(Statement remove, database_->prepare(queries::kRemoveFailuresOf));
            return remove.bind(1, toStored(collection.value)).run();
        }
        for (const std::filesystem::path& path : paths) {
            BIFOCAL_CHECK(removeAt(queries::kRemoveFailureAt, collection, path));
        }
        return {};
    });
}

Result<std::uint64_t> SqliteLibrary::fileCount() const {
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(const std::int64_t count, database_->integer(queries::kFileCount));
    return fromStored(count);
}

Result<std::uint64_t> SqliteLibrary::generation() const {
    const std::lock_guard lock(mutex_);
    BIFOCAL_TRY(const std::int64_t generation, database_->integer(queries::kGeneration));
    return fromStored(generation);
}

Result<LibraryCheck> SqliteLibrary::check() const {
    const std::lock_guard lock(mutex_);
    LibraryCheck check;
    const auto findProblems = [&]() -> Result<void> {
        {
            BIFOCAL_TRY(Statement pages, database_->prepare("PRAGMA integrity_check"));
            BIFOCAL_TRY(auto lines, collect(pages, [](const Statement& row) {
                            return std::string(row.text(0));
                        }));
            std::erase(lines, "ok");
            check.problems = std::move(lines);
        }
        BIFOCAL_TRY(Statement keys, database_->prepare("PRAGMA foreign_key_check"));
        BIFOCAL_TRY(const auto broken, collect(keys, [](const Statement& row) {
                        return "a row of " + std::string(row.text(0)) + " belongs to no " +
                               std::string(row.text(2));
                    }));
        check.problems.insert(check.problems.end(), broken.begin(), broken.end());
        BIFOCAL_TRY(const auto schema, library::schemaProblems(*database_));
        check.problems.insert(check.problems.end(), schema.begin(), schema.end());
        return {};
    };
    const Result<void> outcome = findProblems();
    if (!outcome && outcome.error().code != ErrorCode::Corruption) {
        return outcome.error();
    }
    if (!outcome) {
        check.problems.push_back(outcome.error().message);
    }
    return check;
}

bool isOnReadOnlyMedia(const std::filesystem::path& directory) {
    struct statvfs status {};
    return ::statvfs(directory.c_str(), &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
}

/// Without locks and log, which read-only media cannot have.
Result<std::unique_ptr<Database>> openImmutable(const std::filesystem::path& file) {
    std::error_code code;
    const std::filesystem::path log = file.string() + "-wal";
    if (std::filesystem::exists(log, code) && std::filesystem::file_size(log, code) > 0) {
        return Error{ErrorCode::Unsupported,
                     file.string() + ": on read-only media, with a log that was never finished"};
    }
    if (!std::filesystem::exists(file, code)) {
        return Error{ErrorCode::NotFound, file.string() + ": no library, and none can be made"};
    }
    BIFOCAL_TRY(auto database, Database::open(file, DatabaseMode::Immutable));
    BIFOCAL_TRY(const std::int64_t version, library::schemaVersion(*database));
    if (version != library::kSchemaVersion) {
        return Error{ErrorCode::Unsupported,
                     file.string() + ": version " + std::to_string(version) +
                         " on read-only media cannot be brought up to date"};
    }
    return database;
}

}  // namespace

Result<std::unique_ptr<Library>> Library::open(const std::filesystem::path& directory,
                                               LibraryAccess access) {
    const std::filesystem::path file = directory / "library.sqlite";
    if (access == LibraryAccess::Read && isOnReadOnlyMedia(directory)) {
        BIFOCAL_TRY(auto immutable, openImmutable(file));
        return std::unique_ptr<Library>(
            std::make_unique<SqliteLibrary>(std::move(immutable), access));
    }
    BIFOCAL_CHECK(makeDirectories(directory));
    BIFOCAL_TRY(
        auto database,
        Database::open(file,
                       access == LibraryAccess::Write ? DatabaseMode::Write : DatabaseMode::Read));
    const Result<void> migrated = library::migrate(*database);
    if (!migrated) {
        return migrated.error().withContext(file.string());
    }
    if (access == LibraryAccess::Read) {
        BIFOCAL_CHECK(database->execute("PRAGMA query_only = ON"));
    }
    return std::unique_ptr<Library>(std::make_unique<SqliteLibrary>(std::move(database), access));
}

std::filesystem::path libraryLockFile(const std::filesystem::path& directory) {
    return directory / "lock";
}

std::filesystem::path libraryVectorFile(const std::filesystem::path& directory,
                                        const std::string& packId) {
    // A pack's id becomes a name, never a path.
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string name;
    for (const char byte : packId) {
        const bool isPlain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                             (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' ||
                             (byte == '.' && !name.empty());
        if (isPlain) {
            name += byte;
        } else {
            const auto value = static_cast<unsigned char>(byte);
            name += {'%', kDigits[value >> 4U], kDigits[value & 0xFU]};
        }
    }
    return directory / "vectors" / (name + ".bfv");
}

std::vector<std::filesystem::path> libraryVectorFiles(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    std::error_code code;  // without the folder there are none
    for (std::filesystem::directory_iterator entry(directory / "vectors", code), end;
         !code && entry != end;
         entry.increment(code)) {
        if (entry->path().extension() == ".bfv") {
            files.push_back(entry->path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace bifocal
