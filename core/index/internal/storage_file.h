// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace bifocal::index {

/// A range of a file, readable as memory. Threads: value. Owns: the mapping.
class Mapping {
public:
    Mapping(void* address, std::size_t sizeBytes) : address_(address), sizeBytes_(sizeBytes) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    const std::byte* data() const { return static_cast<const std::byte*>(address_); }

private:
    void* address_;
    std::size_t sizeBytes_;
};

/// What tells one file from another, also after a rename put a new one in its place.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;

    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// The file under an index: the seam where tests let the disk fail. Threads: compatible.
class StorageFile {
public:
    StorageFile() = default;
    StorageFile(const StorageFile&) = delete;
    StorageFile& operator=(const StorageFile&) = delete;
    virtual ~StorageFile() = default;

    /// All of it, or an error with any part of it written. ResourceExhausted, Internal.
    virtual Result<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    /// Bytes read; fewer than asked for at the file's end alone. Internal.
    virtual Result<std::size_t> readAt(std::uint64_t offset, std::span<std::byte> out) const = 0;
    virtual Result<std::uint64_t> sizeBytes() const = 0;
    /// New room reads as zeros and takes no space until it is written.
    virtual Result<void> resize(std::uint64_t sizeBytes) = 0;
    /// Returns when everything written is durable.
    virtual Result<void> sync() = 0;
    /// `offset` is a multiple of the page size. Reading past the file's end is the caller's fault.
    virtual Result<std::shared_ptr<const Mapping>> map(std::uint64_t offset,
                                                       std::size_t sizeBytes) const = 0;
    virtual Result<FileIdentity> identity() const = 0;
};

enum class OpenMode : std::uint8_t { Read = 1, Write, CreateEmpty };

/// NotFound, ResourceExhausted, Internal.
Result<std::unique_ptr<StorageFile>> openStorageFile(const std::filesystem::path& path,
                                                     OpenMode mode);

/// Identity of whatever is at `path` now. NotFound, Internal.
Result<FileIdentity> identityOf(const std::filesystem::path& path);

/// Puts `from` in the place of `to` and makes that durable.
Result<void> renameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace bifocal::index
