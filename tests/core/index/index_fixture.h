// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/index/vector_index.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <stdlib.h>

namespace bifocal::index {

/// A folder of its own for each test, gone afterwards.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = std::filesystem::temp_directory_path() / "bifocal-index.XXXXXX";
        path_ = ::mkdtemp(pattern.data());
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline ContentKey keyOf(std::uint64_t number) {
    ContentKey key;
    const std::uint64_t mixed = number * 0x9E3779B97F4A7C15ULL;
    std::memcpy(key.bytes.data(), &mixed, sizeof(mixed));
    std::memcpy(key.bytes.data() + 8, &number, sizeof(number));
    return key;
}

/// Row `number` in its `version`-th form; all numbers are exact in FP16.
inline std::vector<float> rowOf(std::uint64_t number, std::size_t dim, std::uint64_t version = 0) {
    std::vector<float> row(dim);
    for (std::size_t at = 0; at < dim; ++at) {
        row[at] = static_cast<float>((number * 7 + version * 13 + at * 3) % 64) / 32.0F - 1.0F;
    }
    return row;
}

inline const IndexSpec kSmallSpec{"pack-1", 5, 64};

inline std::unique_ptr<VectorIndex> openOrFail(const std::filesystem::path& file,
                                               IndexAccess access,
                                               const IndexSpec& spec = kSmallSpec) {
    auto index = VectorIndex::open(file, spec, access);
    if (!index) {
        ADD_FAILURE() << index.error().message;
        return nullptr;
    }
    return *std::move(index);
}

inline Result<void> appendNumbers(VectorIndex& index,
                                  const std::vector<std::uint64_t>& numbers,
                                  std::size_t dim = kSmallSpec.dim,
                                  std::uint64_t version = 0) {
    std::vector<ContentKey> keys;
    std::vector<float> rows;
    for (const std::uint64_t number : numbers) {
        keys.push_back(keyOf(number));
        const std::vector<float> row = rowOf(number, dim, version);
        rows.insert(rows.end(), row.begin(), row.end());
    }
    return index.append(keys, rows);
}

/// The live content, to compare whole states with.
using Content = std::map<ContentKey, std::vector<std::uint16_t>>;

inline Content contentOf(const IndexSnapshot& snapshot) {
    Content content;
    for (std::uint32_t row = 0; row < snapshot.rowCount(); ++row) {
        if (snapshot.find(snapshot.key(row)) == row) {
            std::vector<std::uint16_t>& bits = content[snapshot.key(row)];
            for (const Half half : snapshot.values(row)) {
                bits.push_back(half.bits);
            }
        }
    }
    return content;
}

}  // namespace bifocal::index
