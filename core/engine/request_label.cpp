// SPDX-License-Identifier: Apache-2.0
#include "core/engine/internal/request_label.h"

#include <cstddef>
#include <string_view>

namespace bifocal {
namespace {

constexpr std::size_t kMostCharacters = 48;

bool beginsCharacter(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

std::string shortened(std::string_view text) {
    std::size_t characterCount = 0;
    std::size_t lastSpace = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!beginsCharacter(text[i])) {
            continue;
        }
        if (text[i] == ' ') {
            lastSpace = i;
        }
        if (characterCount++ == kMostCharacters) {
            return std::string(text.substr(0, lastSpace > 0 ? lastSpace : i)) + "…";
        }
    }
    return std::string(text);
}

}  // namespace

std::string labelOf(const Prompt& prompt) {
    if (prompt.text.empty()) {
        return !prompt.speech ? "picture" : prompt.image ? "picture + speech" : "speech";
    }
    const std::string words = "“" + shortened(prompt.text) + "”";
    return prompt.image ? "picture + " + words : words;
}

std::string labelOfIndexing(const std::filesystem::path& root) {
    const std::filesystem::path name = root.filename();
    return "index " + (name.empty() ? root : name).string();
}

}  // namespace bifocal
