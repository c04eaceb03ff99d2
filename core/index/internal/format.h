// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/index/vector_index.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

/// The bytes of FORMAT.md.
namespace bifocal::index {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

inline constexpr std::array<char, 8> kMagic{'B', 'I', 'F', 'O', 'V', 'E', 'C', '\n'};
inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::uint64_t kAlignBytes = 65536;  ///< of extents; a multiple of any page size
inline constexpr std::uint32_t kRowsPerExtent = 16384;
inline constexpr std::uint64_t kLogExtentBytes = 1 << 18;
inline constexpr std::size_t kMaxPackIdBytes = 256;
inline constexpr std::size_t kMaxStrideBytes = 1 << 20;
inline constexpr std::size_t kRecordAlignBytes = 64;

struct FileHeader {
    std::array<char, 8> magic{};
    std::uint32_t version = 0;
    std::uint32_t dim = 0;
    std::uint32_t strideBytes = 0;
    std::uint32_t rowsPerExtent = 0;
    std::uint64_t fileId = 0;  ///< random; in every part, so that no other file's bytes pass
    std::uint32_t packIdBytes = 0;
    std::uint32_t reserved = 0;
    std::array<char, kMaxPackIdBytes> packId{};
    std::array<std::uint8_t, 208> padding{};
    std::uint64_t checksum = 0;  ///< of everything before it
};
static_assert(sizeof(FileHeader) == 512);

enum class ExtentKind : std::uint32_t { Rows = 1, Log };

struct ExtentHeader {
    std::uint32_t magic = 0;
    ExtentKind kind{};
    std::uint64_t number = 0;     ///< 0, 1, …: its place in the file
    std::uint64_t sizeBytes = 0;  ///< this header included
    std::uint64_t firstRow = 0;   ///< Rows only
    std::uint64_t fileId = 0;
    std::array<std::uint64_t, 2> reserved{};
    std::uint64_t checksum = 0;  ///< of everything before it
};
static_assert(sizeof(ExtentHeader) == 64);

/// Followed by `tombstoneCount` row numbers and zeros up to `recordBytes`.
struct CommitHeader {
    std::uint32_t magic = 0;
    std::uint32_t recordBytes = 0;  ///< a multiple of 64
    std::uint64_t sequence = 0;     ///< 1, 2, …
    std::uint64_t firstRow = 0;     ///< rows committed before this one
    std::uint32_t rowCount = 0;
    std::uint32_t tombstoneCount = 0;
    std::uint64_t fileId = 0;
    std::uint64_t dataChecksum = 0;  ///< of its keys, then its rows
    std::uint64_t reserved = 0;
    std::uint64_t checksum = 0;  ///< of the record, without these eight bytes
};
static_assert(sizeof(CommitHeader) == 64);

/// XXH3-64 over pieces. Threads: compatible.
class Checksum {
public:
    Checksum();
    Checksum(const Checksum&) = delete;
    Checksum& operator=(const Checksum&) = delete;
    ~Checksum();

    void add(std::span<const std::byte> bytes);
    std::uint64_t value() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

FileHeader makeFileHeader(const IndexSpec& spec, std::uint32_t rowsPerExtent, std::uint64_t fileId);
ExtentHeader makeExtentHeader(const ExtentHeader& fields);
/// A whole record, checksum and all; `fields` without magic, recordBytes and checksum.
std::vector<std::byte> makeCommitRecord(CommitHeader fields,
                                        std::span<const std::uint32_t> tombstones);
std::uint64_t commitRecordBytes(std::uint64_t tombstoneCount);

/// Corruption (checksum, magic, impossible numbers), Unsupported (a newer version).
Result<FileHeader> parseFileHeader(std::span<const std::byte> bytes);
IndexSpec specOf(const FileHeader& header);

/// Nothing when a bit of it is wrong.
std::optional<ExtentHeader> parseExtentHeader(std::span<const std::byte> bytes,
                                              const FileHeader& file);
/// Checks what 64 bytes can say; the checksum needs the whole record.
std::optional<CommitHeader> parseCommitHeader(std::span<const std::byte> bytes,
                                              const FileHeader& file);
bool isCommitRecordIntact(std::span<const std::byte> record);

bool isZero(std::span<const std::byte> bytes);

/// Where keys and rows are inside a Rows extent, and how large it is.
constexpr std::uint64_t keysOffsetInExtent() {
    return sizeof(ExtentHeader);
}
constexpr std::uint64_t rowsOffsetInExtent(std::uint32_t rowsPerExtent) {
    const std::uint64_t end = sizeof(ExtentHeader) + std::uint64_t{16} * rowsPerExtent;
    return (end + 4095) / 4096 * 4096;
}
constexpr std::uint64_t rowsExtentBytes(std::uint32_t rowsPerExtent, std::uint32_t strideBytes) {
    const std::uint64_t end =
        rowsOffsetInExtent(rowsPerExtent) + std::uint64_t{rowsPerExtent} * strideBytes;
    return (end + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
}

}  // namespace bifocal::index
