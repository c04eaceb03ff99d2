// SPDX-License-Identifier: Apache-2.0
#include "core/library/internal/name_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace bifocal::library {
namespace {

enum class Kind : std::uint8_t { Separator = 1, Small, Capital, Digit, Ideograph, OtherLetter };

struct Sign {
    Kind kind = Kind::Separator;
    std::size_t length = 1;  ///< bytes
};

bool isContinuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

/// Whether a code point of three bytes is written without spaces between words.
bool isIdeograph(std::uint32_t codePoint) {
    return (codePoint >= 0x3040 && codePoint <= 0x30FF) ||  // kana
           (codePoint >= 0x3400 && codePoint <= 0x4DBF) ||
           (codePoint >= 0x4E00 && codePoint <= 0x9FFF) ||  // Han
           (codePoint >= 0xAC00 && codePoint <= 0xD7AF) ||  // Hangul
           (codePoint >= 0xF900 && codePoint <= 0xFAFF);
}

/// General punctuation, the signs of Chinese and Japanese, and the full-width ones.
bool isWideSign(std::uint32_t codePoint) {
    return (codePoint >= 0x2000 && codePoint <= 0x206F) ||
           (codePoint >= 0x3000 && codePoint <= 0x303F) ||
           (codePoint >= 0xFF00 && codePoint <= 0xFF0F);
}

Sign asciiSign(char byte) {
    if (byte >= 'a' && byte <= 'z') {
        return {Kind::Small, 1};
    }
    if (byte >= 'A' && byte <= 'Z') {
        return {Kind::Capital, 1};
    }
    return {byte >= '0' && byte <= '9' ? Kind::Digit : Kind::Separator, 1};
}

/// The sign at the beginning of `text`, which is not empty.
Sign signAt(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) {
        return asciiSign(text.front());
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    const bool isLead = lead >= 0xC2 && lead <= 0xF4 && text.size() >= length;
    if (!isLead ||
        !std::all_of(
            text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), isContinuation)) {
        return {};
    }
    if (length == 3) {
        const std::uint32_t codePoint = (lead & 0x0FU) << 12U |
                                        (static_cast<unsigned char>(text[1]) & 0x3FU) << 6U |
                                        (static_cast<unsigned char>(text[2]) & 0x3FU);
        if (isWideSign(codePoint)) {
            return {Kind::Separator, length};
        }
        if (isIdeograph(codePoint)) {
            return {Kind::Ideograph, length};
        }
    }
    return {Kind::OtherLetter, length};
}

bool isLetter(Kind kind) {
    return kind == Kind::Small || kind == Kind::Capital || kind == Kind::OtherLetter;
}

/// Splits one run of letters and digits, which `kinds` describes byte by byte.
void splitRun(std::string_view run,
              const std::vector<Kind>& kinds,
              std::vector<std::string>& words) {
    std::size_t changes = 0;
    for (std::size_t i = 1; i < run.size(); ++i) {
        changes += isLetter(kinds[i]) != isLetter(kinds[i - 1]) ? 1 : 0;
    }
    std::size_t begin = 0;
    for (std::size_t i = 1; i < run.size() && changes <= 1; ++i) {
        const bool isHump = kinds[i - 1] == Kind::Small && kinds[i] == Kind::Capital;
        if (isHump || isLetter(kinds[i]) != isLetter(kinds[i - 1])) {
            words.emplace_back(run.substr(begin, i - begin));
            begin = i;
        }
    }
    words.emplace_back(run.substr(begin));
}

constexpr std::array<std::string_view, 42> kEmptyWords{
    "a",     "an",     "and",     "are",      "as",   "at",    "be",     "by",    "for",
    "from",  "has",    "have",    "here",     "i",    "image", "images", "in",    "is",
    "it",    "its",    "my",      "near",     "of",   "on",    "or",     "our",   "over",
    "photo", "photos", "picture", "pictures", "some", "that",  "the",    "their", "there",
    "this",  "to",     "very",    "was",      "with", "your"};

bool isEmptyWord(std::string_view word) {
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char byte) {
        return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
    });
    return std::find(kEmptyWords.begin(), kEmptyWords.end(), lower) != kEmptyWords.end();
}

}  // namespace

std::vector<std::string> nameWords(std::string_view name) {
    std::vector<std::string> words;
    std::vector<Kind> kinds;
    std::size_t begin = 0;
    const auto endRun = [&](std::size_t end) {
        if (!kinds.empty()) {
            splitRun(name.substr(begin, end - begin), kinds, words);
            kinds.clear();
        }
    };
    for (std::size_t offset = 0; offset < name.size();) {
        const Sign sign = signAt(name.substr(offset));
        if (sign.kind == Kind::Separator || sign.kind == Kind::Ideograph) {
            endRun(offset);
            if (sign.kind == Kind::Ideograph) {
                words.emplace_back(name.substr(offset, sign.length));
            }
        } else {
            begin = kinds.empty() ? offset : begin;
            kinds.insert(kinds.end(), sign.length, sign.kind);
        }
        offset += sign.length;
    }
    endRun(name.size());
    return words;
}

std::vector<std::string> namePhrases(std::string_view text) {
    std::vector<std::string> phrases;
    constexpr std::string_view kSpace = " \t\r\n,;.:!?()[]{}\"'";
    for (std::size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
        const std::string_view part = text.substr(begin, end - begin);
        std::string phrase;
        for (const std::string& word : nameWords(part)) {
            phrase += (phrase.empty() ? "" : " ") + word;
        }
        const bool isNew = std::find(phrases.begin(), phrases.end(), phrase) == phrases.end();
        if (!phrase.empty() && !isEmptyWord(part) && isNew) {
            phrases.push_back(std::move(phrase));
        }
        begin = text.find_first_not_of(kSpace, end);
    }
    return phrases;
}

NamedPath namedPath(const std::filesystem::path& path, const std::filesystem::path& root) {
    const auto joined = [](std::string_view text) {
        std::string line;
        for (const std::string& word : nameWords(text)) {
            line += (line.empty() ? "" : " ") + word;
        }
        return line;
    };
    return {joined(path.stem().native()),
            joined(path.parent_path().lexically_relative(root).native())};
}

std::string matchExpression(const std::vector<std::string>& phrases) {
    std::string expression;
    for (const std::string& phrase : phrases) {  // letters, digits and spaces: no quotes inside
        expression += (expression.empty() ? "\"" : " AND \"") + phrase + "\"";
    }
    return expression;
}

}  // namespace bifocal::library
