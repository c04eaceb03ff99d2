// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/prompt.h"

#include <algorithm>
#include <string_view>

namespace bifocal {
namespace {

/// The type that an extension stands for: small letters, one spelling.
std::string typeOf(std::string_view extension) {
    if (extension.starts_with('.')) {
        extension.remove_prefix(1);
    }
    std::string type(extension);
    std::transform(type.begin(), type.end(), type.begin(), [](char byte) {
        return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
    });
    return type == "jpg" ? "jpeg" : type == "tif" ? "tiff" : type;
}

bool isBelow(const std::filesystem::path& path, const std::filesystem::path& folder) {
    std::string_view prefix = folder.native();
    while (prefix.size() > 1 && prefix.ends_with('/')) {
        prefix.remove_suffix(1);
    }
    const std::string_view name = path.native();
    return name.starts_with(prefix) &&
           (prefix == "/" || (name.size() > prefix.size() && name[prefix.size()] == '/'));
}

}  // namespace

bool passesFile(const Filters& filters, const std::filesystem::path& path, std::uint64_t bytes) {
    if (bytes < filters.smallestBytes || (filters.largestBytes && bytes > *filters.largestBytes)) {
        return false;
    }
    if (!filters.folder.empty() && !isBelow(path, filters.folder)) {
        return false;
    }
    return filters.types.empty() ||
           std::any_of(filters.types.begin(),
                       filters.types.end(),
                       [type = typeOf(path.extension().native())](const std::string& wanted) {
                           return typeOf(wanted) == type;
                       });
}

}  // namespace bifocal
