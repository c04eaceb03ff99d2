// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Every statement of the library, where a test can ask SQLite how it will run them.
namespace bifocal::library::queries {

#define BIFOCAL_FILE_COLUMNS \
    "id, collection, path, size, modified, inode, content, width, height, perceptual_hash"
#define BIFOCAL_FAILURE_COLUMNS "collection, path, size, modified, inode, code, reason"

inline constexpr std::string_view kFilesWithContent =
    "SELECT " BIFOCAL_FILE_COLUMNS " FROM files WHERE content = ?1 ORDER BY id";
inline constexpr std::string_view kFileAt =
    "SELECT " BIFOCAL_FILE_COLUMNS " FROM files WHERE path = ?1 ORDER BY id LIMIT 1";
inline constexpr std::string_view kFilesWithHash =
    "SELECT " BIFOCAL_FILE_COLUMNS
    " FROM files WHERE perceptual_hash = ?1 AND perceptual_hash <> 0 ORDER BY id";
// The words are few or the rows are not read: counted first, up to a limit.
inline constexpr std::string_view kCountNamed =
    "SELECT count(*) FROM (SELECT 1 FROM file_names WHERE file_names MATCH ?1 LIMIT ?2)";
inline constexpr std::string_view kFilesNamed =
    "SELECT files.id, files.content, file_names.name FROM file_names"
    " CROSS JOIN files ON files.id = file_names.rowid WHERE file_names MATCH ?1";
inline constexpr std::string_view kFilesNamedThemselves =
    "SELECT rowid FROM file_names WHERE file_names MATCH ?1";
inline constexpr std::string_view kAllPaths =
    "SELECT files.id, files.path, collections.root FROM files"
    " JOIN collections ON collections.id = files.collection";
inline constexpr std::string_view kNewestFiles =
    "SELECT " BIFOCAL_FILE_COLUMNS " FROM files ORDER BY modified DESC, id DESC LIMIT ?1 OFFSET ?2";
inline constexpr std::string_view kNewestFilesOf =
    "SELECT " BIFOCAL_FILE_COLUMNS
    " FROM files WHERE collection = ?3 ORDER BY modified DESC, id DESC LIMIT ?1 OFFSET ?2";
inline constexpr std::string_view kKnownFiles =
    "SELECT id, path, size, modified, inode, content FROM files WHERE collection = ?1";
inline constexpr std::string_view kKnownFailures =
    "SELECT path, size, modified, inode FROM failures WHERE collection = ?1";
inline constexpr std::string_view kContentsOf =
    "SELECT content, path, size FROM files WHERE collection = ?1 AND modified >= ?2 AND modified < ?3";
inline constexpr std::string_view kContentsByTime =
    "SELECT content, path, size FROM files WHERE modified >= ?1 AND modified < ?2";
inline constexpr std::string_view kAllContents =
    "SELECT DISTINCT content FROM files ORDER BY content";
inline constexpr std::string_view kFailures =
    "SELECT " BIFOCAL_FAILURE_COLUMNS " FROM failures ORDER BY collection, path";
inline constexpr std::string_view kFailuresOf =
    "SELECT " BIFOCAL_FAILURE_COLUMNS " FROM failures WHERE collection = ?1 ORDER BY path";
inline constexpr std::string_view kCollections =
    "SELECT id, root, last_scan,"
    " (SELECT count(*) FROM files WHERE files.collection = collections.id),"
    " (SELECT count(*) FROM failures WHERE failures.collection = collections.id)"
    " FROM collections ORDER BY id";
inline constexpr std::string_view kCollectionAt = "SELECT id FROM collections WHERE root = ?1";
inline constexpr std::string_view kFileCount = "SELECT count(*) FROM files";
inline constexpr std::string_view kGeneration = "SELECT generation FROM state WHERE id = 1";

inline constexpr std::string_view kAddCollection = "INSERT INTO collections (root) VALUES (?1)";
inline constexpr std::string_view kRemoveCollection = "DELETE FROM collections WHERE id = ?1";
inline constexpr std::string_view kMarkScanned =
    "UPDATE collections SET last_scan = ?2 WHERE id = ?1";
inline constexpr std::string_view kPutFile =
    "INSERT INTO files (collection, path, size, modified, inode, content, width, height,"
    " perceptual_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    " ON CONFLICT (collection, path) DO UPDATE SET size = ?3, modified = ?4, inode = ?5,"
    " content = ?6, width = ?7, height = ?8, perceptual_hash = ?9";
inline constexpr std::string_view kRootOf = "SELECT root FROM collections WHERE id = ?1";
inline constexpr std::string_view kPutName =
    "INSERT INTO file_names (rowid, name, folders) SELECT id, ?3, ?4 FROM files"
    " WHERE collection = ?1 AND path = ?2"
    " AND NOT EXISTS (SELECT 1 FROM file_names WHERE rowid = files.id)";
inline constexpr std::string_view kPutNameOf =
    "INSERT INTO file_names (rowid, name, folders) VALUES (?1, ?2, ?3)";
inline constexpr std::string_view kPutFailure =
    "INSERT INTO failures (" BIFOCAL_FAILURE_COLUMNS
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    " ON CONFLICT (collection, path) DO UPDATE SET size = ?3, modified = ?4, inode = ?5,"
    " code = ?6, reason = ?7";
inline constexpr std::string_view kRemoveFile = "DELETE FROM files WHERE id = ?1";
inline constexpr std::string_view kRemoveFileAt =
    "DELETE FROM files WHERE collection = ?1 AND path = ?2";
inline constexpr std::string_view kRemoveName = "DELETE FROM file_names WHERE rowid = ?1";
inline constexpr std::string_view kRemoveNameAt =
    "DELETE FROM file_names WHERE rowid IN"
    " (SELECT id FROM files WHERE collection = ?1 AND path = ?2)";
inline constexpr std::string_view kRemoveNamesOf =
    "DELETE FROM file_names WHERE rowid IN (SELECT id FROM files WHERE collection = ?1)";
inline constexpr std::string_view kRemoveFailureAt =
    "DELETE FROM failures WHERE collection = ?1 AND path = ?2";
inline constexpr std::string_view kRemoveFailuresOf = "DELETE FROM failures WHERE collection = ?1";
inline constexpr std::string_view kCountGeneration =
    "UPDATE state SET generation = generation + 1 WHERE id = 1";

#undef BIFOCAL_FILE_COLUMNS
#undef BIFOCAL_FAILURE_COLUMNS

/// Those that must never go over a whole table; kept by the test of the query plans.
inline constexpr std::string_view kLookUps[] = {
    kFilesWithContent, kFileAt,      kFilesWithHash,    kNewestFilesOf,    kKnownFiles,
    kKnownFailures,    kContentsOf,  kContentsByTime,   kFailuresOf,       kCollectionAt,
    kGeneration,       kPutFile,     kPutFailure,       kRemoveFile,       kRemoveFileAt,
    kRemoveFailureAt,  kMarkScanned, kRemoveCollection, kRemoveFailuresOf, kCountGeneration};

/// Those that see every row by their nature: they must follow an index, without sorting.
inline constexpr std::string_view kListings[] = {kNewestFiles, kAllContents, kFileCount};

}  // namespace bifocal::library::queries
