// SPDX-License-Identifier: Apache-2.0
#include "core/library/internal/migrations.h"
#include "core/library/internal/queries.h"
#include "core/library/internal/sqlite.h"
#include "core/library/library.h"
#include "tests/core/library/library_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

namespace bifocal::library {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A library as the first version made it, with a file, a failure, and all its rules.
constexpr const char* kVersion1 = R"sql(
PRAGMA journal_mode = WAL;
PRAGMA application_id = 1112098383;
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
INSERT INTO collections VALUES (3, CAST('/pictures' AS BLOB), 1700000000);
INSERT INTO files VALUES (11, 3, CAST('/pictures/holiday.jpg' AS BLOB), 5, 6, 7,
                          x'000102030405060708090a0b0c0d0e0f', 8, 9, -1);
INSERT INTO failures VALUES (3, CAST('/pictures/b.jpg' AS BLOB), 1, 2, 3, 4, 'cut off');
PRAGMA user_version = 1;
)sql";

class LibrarySchemaTest : public ::testing::Test {
protected:
    void write(const char* sql) {
        sqlite3* handle = nullptr;
        ASSERT_EQ(sqlite3_open((folder_.path() / "library.sqlite").c_str(), &handle), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(handle);
        sqlite3_close(handle);
    }

    TemporaryFolder folder_;
};

TEST_F(LibrarySchemaTest, VersionOneIsBroughtUpToDate) {
    for (const LibraryAccess access : {LibraryAccess::Read, LibraryAccess::Write}) {
        const TemporaryFolder folder;
        sqlite3* handle = nullptr;
        ASSERT_EQ(sqlite3_open((folder.path() / "library.sqlite").c_str(), &handle), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(handle, kVersion1, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(handle);

        const auto library = openOrFail(folder.path(), access);

        EXPECT_THAT(library->check()->problems, IsEmpty());
        EXPECT_EQ(*library->generation(), 0U);
        const auto files = *library->filesWithPerceptualHash(~std::uint64_t{0});
        ASSERT_THAT(files, SizeIs(1));
        EXPECT_EQ(files[0].id, FileId{11});
        EXPECT_EQ(files[0].path, "/pictures/holiday.jpg");
        EXPECT_EQ(files[0].content.bytes[15], 15);
        ASSERT_THAT(*library->filesNamed("a b", 10), IsEmpty());
        EXPECT_THAT(*library->filesNamed("holiday", 10), SizeIs(1));
        EXPECT_THAT(*library->failures(CollectionId{3}), SizeIs(1));
        EXPECT_TRUE((*library->collections())[0].lastScan);
    }
}

TEST_F(LibrarySchemaTest, AVersionFromTheFutureIsNeverWritten) {
    openOrFail(folder_.path(), LibraryAccess::Write).reset();
    write("PRAGMA user_version = 99");

    for (const LibraryAccess access : {LibraryAccess::Read, LibraryAccess::Write}) {
        const auto library = Library::open(folder_.path(), access);
        ASSERT_FALSE(library);
        EXPECT_EQ(library.error().code, ErrorCode::Unsupported);
    }
}

TEST_F(LibrarySchemaTest, AnotherProgramsDatabaseIsRefused) {
    write("CREATE TABLE notes (text TEXT); PRAGMA user_version = 1");

    const auto library = Library::open(folder_.path(), LibraryAccess::Write);

    ASSERT_FALSE(library);
    EXPECT_EQ(library.error().code, ErrorCode::Corruption);
}

TEST_F(LibrarySchemaTest, DoctorFindsALostIndex) {
    openOrFail(folder_.path(), LibraryAccess::Write).reset();
    write("DROP INDEX files_by_content");

    const auto check = openOrFail(folder_.path(), LibraryAccess::Read)->check();

    ASSERT_TRUE(check);
    EXPECT_THAT(check->problems, SizeIs(1));
}

TEST_F(LibrarySchemaTest, DoctorFindsALostCollection) {
    const auto writer = openOrFail(folder_.path(), LibraryAccess::Write);
    LibraryChange change;
    change.upserts = {fileOf(*writer->addCollection("/pictures"), "/pictures/1", 1)};
    ASSERT_TRUE(writer->apply(change));
    write("PRAGMA foreign_keys = OFF; DELETE FROM collections");

    EXPECT_THAT(writer->check()->problems, SizeIs(1));
}

/// The lines of SQLite's plan for a statement.
std::vector<std::string> planOf(Database& database, std::string_view sql) {
    std::vector<std::string> lines;
    auto statement = database.prepare("EXPLAIN QUERY PLAN " + std::string(sql));
    EXPECT_TRUE(statement) << statement.error().message;
    for (auto row = statement->step(); row && *row; row = statement->step()) {
        lines.emplace_back(statement->text(3));
    }
    return lines;
}

TEST_F(LibrarySchemaTest, NoLookUpGoesOverAWholeTable) {
    const auto database = *Database::open({}, DatabaseMode::Memory);
    ASSERT_TRUE(migrate(*database));

    for (const std::string_view sql : queries::kLookUps) {
        for (const std::string& line : planOf(*database, sql)) {
            EXPECT_EQ(line.find("SCAN"), std::string::npos) << sql << "\n" << line;
            EXPECT_EQ(line.find("TEMP B-TREE"), std::string::npos) << sql << "\n" << line;
        }
    }
    for (const std::string_view sql : queries::kListings) {
        const auto lines = planOf(*database, sql);
        ASSERT_THAT(lines, SizeIs(1)) << sql;
        EXPECT_NE(lines[0].find("INDEX"), std::string::npos) << sql << "\n" << lines[0];
    }
    for (const std::string& line : planOf(*database, queries::kCollections)) {
        const bool goesOverFiles = line.find("SCAN files") != std::string::npos ||
                                   line.find("SCAN failures") != std::string::npos;
        EXPECT_FALSE(goesOverFiles) << line;
    }
}

TEST_F(LibrarySchemaTest, AStatementIsPreparedOnceAndReset) {
    const auto database = *Database::open({}, DatabaseMode::Memory);
    ASSERT_TRUE(migrate(*database));
    for (std::int64_t turn = 0; turn < 3; ++turn) {
        auto statement = database->prepare("SELECT ?1, ?2");
        ASSERT_TRUE(statement);
        EXPECT_TRUE(*statement->bind(1, turn).step());
        EXPECT_EQ(statement->integer(0), turn);
        EXPECT_TRUE(statement->isNull(1)) << "bindings of an earlier use are gone";
    }
    EXPECT_EQ(database->prepare("SELECT nothing FROM nowhere").error().code, ErrorCode::Internal);
    auto statement = database->prepare("SELECT 1");
    EXPECT_EQ(statement->bind(9, std::int64_t{1}).step().error().code, ErrorCode::Internal);
}

}  // namespace
}  // namespace bifocal::library
