// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/eval_pictures.h"

#include "app/cli/eval/prompt_line.h"
#include "core/base/files.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace bifocal::cli {
namespace {

constexpr std::uint64_t kMaxDescriptionBytes = 1U << 20U;

Result<std::string> descriptionOf(std::filesystem::path picture) {
    const Result<std::vector<std::uint8_t>> bytes =
        readFile(picture.replace_extension(".txt"), kMaxDescriptionBytes);
    if (!bytes) {
        return bytes.error().code == ErrorCode::NotFound ? Result<std::string>(std::string())
                                                         : bytes.error();
    }
    return std::string(bytes->begin(), bytes->end());
}

}  // namespace

Result<std::vector<EvalPicture>> readEvalPictures(const Library& library,
                                                  std::string_view language) {
    BIFOCAL_TRY(const std::vector<CollectionRecord> collections, library.collections());
    std::unordered_map<CollectionId, std::filesystem::path> roots;
    for (const CollectionRecord& collection : collections) {
        roots.emplace(collection.id, collection.root);
    }
    BIFOCAL_TRY(const std::vector<FileRecord> files,
                library.newestFiles(std::nullopt, 0, SIZE_MAX >> 1U));
    std::vector<EvalPicture> pictures;
    pictures.reserve(files.size());
    for (const FileRecord& file : files) {
        BIFOCAL_TRY(const std::string description, descriptionOf(file.path));
        pictures.push_back({file.path.lexically_relative(roots[file.collection]).native(),
                            file.path,
                            file.content,
                            file.perceptualHash,
                            promptLine(description, {}),
                            promptLine(description, language)});
    }
    std::sort(pictures.begin(), pictures.end(), [](const auto& a, const auto& b) {
        return std::tie(a.path, a.file) < std::tie(b.path, b.file);
    });
    return pictures;
}

Result<std::vector<EvalPicture>> picturesOfList(std::span<const EvalPicture> pictures,
                                                std::string_view list) {
    std::unordered_map<std::string_view, const EvalPicture*> byPath;
    for (const EvalPicture& picture : pictures) {
        byPath.emplace(picture.path, &picture);
    }
    std::vector<EvalPicture> chosen;
    while (!list.empty()) {
        const std::size_t end = list.find('\n');
        std::string_view line = list.substr(0, end);
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.empty()) {
            continue;
        }
        const auto found = byPath.find(line);
        if (found == byPath.end()) {
            return Error{ErrorCode::NotFound,
                         "'" + std::string(line) + "': listed, but no picture of this library"};
        }
        chosen.push_back(*found->second);
    }
    if (chosen.empty()) {
        return Error{ErrorCode::InvalidArgument, "the list names no picture"};
    }
    return chosen;
}

std::vector<EvalPicture> picturesWith(std::span<const EvalPicture> pictures,
                                      std::string EvalPicture::*text) {
    std::vector<EvalPicture> chosen;
    std::copy_if(pictures.begin(),
                 pictures.end(),
                 std::back_inserter(chosen),
                 [text](const EvalPicture& picture) { return !(picture.*text).empty(); });
    return chosen;
}

}  // namespace bifocal::cli
