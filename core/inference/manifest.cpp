// SPDX-License-Identifier: Apache-2.0
#include "core/inference/manifest.h"

#include "core/base/files.h"
#include "core/inference/sha256.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace bifocal {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kSchema = 1;
constexpr std::uint64_t kMaxManifestBytes = 1'000'000;
constexpr std::uint64_t kMaxTokenCount = 65'536;

constexpr std::array<std::pair<Script, const char*>, 9> kScriptNames{
    {{Script::Latin, "latin"},
     {Script::Cjk, "cjk"},
     {Script::Cyrillic, "cyrillic"},
     {Script::Greek, "greek"},
     {Script::Arabic, "arabic"},
     {Script::Hebrew, "hebrew"},
     {Script::Indic, "indic"},
     {Script::Thai, "thai"},
     {Script::Other, "other"}}};
constexpr std::array<std::pair<PackKind, const char*>, 2> kKindNames{
    {{PackKind::Search, "search"}, {PackKind::Speech, "speech"}}};
constexpr std::array<std::pair<Lens, const char*>, 3> kLensNames{
    {{Lens::Words, "words"}, {Lens::Looks, "looks"}, {Lens::Joint, "joint"}}};

Error broken(const std::string& field, const std::string& message) {
    return {ErrorCode::Corruption, std::string(kManifestName) + ": '" + field + "' " + message};
}

Result<std::string> textOf(const Json& object, const char* field) {
    if (!object.is_object() || !object.contains(field) || !object[field].is_string()) {
        return broken(field, "is missing or no string");
    }
    return object[field].get<std::string>();
}

Result<std::string> nonEmptyTextOf(const Json& object, const char* field) {
    BIFOCAL_TRY(std::string text, textOf(object, field));
    if (text.empty()) {
        return broken(field, "is empty");
    }
    return text;
}

Result<std::uint64_t> countOf(const Json& object, const char* field) {
    if (!object.is_object() || !object.contains(field) || !object[field].is_number_unsigned()) {
        return broken(field, "is missing or no count");
    }
    return object[field].get<std::uint64_t>();
}

Result<Json> listOf(const Json& object, const char* field) {
    if (!object.is_object() || !object.contains(field) || !object[field].is_array()) {
        return broken(field, "is missing or no list");
    }
    return object[field];
}

template <typename Names>
auto valueOf(const Names& names, const std::string& text, const char* field)
    -> Result<typename Names::value_type::first_type> {
    for (const auto& [value, name] : names) {
        if (text == name) {
            return value;
        }
    }
    return broken(field, "has the unknown value '" + text + "'");
}

template <typename Names, typename Value>
const char* nameOf(const Names& names, Value value) {
    for (const auto& [known, name] : names) {
        if (known == value) {
            return name;
        }
    }
    return "";
}

/// A name that can only mean a file right inside the pack's folder.
bool isPlainName(const std::string& name) {
    return !name.empty() && name.front() != '.' && name.size() <= 128 &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
           });
}

/// A manifest that says nothing is a search pack's.
Result<PackKind> kindOf(const Json& root) {
    if (!root.contains("kind")) {
        return PackKind::Search;
    }
    BIFOCAL_TRY(const std::string kind, textOf(root, "kind"));
    return valueOf(kKindNames, kind, "kind");
}

Result<RowLayout> layoutOf(const Json& json) {
    RowLayout layout;
    BIFOCAL_TRY(layout.dim, countOf(json, "dim"));
    BIFOCAL_TRY(layout.strideBytes, countOf(json, "strideBytes"));
    BIFOCAL_TRY(const Json blocks, listOf(json, "blocks"));
    for (const Json& entry : blocks) {
        RowBlock block;
        BIFOCAL_TRY(block.name, nonEmptyTextOf(entry, "name"));
        BIFOCAL_TRY(block.offset, countOf(entry, "offset"));
        BIFOCAL_TRY(block.dim, countOf(entry, "dim"));
        BIFOCAL_TRY(const std::string lens, textOf(entry, "lens"));
        BIFOCAL_TRY(block.lens, valueOf(kLensNames, lens, "lens"));
        layout.blocks.push_back(std::move(block));
    }
    BIFOCAL_CHECK(validate(layout));
    return layout;
}

Result<PackFile> fileOf(const Json& json) {
    PackFile file;
    BIFOCAL_TRY(file.name, textOf(json, "name"));
    if (!isPlainName(file.name)) {
        return broken("name", "is no plain file name: '" + file.name + "'");
    }
    BIFOCAL_TRY(file.bytes, countOf(json, "bytes"));
    BIFOCAL_TRY(file.sha256, textOf(json, "sha256"));
    if (!isSha256(file.sha256)) {
        return broken("sha256", "of " + file.name + " is no SHA-256");
    }
    BIFOCAL_TRY(file.licence, nonEmptyTextOf(json, "licence"));
    BIFOCAL_TRY(file.source, textOf(json, "source"));
    return file;
}

Result<PackSource> sourceOf(const Json& json) {
    PackSource source;
    BIFOCAL_TRY(source.name, nonEmptyTextOf(json, "name"));
    BIFOCAL_TRY(source.version, nonEmptyTextOf(json, "version"));
    BIFOCAL_TRY(source.file, textOf(json, "file"));
    if (!isPlainName(source.file)) {
        return broken("file", "is no plain file name: '" + source.file + "'");
    }
    BIFOCAL_TRY(source.bytes, countOf(json, "bytes"));
    BIFOCAL_TRY(source.sha256, textOf(json, "sha256"));
    if (!isSha256(source.sha256)) {
        return broken("sha256", "of " + source.name + " is no SHA-256");
    }
    BIFOCAL_TRY(source.licence, nonEmptyTextOf(json, "licence"));
    BIFOCAL_TRY(source.licenceBasis, nonEmptyTextOf(json, "licenceBasis"));
    return source;
}

Result<void> parseLists(const Json& json, PackManifest& manifest) {
    BIFOCAL_TRY(const Json scripts, listOf(json, "scripts"));
    for (const Json& entry : scripts) {
        if (!entry.is_string()) {
            return broken("scripts", "holds something that is no string");
        }
        BIFOCAL_TRY(const Script script,
                    valueOf(kScriptNames, entry.get<std::string>(), "scripts"));
        manifest.scripts.push_back(script);
    }
    BIFOCAL_TRY(const Json files, listOf(json, "files"));
    for (const Json& entry : files) {
        BIFOCAL_TRY(PackFile file, fileOf(entry));
        for (const PackFile& other : manifest.files) {
            if (other.name == file.name) {
                return broken("files", "names " + file.name + " twice");
            }
        }
        manifest.files.push_back(std::move(file));
    }
    BIFOCAL_TRY(const Json sources, listOf(json, "sources"));
    for (const Json& entry : sources) {
        BIFOCAL_TRY(PackSource source, sourceOf(entry));
        manifest.sources.push_back(std::move(source));
    }
    return {};
}

Json jsonOf(const RowLayout& layout) {
    Json blocks = Json::array();
    for (const RowBlock& block : layout.blocks) {
        blocks.push_back({{"name", block.name},
                          {"offset", block.offset},
                          {"dim", block.dim},
                          {"lens", nameOf(kLensNames, block.lens)}});
    }
    return {{"dim", layout.dim}, {"strideBytes", layout.strideBytes}, {"blocks", blocks}};
}

}  // namespace

Result<PackManifest> parseManifest(std::string_view json) {
    const Json root = Json::parse(json, nullptr, false);
    if (!root.is_object()) {
        return Error{ErrorCode::Corruption, std::string(kManifestName) + ": no JSON object"};
    }
    BIFOCAL_TRY(const std::uint64_t schema, countOf(root, "schema"));
    if (schema != kSchema) {
        return Error{ErrorCode::Unsupported,
                     std::string(kManifestName) + ": schema " + std::to_string(schema) +
                         ", this build reads " + std::to_string(kSchema)};
    }
    PackManifest manifest;
    BIFOCAL_TRY(manifest.id, nonEmptyTextOf(root, "id"));
    BIFOCAL_TRY(manifest.name, nonEmptyTextOf(root, "name"));
    BIFOCAL_TRY(manifest.architecture, nonEmptyTextOf(root, "architecture"));
    BIFOCAL_TRY(manifest.licence, nonEmptyTextOf(root, "licence"));
    BIFOCAL_TRY(manifest.maxTokens, countOf(root, "maxTokens"));
    if (manifest.maxTokens > kMaxTokenCount) {
        return broken("maxTokens", "is more than 65536");
    }
    BIFOCAL_TRY(manifest.kind, kindOf(root));
    if (root.contains("layout") != (manifest.kind == PackKind::Search)) {
        return broken("layout", root.contains("layout") ? "has no meaning here" : "is missing");
    }
    if (manifest.kind == PackKind::Search) {
        BIFOCAL_TRY(manifest.layout, layoutOf(root["layout"]));
    }
    BIFOCAL_CHECK(parseLists(root, manifest));
    return manifest;
}

std::string toJson(const PackManifest& manifest) {
    Json scripts = Json::array();
    for (const Script script : manifest.scripts) {
        scripts.push_back(nameOf(kScriptNames, script));
    }
    Json files = Json::array();
    for (const PackFile& file : manifest.files) {
        files.push_back({{"name", file.name},
                         {"bytes", file.bytes},
                         {"sha256", file.sha256},
                         {"licence", file.licence},
                         {"source", file.source}});
    }
    Json sources = Json::array();
    for (const PackSource& source : manifest.sources) {
        sources.push_back({{"name", source.name},
                           {"version", source.version},
                           {"file", source.file},
                           {"bytes", source.bytes},
                           {"sha256", source.sha256},
                           {"licence", source.licence},
                           {"licenceBasis", source.licenceBasis}});
    }
    Json root = {{"schema", kSchema},
                 {"id", manifest.id},
                 {"name", manifest.name},
                 {"architecture", manifest.architecture},
                 {"licence", manifest.licence},
                 {"maxTokens", manifest.maxTokens},
                 {"scripts", scripts},
                 {"files", files},
                 {"sources", sources}};
    if (manifest.kind == PackKind::Search) {
        root["layout"] = jsonOf(manifest.layout);
    } else {
        root["kind"] = nameOf(kKindNames, manifest.kind);
    }
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<PackManifest> readManifest(const std::filesystem::path& folder) {
    BIFOCAL_TRY(const auto bytes, readFile(folder / kManifestName, kMaxManifestBytes));
    return parseManifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<std::vector<std::uint8_t>> readPackFile(const std::filesystem::path& folder,
                                               const PackManifest& manifest,
                                               const std::string& name) {
    const auto file = std::find_if(manifest.files.begin(),
                                   manifest.files.end(),
                                   [&](const PackFile& entry) { return entry.name == name; });
    if (file == manifest.files.end()) {
        return Error{ErrorCode::NotFound, manifest.id + ": the manifest does not name " + name};
    }
    BIFOCAL_TRY(auto bytes, readFile(folder / name));
    if (bytes.size() != file->bytes) {
        return Error{ErrorCode::Corruption,
                     (folder / name).string() + ": has " + std::to_string(bytes.size()) +
                         " bytes, the manifest says " + std::to_string(file->bytes)};
    }
    if (sha256(bytes) != file->sha256) {
        return Error{ErrorCode::Corruption, (folder / name).string() + ": sha256 mismatch"};
    }
    return bytes;
}

}  // namespace bifocal
