// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include <stdlib.h>

namespace bifocal::library {

/// A folder of its own for each test, gone afterwards.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = std::filesystem::temp_directory_path() / "bifocal-library.XXXXXX";
        path_ = std::filesystem::canonical(::mkdtemp(pattern.data()));
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

inline FileRecord fileOf(CollectionId collection,
                         const std::filesystem::path& path,
                         std::uint64_t number) {
    FileRecord file;
    file.collection = collection;
    file.path = path;
    file.stamp = {1000 + number,
                  1'700'000'000'000'000'000 + static_cast<std::int64_t>(number),
                  ~std::uint64_t{0} - number};
    file.content = keyOf(number);
    file.width = 640;
    file.height = 480;
    file.perceptualHash = 0xF000'0000'0000'0000ULL | number;
    return file;
}

inline std::unique_ptr<Library> openOrFail(const std::filesystem::path& directory,
                                           LibraryAccess access) {
    auto library = Library::open(directory, access);
    if (!library) {
        ADD_FAILURE() << library.error().message;
        return nullptr;
    }
    return *std::move(library);
}

}  // namespace bifocal::library
