// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

namespace bifocal {

/// A number that cannot be mistaken for another kind of number; zero is no id. Threads: value.
template <typename Tag>
struct Id {
    std::uint64_t value = 0;

    explicit operator bool() const { return value != 0; }
    friend auto operator<=>(const Id&, const Id&) = default;
};

using RequestId = Id<struct RequestTag>;        ///< one prompt or one indexing job, per engine
using CollectionId = Id<struct CollectionTag>;  ///< one indexed folder, per library
using FileId = Id<struct FileTag>;              ///< one file of a collection, per library

/// 128-bit hash of a file's bytes: what "the same picture" means before anything is decoded.
/// Vectors are keyed by it, so a moved file keeps its vector and a changed one cannot.
/// Threads: value.
struct ContentKey {
    std::array<std::uint8_t, 16> bytes{};

    friend auto operator<=>(const ContentKey&, const ContentKey&) = default;
};

}  // namespace bifocal

template <typename Tag>
struct std::hash<bifocal::Id<Tag>> {
    std::size_t operator()(const bifocal::Id<Tag>& id) const noexcept {
        return std::hash<std::uint64_t>{}(id.value);
    }
};

template <>
struct std::hash<bifocal::ContentKey> {
    std::size_t operator()(const bifocal::ContentKey& key) const noexcept {
        std::size_t first = 0;  // the key is a hash already
        std::memcpy(&first, key.bytes.data(), sizeof(first));
        return first;
    }
};
