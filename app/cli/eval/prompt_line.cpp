// SPDX-License-Identifier: Apache-2.0
#include "app/cli/eval/prompt_line.h"

namespace bifocal::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

std::string promptLine(std::string_view description, std::string_view language) {
    if (description.starts_with(kByteOrderMark)) {
        description.remove_prefix(kByteOrderMark.size());
    }
    if (language.empty()) {
        return std::string(trimmed(description.substr(0, description.find('\n'))));
    }
    const std::string key = std::string(language) + ".utf8=";
    while (!description.empty()) {
        const std::size_t end = description.find('\n');
        const std::string_view line = description.substr(0, end);
        if (line.starts_with(key)) {
            return std::string(trimmed(line.substr(key.size())));
        }
        description.remove_prefix(end == std::string_view::npos ? description.size() : end + 1);
    }
    return {};
}

}  // namespace bifocal::cli
