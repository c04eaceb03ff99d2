// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/detail/unicode.h"
#include "core/prompt/prompt.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

namespace bifocal {
namespace {

// The order of kernels::kColourNames, which this module may not include; a test compares them.
constexpr std::array<std::string_view, 11> kColours{"black",
                                                    "white",
                                                    "grey",
                                                    "red",
                                                    "orange",
                                                    "yellow",
                                                    "green",
                                                    "blue",
                                                    "purple",
                                                    "pink",
                                                    "brown"};

Script scriptOf(UScriptCode code) {
    switch (code) {
        case USCRIPT_LATIN: return Script::Latin;
        case USCRIPT_HAN:
        case USCRIPT_HIRAGANA:
        case USCRIPT_KATAKANA:
        case USCRIPT_HANGUL:
        case USCRIPT_BOPOMOFO: return Script::Cjk;
        case USCRIPT_CYRILLIC: return Script::Cyrillic;
        case USCRIPT_GREEK: return Script::Greek;
        case USCRIPT_ARABIC: return Script::Arabic;
        case USCRIPT_HEBREW: return Script::Hebrew;
        case USCRIPT_DEVANAGARI:
        case USCRIPT_BENGALI:
        case USCRIPT_GURMUKHI:
        case USCRIPT_GUJARATI:
        case USCRIPT_ORIYA:
        case USCRIPT_TAMIL:
        case USCRIPT_TELUGU:
        case USCRIPT_KANNADA:
        case USCRIPT_MALAYALAM:
        case USCRIPT_SINHALA: return Script::Indic;
        case USCRIPT_THAI: return Script::Thai;
        default: return Script::Other;
    }
}

}  // namespace

std::vector<std::size_t> namedColours(const std::string& text) {
    std::array<bool, kColours.size()> isNamed{};
    std::string word;
    const auto endWord = [&] {
        const auto* const found =
            std::find(kColours.begin(), kColours.end(), word == "gray" ? "grey" : word);
        if (found != kColours.end()) {
            isNamed[static_cast<std::size_t>(found - kColours.begin())] = true;
        }
        word.clear();
    };
    for (const char byte : text) {
        const char lower =
            byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
        if (lower >= 'a' && lower <= 'z') {
            word.push_back(lower);
        } else {
            endWord();
        }
    }
    endWord();
    std::vector<std::size_t> named;
    for (std::size_t index = 0; index < isNamed.size(); ++index) {
        if (isNamed[index]) {
            named.push_back(index);
        }
    }
    return named;
}

std::vector<Script> scriptsOf(const std::string& text) {
    std::vector<std::pair<Script, std::size_t>> counts;  // in order of first appearance
    for (std::size_t offset = 0; offset < text.size();) {
        const auto codePoint = static_cast<UChar32>(detail::nextCodePoint(text, offset));
        if (u_isalpha(codePoint) == 0) {
            continue;
        }
        UErrorCode status = U_ZERO_ERROR;
        const UScriptCode code = uscript_getScript(codePoint, &status);
        if (U_FAILURE(status) || code == USCRIPT_COMMON || code == USCRIPT_INHERITED) {
            continue;
        }
        const Script script = scriptOf(code);
        const auto known = std::find_if(counts.begin(), counts.end(), [script](const auto& entry) {
            return entry.first == script;
        });
        if (known == counts.end()) {
            counts.emplace_back(script, 1);
        } else {
            ++known->second;
        }
    }
    std::stable_sort(counts.begin(), counts.end(), [](const auto& left, const auto& right) {
        return left.second > right.second;
    });
    std::vector<Script> scripts;
    scripts.reserve(counts.size());
    for (const auto& [script, count] : counts) {
        scripts.push_back(script);
    }
    return scripts;
}

const char* toString(Script script) {
    switch (script) {
        case Script::Latin: return "Latin";
        case Script::Cjk: return "CJK";
        case Script::Cyrillic: return "Cyrillic";
        case Script::Greek: return "Greek";
        case Script::Arabic: return "Arabic";
        case Script::Hebrew: return "Hebrew";
        case Script::Indic: return "Indic";
        case Script::Thai: return "Thai";
        case Script::Other: return "other";
    }
    return "other";
}

}  // namespace bifocal
