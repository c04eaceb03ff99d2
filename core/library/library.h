// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bifocal {

/// What stat() says: when it is unchanged, the file is. Threads: value.
struct FileStamp {
    std::uint64_t sizeBytes = 0;
    std::int64_t modifiedNanoseconds = 0;  ///< since the Unix epoch
    std::uint64_t inode = 0;

    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// One picture file of a collection. Threads: value.
struct FileRecord {
    FileId id;
    CollectionId collection;
    std::filesystem::path path;  ///< absolute; any bytes
    FileStamp stamp;
    ContentKey content;
    int width = 0;  ///< upright, as stored
    int height = 0;
    std::uint64_t perceptualHash = 0;  ///< 0: says nothing
};

/// A file that could not become a picture, and why. Kept with its stamp, so that it costs a stat
/// until it changes or somebody asks for a retry.
struct FailureRecord {
    CollectionId collection;
    std::filesystem::path path;
    FileStamp stamp;
    ErrorCode code = ErrorCode::Internal;
    std::string reason;
};

/// One indexed folder. Threads: value.
struct CollectionRecord {
    CollectionId id;
    std::filesystem::path root;  ///< absolute, canonical
    std::uint64_t fileCount = 0;
    std::uint64_t failureCount = 0;
    std::optional<std::chrono::sys_seconds> lastScan;  ///< of the last scan that reached its end
};

/// What is known of one path, as the scan compares it.
struct KnownFile {
    FileId id;  ///< none for a failed file
    FileStamp stamp;
    ContentKey content;
    bool isFailure = false;
};

/// A file whose name, or the folders it is in, hold every word that was asked for. Threads: value.
struct NameMatch {
    FileId file;
    ContentKey content;
    bool isOwnName = false;  ///< the file's own name holds all of them
    /// With isOwnName more than 0.5, growing to 1 with the share of the name's words that were
    /// asked for; less than 0.5, and the same for all, when folders are needed.
    float strength = 0;
};

/// The changes of one batch, applied in one transaction.
struct LibraryChange {
    std::vector<FileRecord> upserts;      ///< id is ignored; (collection, path) decides
    std::vector<FailureRecord> failures;  ///< replaces a file record of the same path
    std::vector<FileId> removals;
    std::vector<std::filesystem::path>
        failureRemovals;      ///< failures whose file is gone (collection below)
    CollectionId collection;  ///< for failureRemovals
};

enum class LibraryAccess : std::uint8_t { Read = 1, Write };

struct LibraryCheck {
    std::vector<std::string> problems;  ///< empty: clean
};

/// Collections, files and failures in SQLite (WAL), in the library's directory:
///   library.sqlite   this class        vectors/<pack>.bfv   VectorIndex        lock   the one
///   writer
/// A reader sees whole commits of the writer, at once, also of another process.
/// Invariants: (1) every change is one transaction; (2) survives SIGKILL at any instant;
/// (3) `user_version` migrations run in order, once, under the writer's lock; a newer version than
/// this build knows is Unsupported, never written.
/// Threads: safe (one connection, one mutex; calls are short).
class Library {
public:
    /// Makes the directory and the database when missing (also for Read: an empty library is
    /// readable). Busy never: the lock is the engine's business. Corruption, Unsupported, Internal.
    /// Read-only media can be read, when the library on it was closed; NotFound without one.
    static Result<std::unique_ptr<Library>> open(const std::filesystem::path& directory,
                                                 LibraryAccess access);

    Library() = default;
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    virtual ~Library() = default;

    /// The collection of this root; made when missing. Nested roots are collections of their own.
    virtual Result<CollectionId> addCollection(const std::filesystem::path& root) = 0;
    /// Forgets the collection, its files and failures; pictures on disk are never touched.
    virtual Result<void> removeCollection(CollectionId id) = 0;
    virtual Result<std::vector<CollectionRecord>> collections() const = 0;
    virtual Result<void> markScanned(CollectionId id, std::chrono::sys_seconds when) = 0;

    /// Everything known under a collection, by path bytes, for one scan.
    virtual Result<std::unordered_map<std::string, KnownFile>> knownFiles(
        CollectionId id) const = 0;

    virtual Result<void> apply(const LibraryChange& change) = 0;

    /// Files with this content, in any collection, in id order.
    virtual Result<std::vector<FileRecord>> filesWithContent(const ContentKey& content) const = 0;
    virtual Result<std::optional<FileRecord>> fileAt(const std::filesystem::path& path) const = 0;
    /// Files with this perceptual hash; empty for 0.
    virtual Result<std::vector<FileRecord>> filesWithPerceptualHash(std::uint64_t hash) const = 0;

    /// Files whose names hold all words of `text` (see namePhrases(); stems of English, without
    /// accents or case), strongest first, then in id order. More words never find more. Nothing for
    /// a text without words, and nothing when more than `atMost` files match: what so many names
    /// share tells none of them from the others.
    virtual Result<std::vector<NameMatch>> filesNamed(std::string_view text,
                                                      std::size_t atMost) const = 0;

    /// Newest first (modification time, then id), for a collection without a prompt; no collection:
    /// all of them.
    virtual Result<std::vector<FileRecord>> newestFiles(std::optional<CollectionId> collection,
                                                        std::size_t offset,
                                                        std::size_t limit) const = 0;

    /// Contents of files in these collections (none named: in any) that were modified at or after
    /// `modifiedAfter` and before `modifiedBefore`; sorted, each once. For the index's bitmap.
    virtual Result<std::vector<ContentKey>> contentsMatching(
        std::span<const CollectionId> collections,
        std::optional<std::chrono::sys_seconds> modifiedAfter,
        std::optional<std::chrono::sys_seconds> modifiedBefore) const = 0;

    /// The same, of those files alone that `accepts` takes; it must not call the library.
    using FileTest = std::function<bool(const std::filesystem::path& path, std::uint64_t bytes)>;
    virtual Result<std::vector<ContentKey>> contentsMatching(
        std::span<const CollectionId> collections,
        std::optional<std::chrono::sys_seconds> modifiedAfter,
        std::optional<std::chrono::sys_seconds> modifiedBefore,
        const FileTest& accepts) const = 0;

    /// Every distinct content that a file has, for reclaiming orphan vectors and for doctor.
    virtual Result<std::vector<ContentKey>> allContents() const = 0;

    virtual Result<std::vector<FailureRecord>> failures(
        std::optional<CollectionId> collection) const = 0;
    /// Forgets these failures (all of the collection when `paths` is empty), so that the next scan
    /// reads the files again.
    virtual Result<void> forgetFailures(CollectionId collection,
                                        std::span<const std::filesystem::path> paths) = 0;

    virtual Result<std::uint64_t> fileCount() const = 0;
    /// Grows with every committed change of any process.
    virtual Result<std::uint64_t> generation() const = 0;

    /// integrity_check, foreign keys, schema.
    virtual Result<LibraryCheck> check() const = 0;
};

/// Paths inside a library's directory.
std::filesystem::path libraryLockFile(const std::filesystem::path& directory);
std::filesystem::path libraryVectorFile(const std::filesystem::path& directory,
                                        const std::string& packId);
/// Of every pack that the library was indexed with, by name.
std::vector<std::filesystem::path> libraryVectorFiles(const std::filesystem::path& directory);

}  // namespace bifocal
