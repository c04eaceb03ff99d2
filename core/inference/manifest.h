// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/inference/row_layout.h"
#include "core/prompt/prompt.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal {

/// The name of the manifest inside a pack's folder; written last, so its presence says "complete".
inline constexpr const char* kManifestName = "pack.json";

/// What a pack is for.
enum class PackKind : std::uint8_t {
    Search = 1,  ///< pictures and words in one space; it has a layout
    Speech,      ///< speech → text; it has none
};

/// One file of a pack. Threads: value.
struct PackFile {
    std::string name;  ///< a plain file name, no folders
    std::uint64_t bytes = 0;
    std::string sha256;
    std::string licence;
    std::string source;  ///< PackSource::name it was made from; empty for our own

    friend bool operator==(const PackFile&, const PackFile&) = default;
};

/// A download a pack was made from. Threads: value.
struct PackSource {
    std::string name;
    std::string version;
    std::string file;  ///< the archive's file name
    std::uint64_t bytes = 0;
    std::string sha256;
    std::string licence;
    std::string licenceBasis;  ///< where the licence is stated

    friend bool operator==(const PackSource&, const PackSource&) = default;
};

/// What pack.json says; models/README.md describes the file. Threads: value.
struct PackManifest {
    std::string id;
    std::string name;
    std::string architecture;  ///< which code reads the tensors: "label-mixture-1"
    std::string licence;       ///< of the whole, for people
    PackKind kind = PackKind::Search;
    RowLayout layout;  ///< of a search pack
    std::vector<Script> scripts;
    std::size_t maxTokens = 0;
    std::vector<PackFile> files;
    std::vector<PackSource> sources;

    friend bool operator==(const PackManifest&, const PackManifest&) = default;
};

/// Corruption, naming the field, for anything that is missing, misshapen or not plausible (a file
/// name with a folder in it, a hash that is none, a layout that validate() refuses); Unsupported
/// for another schema number. Threads: value.
Result<PackManifest> parseManifest(std::string_view json);

std::string toJson(const PackManifest& manifest);

/// Reads <folder>/pack.json. NotFound when it is not there.
Result<PackManifest> readManifest(const std::filesystem::path& folder);

/// The bytes of one file of the pack, its size and hash checked. NotFound (not in the manifest, or
/// not on disk), Corruption (another size or hash), each naming the file. Threads: safe.
Result<std::vector<std::uint8_t>> readPackFile(const std::filesystem::path& folder,
                                               const PackManifest& manifest,
                                               const std::string& name);

}  // namespace bifocal
