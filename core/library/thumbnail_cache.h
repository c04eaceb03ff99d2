// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace bifocal {

/// Encoded thumbnails by content, in files under a folder, oldest use dropped when the cap is
/// passed. Disposable: deleting the folder costs time, nothing else. Threads: safe; also between
/// processes (files appear by rename).
class ThumbnailCache {
public:
    ThumbnailCache(std::filesystem::path folder, std::uint64_t capBytes);

    std::optional<std::vector<std::uint8_t>> find(const ContentKey& content) const;
    Result<void> store(const ContentKey& content, std::span<const std::uint8_t> encoded);

    /// Deletes the least recently used files until the folder fits the cap.
    Result<void> trim();

private:
    std::filesystem::path fileOf(const ContentKey& content) const;

    std::filesystem::path folder_;
    std::uint64_t capBytes_;
};

}  // namespace bifocal
