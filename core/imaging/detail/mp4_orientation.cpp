// SPDX-License-Identifier: Apache-2.0
#include "core/imaging/detail/mp4_orientation.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include <unistd.h>

namespace bifocal::imaging::detail {
namespace {

constexpr std::uint64_t kLargestIndexBytes = 64U << 20U;  ///< of the box that describes the tracks
constexpr int kMostTopLevelBoxes = 1000;

using Bytes = std::span<const std::uint8_t>;

std::uint64_t bigEndian(Bytes bytes, std::size_t offset, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t index = 0; index < size; ++index) {
        value = value << 8U | bytes[offset + index];
    }
    return value;
}

bool hasName(Bytes box, std::string_view name) {
    return std::memcmp(box.data() + 4, name.data(), 4) == 0;
}

/// Calls visit(name and content) for each box inside `bytes` until it returns false.
template <typename Visit>
void forEachBox(Bytes bytes, Visit visit) {
    while (bytes.size() >= 8) {
        std::uint64_t size = bigEndian(bytes, 0, 4);
        std::size_t headerBytes = 8;
        if (size == 1 && bytes.size() >= 16) {
            size = bigEndian(bytes, 8, 8);
            headerBytes = 16;
        } else if (size == 0) {
            size = bytes.size();
        }
        if (size < headerBytes || size > bytes.size()) {
            return;
        }
        const auto boxBytes = static_cast<std::size_t>(size);
        if (!visit(bytes.first(boxBytes), bytes.subspan(headerBytes, boxBytes - headerBytes))) {
            return;
        }
        bytes = bytes.subspan(boxBytes);
    }
}

/// The box `name` inside `bytes`; empty when there is none.
Bytes childOf(Bytes bytes, std::string_view name) {
    Bytes found;
    forEachBox(bytes, [&](Bytes box, Bytes content) {
        if (hasName(box, name)) {
            found = content;
            return false;
        }
        return true;
    });
    return found;
}

/// -1, 0 or 1 of a 16.16 number; 2 for anything else.
int unitOf(std::uint64_t fixed) {
    return fixed == 0 ? 0 : fixed == 0x00010000 ? 1 : fixed == 0xFFFF0000 ? -1 : 2;
}

int orientationOf(Bytes trackHeader) {
    if (trackHeader.empty()) {
        return 1;
    }
    const std::size_t matrix = trackHeader[0] == 1 ? 52 : 40;  // version 1 has 64-bit times
    if (trackHeader.size() < matrix + 20) {
        return 1;
    }
    struct Turn {
        std::array<int, 4> matrix;  // x' = a·x + c·y, y' = b·x + d·y
        int orientation;
    };
    constexpr std::array<Turn, 7> kTurns{{{{-1, 0, 0, 1}, 2},
                                          {{-1, 0, 0, -1}, 3},
                                          {{1, 0, 0, -1}, 4},
                                          {{0, 1, 1, 0}, 5},
                                          {{0, 1, -1, 0}, 6},
                                          {{0, -1, -1, 0}, 7},
                                          {{0, -1, 1, 0}, 8}}};
    const std::array<int, 4> found{unitOf(bigEndian(trackHeader, matrix, 4)),
                                   unitOf(bigEndian(trackHeader, matrix + 4, 4)),
                                   unitOf(bigEndian(trackHeader, matrix + 12, 4)),
                                   unitOf(bigEndian(trackHeader, matrix + 16, 4))};
    for (const Turn& turn : kTurns) {
        if (turn.matrix == found) {
            return turn.orientation;
        }
    }
    return 1;
}

/// The content of the top-level box "moov"; empty when there is none or it is too large.
std::vector<std::uint8_t> readIndex(const InputFile& file) {
    std::uint64_t position = 0;
    for (int count = 0; count < kMostTopLevelBoxes && position + 8 <= file.sizeBytes(); ++count) {
        std::array<std::uint8_t, 16> header{};
        if (file.seek(static_cast<std::int64_t>(position), SEEK_SET) < 0 || file.read(header) < 8) {
            return {};
        }
        std::uint64_t size = bigEndian(header, 0, 4);
        const std::size_t headerBytes = size == 1 ? 16 : 8;
        size = size == 1 ? bigEndian(header, 8, 8) : size == 0 ? file.sizeBytes() - position : size;
        if (size < headerBytes || size > file.sizeBytes() - position) {
            return {};
        }
        if (hasName(header, "moov")) {
            if (size > kLargestIndexBytes) {
                return {};
            }
            file.seek(static_cast<std::int64_t>(position + headerBytes), SEEK_SET);
            return file.readUpTo(static_cast<std::size_t>(size) - headerBytes);
        }
        position += size;
    }
    return {};
}

}  // namespace

int mp4Orientation(const InputFile& file) {
    const std::vector<std::uint8_t> index = readIndex(file);
    int orientation = 1;
    forEachBox(index, [&](Bytes box, Bytes track) {
        const Bytes handler = childOf(childOf(track, "mdia"), "hdlr");
        const bool isVideo = hasName(box, "trak") && handler.size() >= 12 &&
                             std::memcmp(handler.data() + 8, "vide", 4) == 0;
        if (isVideo) {
            orientation = orientationOf(childOf(track, "tkhd"));
        }
        return !isVideo;
    });
    return orientation;
}

}  // namespace bifocal::imaging::detail
