// SPDX-License-Identifier: Apache-2.0
#include "core/inference/row_layout.h"

#include <algorithm>

namespace bifocal {
namespace {

constexpr std::size_t kMaxDim = 65'536;

Error brokenLayout(const std::string& message) {
    return {ErrorCode::Corruption, "row layout: " + message};
}

bool overlap(const RowBlock& a, const RowBlock& b) {
    return a.offset < b.offset + b.dim && b.offset < a.offset + a.dim;
}

Result<void> validateBlock(const RowLayout& layout, const RowBlock& block) {
    if (block.name.empty()) {
        return brokenLayout("a block has no name");
    }
    if (block.lens < Lens::Words || block.lens > Lens::Joint) {
        return brokenLayout("block '" + block.name + "' has no lens");
    }
    // Written without a sum, so that a huge offset cannot wrap around.
    if (block.dim == 0 || block.dim > layout.dim || block.offset > layout.dim - block.dim) {
        return brokenLayout("block '" + block.name + "' does not lie inside the row");
    }
    for (const RowBlock& other : layout.blocks) {
        if (&other == &block) {
            continue;
        }
        if (other.name == block.name) {
            return brokenLayout("two blocks are named '" + block.name + "'");
        }
        if (other.dim <= layout.dim && other.offset <= layout.dim && overlap(block, other)) {
            return brokenLayout("blocks '" + block.name + "' and '" + other.name + "' overlap");
        }
    }
    return {};
}

}  // namespace

const RowBlock* RowLayout::find(std::string_view name) const {
    const auto found = std::find_if(
        blocks.begin(), blocks.end(), [&](const RowBlock& block) { return block.name == name; });
    return found == blocks.end() ? nullptr : &*found;
}

Result<void> validate(const RowLayout& layout) {
    if (layout.dim == 0 || layout.dim > kMaxDim) {
        return brokenLayout("dim " + std::to_string(layout.dim) + " is outside 1…65536");
    }
    if (layout.strideBytes % 64 != 0 || layout.strideBytes < 2 * layout.dim) {
        return brokenLayout("stride " + std::to_string(layout.strideBytes) +
                            " is no multiple of 64 that holds the row");
    }
    if (layout.blocks.empty()) {
        return brokenLayout("no blocks");
    }
    for (const RowBlock& block : layout.blocks) {
        BIFOCAL_CHECK(validateBlock(layout, block));
    }
    return {};
}

}  // namespace bifocal
