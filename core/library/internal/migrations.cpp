// SPDX-License-Identifier: Apache-2.0
#include "core/library/internal/migrations.h"

#include "core/library/internal/name_index.h"

#include <array>
#include <map>
#include <string>
#include <utility>

namespace bifocal::library {
namespace {

/// "BIFO": tells a library from other people's databases.
constexpr std::int64_t kApplicationId = 0x4249464F;

// Paths are blobs: they are bytes, whatever a locale makes of them. 64-bit hashes and inodes are
// kept as the signed number with the same bits. Times are nanoseconds since 1970 in files, seconds
// in collections.
constexpr const char* kStep1 = R"sql(
PRAGMA application_id = 0x4249464F;
CREATE TABLE collections (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    root      BLOB NOT NULL UNIQUE,
    last_scan INTEGER
) STRICT;
CREATE TABLE files (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    collection      INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    path            BLOB NOT NULL,
    size            INTEGER NOT NULL,
    modified        INTEGER NOT NULL,
    inode           INTEGER NOT NULL,
    content         BLOB NOT NULL CHECK (length(content) = 16),
    width           INTEGER NOT NULL,
    height          INTEGER NOT NULL,
    perceptual_hash INTEGER NOT NULL,
    UNIQUE (collection, path)
) STRICT;
CREATE INDEX files_by_path ON files (path);
CREATE INDEX files_by_content ON files (content);
CREATE TABLE failures (
    collection INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    path       BLOB NOT NULL,
    size       INTEGER NOT NULL,
    modified   INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    code       INTEGER NOT NULL,
    reason     TEXT NOT NULL,
    PRIMARY KEY (collection, path)
) STRICT, WITHOUT ROWID;
)sql";

// Look-ups by appearance and by time; a counter that every commit moves.
constexpr const char* kStep2 = R"sql(
CREATE INDEX files_by_hash ON files (perceptual_hash) WHERE perceptual_hash <> 0;
CREATE INDEX files_by_time ON files (modified);
CREATE INDEX files_by_collection_and_time ON files (collection, modified);
CREATE TABLE state (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL
) STRICT;
INSERT INTO state (id, generation) VALUES (1, 0);
)sql";

// The words of names, as nameWords() gives them, with blanks between; the number of a row is that
// of its file. Stems and diacritics are FTS5's business. No trigger
// removes a row: virtual tables are out of its reach under trusted_schema = OFF.
constexpr const char* kStep3 = R"sql(
CREATE VIRTUAL TABLE file_names USING fts5 (
    name, folders, tokenize = 'porter unicode61 remove_diacritics 2');
)sql";

struct Step {
    const char* sql;
    Result<void> (*fill)(Database&);  ///< null: the statements are all of it
};
constexpr std::array<Step, kSchemaVersion> kSteps{
    {{kStep1, nullptr}, {kStep2, nullptr}, {kStep3, putAllNames}}};

Result<std::map<std::string, std::string>> schemaOf(Database& database) {
    std::map<std::string, std::string> schema;
    BIFOCAL_TRY(Statement statement,
                database.prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema "
                                 "WHERE name NOT LIKE 'sqlite_stat%'"));
    while (true) {
        BIFOCAL_TRY(const bool hasRow, statement.step());
        if (!hasRow) {
            return schema;
        }
        schema.emplace(statement.text(0), statement.text(1));
    }
}

}  // namespace

Result<std::int64_t> schemaVersion(Database& database) {
    BIFOCAL_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
    if (version > kSchemaVersion) {
        return Error{ErrorCode::Unsupported,
                     "the library has version " + std::to_string(version) +
                         ", this build knows versions up to " + std::to_string(kSchemaVersion)};
    }
    BIFOCAL_TRY(const std::int64_t application, database.integer("PRAGMA application_id"));
    BIFOCAL_TRY(const std::int64_t parts, database.integer("SELECT count(*) FROM sqlite_schema"));
    const bool isNew = version == 0 && application == 0 && parts == 0;
    if (!isNew && (application != kApplicationId || version <= 0)) {
        return Error{ErrorCode::Corruption, "the database is not a library"};
    }
    return version;
}

Result<void> migrate(Database& database) {
    BIFOCAL_TRY(std::int64_t version, schemaVersion(database));
    if (version == kSchemaVersion) {
        return {};
    }
    BIFOCAL_TRY(Transaction transaction, Transaction::beginWriting(database));
    BIFOCAL_TRY(version, schemaVersion(database));  // another process may have been faster
    for (auto step = static_cast<std::size_t>(version); step < kSteps.size(); ++step) {
        BIFOCAL_CHECK(database.execute(kSteps[step].sql));
        if (kSteps[step].fill != nullptr) {
            BIFOCAL_CHECK(kSteps[step].fill(database));
        }
    }
    const std::string setVersion = "PRAGMA user_version = " + std::to_string(kSchemaVersion);
    BIFOCAL_CHECK(database.execute(setVersion.c_str()));
    return transaction.commit();
}

Result<std::vector<std::string>> schemaProblems(Database& database) {
    BIFOCAL_TRY(const auto fresh, Database::open({}, DatabaseMode::Memory));
    BIFOCAL_CHECK(migrate(*fresh));
    BIFOCAL_TRY(const auto expected, schemaOf(*fresh));
    BIFOCAL_TRY(const auto found, schemaOf(database));
    std::vector<std::string> problems;
    for (const auto& [name, sql] : expected) {
        const auto entry = found.find(name);
        if (entry == found.end()) {
            problems.push_back("schema: " + name + " is missing");
        } else if (entry->second != sql) {
            problems.push_back("schema: " + name + " is not as this version makes it");
        }
    }
    return problems;
}

}  // namespace bifocal::library
