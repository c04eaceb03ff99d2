// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bifocal {

/// Which side of the why-matched split a block of a row counts for.
enum class Lens : std::uint8_t {
    Words = 1,  ///< what words say; colours count here
    Looks,      ///< what it looks like
    Joint,      ///< one space for both (CLIP family)
};

struct RowBlock {
    std::string name;        ///< "words", "looks", "colours", "joint"
    std::size_t offset = 0;  ///< first number
    std::size_t dim = 0;
    Lens lens = Lens::Joint;

    friend bool operator==(const RowBlock&, const RowBlock&) = default;
};

/// The numbers of one picture in one pack's space: opaque FP16 to the index, blocks to the pack.
/// Threads: value.
struct RowLayout {
    std::size_t dim = 0;          ///< numbers per row, padding included
    std::size_t strideBytes = 0;  ///< ≥ 2 · dim, a multiple of 64
    std::vector<RowBlock> blocks;

    friend bool operator==(const RowLayout&, const RowLayout&) = default;
};

}  // namespace bifocal
