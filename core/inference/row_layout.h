// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

    /// The block of that name, or null.
    const RowBlock* find(std::string_view name) const;
};

/// Corruption, naming the block, unless: there is a block; every block has a name of its own, a
/// lens, a size, and lies inside dim without touching another; dim is at most 65,536; strideBytes
/// is a multiple of 64 that holds dim FP16 numbers. Threads: value.
Result<void> validate(const RowLayout& layout);

}  // namespace bifocal
