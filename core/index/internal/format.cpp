// SPDX-License-Identifier: Apache-2.0
#include "core/index/internal/format.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <xxhash.h>

namespace bifocal::index {
namespace {

constexpr std::uint32_t kExtentMagic = 0x54584542;  // "BEXT"
constexpr std::uint32_t kCommitMagic = 0x4D4F4342;  // "BCOM"

template <typename T>
std::uint64_t checksumBefore(const T& record) {
    return XXH3_64bits(&record, offsetof(T, checksum));
}

std::uint64_t recordChecksum(std::span<const std::byte> record) {
    Checksum checksum;
    checksum.add(record.first(offsetof(CommitHeader, checksum)));
    checksum.add(record.subspan(sizeof(CommitHeader)));
    return checksum.value();
}

template <typename T>
T read(std::span<const std::byte> bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
}

bool isPossible(const FileHeader& header) {
    return header.dim > 0 && header.strideBytes >= 2 * std::uint64_t{header.dim} &&
           header.strideBytes % 64 == 0 && header.strideBytes <= kMaxStrideBytes &&
           header.rowsPerExtent >= 64 && header.rowsPerExtent % 64 == 0 &&
           header.rowsPerExtent <= (1U << 20U) && header.packIdBytes <= kMaxPackIdBytes;
}

}  // namespace

struct Checksum::State {
    XXH3_state_t hash;
};

Checksum::Checksum() : state_(new State) {  // not make_unique: it would zero half a kilobyte
    XXH3_64bits_reset(&state_->hash);
}

Checksum::~Checksum() = default;

void Checksum::add(std::span<const std::byte> bytes) {
    XXH3_64bits_update(&state_->hash, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const {
    return XXH3_64bits_digest(&state_->hash);
}

FileHeader makeFileHeader(const IndexSpec& spec,
                          std::uint32_t rowsPerExtent,
                          std::uint64_t fileId) {
    FileHeader header;
    header.magic = kMagic;
    header.version = kFormatVersion;
    header.dim = static_cast<std::uint32_t>(spec.dim);
    header.strideBytes = static_cast<std::uint32_t>(spec.strideBytes);
    header.rowsPerExtent = rowsPerExtent;
    header.fileId = fileId;
    header.packIdBytes = static_cast<std::uint32_t>(spec.packId.size());
    std::copy(spec.packId.begin(), spec.packId.end(), header.packId.begin());
    header.checksum = checksumBefore(header);
    return header;
}

ExtentHeader makeExtentHeader(const ExtentHeader& fields) {
    ExtentHeader header = fields;
    header.magic = kExtentMagic;
    header.checksum = checksumBefore(header);
    return header;
}

std::uint64_t commitRecordBytes(std::uint64_t tombstoneCount) {
    const std::uint64_t bytes = sizeof(CommitHeader) + 4 * tombstoneCount;
    return (bytes + kRecordAlignBytes - 1) / kRecordAlignBytes * kRecordAlignBytes;
}

std::vector<std::byte> makeCommitRecord(CommitHeader fields,
                                        std::span<const std::uint32_t> tombstones) {
    fields.magic = kCommitMagic;
    fields.tombstoneCount = static_cast<std::uint32_t>(tombstones.size());
    fields.recordBytes = static_cast<std::uint32_t>(commitRecordBytes(tombstones.size()));
    std::vector<std::byte> record(fields.recordBytes);
    std::memcpy(record.data(), &fields, sizeof(fields));
    std::ranges::copy(std::as_bytes(tombstones), record.begin() + sizeof(fields));
    fields.checksum = recordChecksum(record);
    std::memcpy(record.data(), &fields, sizeof(fields));
    return record;
}

Result<FileHeader> parseFileHeader(std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof(FileHeader)) {
        return Error{ErrorCode::Corruption, "the header is cut off"};
    }
    const auto header = read<FileHeader>(bytes);
    if (header.magic != kMagic) {
        return Error{ErrorCode::Corruption, "not an index file"};
    }
    if (header.checksum != checksumBefore(header)) {
        return Error{ErrorCode::Corruption, "header checksum mismatch"};
    }
    if (header.version != kFormatVersion) {
        return Error{ErrorCode::Unsupported,
                     "format version " + std::to_string(header.version) + ", this build reads " +
                         std::to_string(kFormatVersion)};
    }
    if (!isPossible(header)) {
        return Error{ErrorCode::Corruption, "the header's numbers are impossible"};
    }
    return header;
}

IndexSpec specOf(const FileHeader& header) {
    return {std::string(header.packId.data(), header.packIdBytes), header.dim, header.strideBytes};
}

std::optional<ExtentHeader> parseExtentHeader(std::span<const std::byte> bytes,
                                              const FileHeader& file) {
    if (bytes.size() < sizeof(ExtentHeader)) {
        return std::nullopt;
    }
    const auto header = read<ExtentHeader>(bytes);
    if (header.magic != kExtentMagic || header.checksum != checksumBefore(header) ||
        header.fileId != file.fileId || header.sizeBytes % kAlignBytes != 0) {
        return std::nullopt;
    }
    const bool isRows = header.kind == ExtentKind::Rows &&
                        header.sizeBytes == rowsExtentBytes(file.rowsPerExtent, file.strideBytes);
    const bool isLog = header.kind == ExtentKind::Log && header.sizeBytes >= kAlignBytes;
    return isRows || isLog ? std::optional(header) : std::nullopt;
}

std::optional<CommitHeader> parseCommitHeader(std::span<const std::byte> bytes,
                                              const FileHeader& file) {
    if (bytes.size() < sizeof(CommitHeader)) {
        return std::nullopt;
    }
    const auto header = read<CommitHeader>(bytes);
    if (header.magic != kCommitMagic || header.fileId != file.fileId ||
        header.recordBytes != commitRecordBytes(header.tombstoneCount)) {
        return std::nullopt;
    }
    return header;
}

bool isCommitRecordIntact(std::span<const std::byte> record) {
    return read<CommitHeader>(record).checksum == recordChecksum(record);
}

bool isZero(std::span<const std::byte> bytes) {
    return bytes.empty() || (bytes[0] == std::byte{0} &&
                             std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace bifocal::index
