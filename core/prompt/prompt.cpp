// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/prompt.h"

#include "core/prompt/detail/unicode.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace bifocal {
namespace {

constexpr char32_t kByteOrderMark = 0xFEFF;

/// What a text became, and whether it had to be cut.
struct CleanText {
    std::string text;
    bool isShortened = false;
};

bool isControl(char32_t codePoint) {
    return codePoint < 0x20 || (codePoint >= 0x7F && codePoint < 0xA0);
}

/// Trimmed, white space joined, nothing unprintable. Reads no further than the limit asks for, so
/// that a paste of any size costs little.
CleanText cleanText(std::string_view text) {
    CleanText clean;
    bool isSpaceDue = false;
    for (std::size_t offset = 0; offset < text.size();) {
        const char32_t codePoint = detail::nextCodePoint(text, offset);
        if (detail::isWhiteSpace(codePoint)) {
            isSpaceDue = !clean.text.empty();
            continue;
        }
        if (isControl(codePoint) || codePoint == detail::kReplacement ||
            codePoint == kByteOrderMark) {
            continue;
        }
        const std::size_t length = detail::utf8Length(codePoint) + (isSpaceDue ? 1 : 0);
        if (clean.text.size() + length > kMaxPromptBytes) {
            clean.isShortened = true;
            break;
        }
        if (std::exchange(isSpaceDue, false)) {
            clean.text.push_back(' ');
        }
        detail::appendUtf8(codePoint, clean.text);
    }
    return clean;
}

bool holdsVisibleSign(std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        if (detail::isVisibleSign(detail::nextCodePoint(text, offset))) {
            return true;
        }
    }
    return false;
}

bool isMinus(char32_t codePoint) {
    return codePoint == '-' || codePoint == 0x2212 || codePoint == 0xFF0D;
}

bool isOpeningQuote(char32_t codePoint) {
    return codePoint == '"' || codePoint == 0x201C;
}

bool isClosingQuote(char32_t codePoint) {
    return codePoint == '"' || codePoint == 0x201D;
}

std::string encoded(const std::vector<char32_t>& text, std::size_t begin, std::size_t end) {
    std::string bytes;
    for (std::size_t index = begin; index < end; ++index) {
        detail::appendUtf8(text[index], bytes);
    }
    return bytes;
}

/// The text without its `-word` parts, and those parts.
struct SplitText {
    std::string text;
    std::vector<std::string> negatives;
};

/// Takes `-word` or `-"words"` that begins at `begin` (at the minus), and gives the index behind
/// it; `begin` itself when there is none.
std::size_t takeNegative(const std::vector<char32_t>& text,
                         std::size_t begin,
                         std::vector<std::string>& negatives) {
    const std::size_t first = begin + 1;
    if (!isMinus(text[begin]) || first >= text.size()) {
        return begin;
    }
    if (isOpeningQuote(text[first])) {
        const auto from = text.begin() + static_cast<std::ptrdiff_t>(first) + 1;
        const auto close = std::find_if(from, text.end(), isClosingQuote);
        const auto end = static_cast<std::size_t>(close - text.begin());
        negatives.push_back(encoded(text, first + 1, end));
        return std::min(end + 1, text.size());
    }
    if (!detail::isVisibleSign(text[first]) || detail::isNumber(text[first])) {
        return begin;
    }
    std::size_t end = first;
    while (end < text.size() && text[end] != ' ') {
        ++end;
    }
    std::size_t wordEnd = end;
    while (wordEnd > first && detail::isPunctuation(text[wordEnd - 1])) {
        --wordEnd;
    }
    negatives.push_back(encoded(text, first, wordEnd));
    return end;
}

/// Requires: `clean` comes from cleanText(), whose only white space is the single space.
SplitText splitNegatives(std::string_view clean) {
    SplitText split;
    const std::vector<char32_t> text = detail::decodeUtf8(clean);
    bool isWordStart = true;
    for (std::size_t index = 0; index < text.size();) {
        if (isWordStart) {
            const std::size_t behind = takeNegative(text, index, split.negatives);
            if (behind != index) {
                index = behind;  // words glued to a closing quote stay in the text
                continue;
            }
        }
        isWordStart = text[index] == ' ';
        const bool isDoubledSpace = isWordStart && (split.text.empty() || split.text.back() == ' ');
        if (!isDoubledSpace) {
            detail::appendUtf8(text[index], split.text);
        }
        ++index;
    }
    if (!split.text.empty() && split.text.back() == ' ') {
        split.text.pop_back();
    }
    return split;
}

/// Adds to `kept` what says something new; true when the count limit made it drop one.
bool addNegatives(const std::vector<std::string>& candidates, std::vector<std::string>& kept) {
    bool isShortened = false;
    for (const std::string& candidate : candidates) {
        CleanText clean = cleanText(candidate);
        isShortened = isShortened || clean.isShortened;
        if (!holdsVisibleSign(clean.text) ||
            std::find(kept.begin(), kept.end(), clean.text) != kept.end()) {
            continue;
        }
        if (kept.size() >= kMaxNegativeCount) {
            return true;
        }
        kept.push_back(std::move(clean.text));
    }
    return isShortened;
}

Result<void> checkNumbers(const Prompt& prompt) {
    if (!(prompt.balance >= 0.0 && prompt.balance <= 1.0)) {  // refuses NaN as well
        return Error{ErrorCode::InvalidArgument,
                     "balance: " + std::to_string(prompt.balance) + " is outside 0 to 1"};
    }
    if (!(prompt.nameWeight >= 0.0 && prompt.nameWeight <= 1.0)) {
        return Error{
            ErrorCode::InvalidArgument,
            "weight of names: " + std::to_string(prompt.nameWeight) + " is outside 0 to 1"};
    }
    if (prompt.resultCount < 1 || prompt.resultCount > kMaxResultCount) {
        return Error{ErrorCode::InvalidArgument,
                     "result count: " + std::to_string(prompt.resultCount) + " is outside 1 to " +
                         std::to_string(kMaxResultCount)};
    }
    if (prompt.image && prompt.image->region && prompt.image->region->isEmpty()) {
        return Error{ErrorCode::InvalidArgument, "region: it holds no pixel"};
    }
    return {};
}

}  // namespace

Result<NormalizedPrompt> normalizePrompt(Prompt prompt) {
    BIFOCAL_CHECK(checkNumbers(prompt));
    NormalizedPrompt normalized;
    const CleanText clean = cleanText(prompt.text);
    SplitText split = splitNegatives(clean.text);
    std::vector<std::string> negatives;
    const bool hasDroppedGiven = addNegatives(prompt.negatives, negatives);
    const bool hasDroppedTyped = addNegatives(split.negatives, negatives);
    normalized.isShortened = clean.isShortened || hasDroppedGiven || hasDroppedTyped;

    if (!holdsVisibleSign(split.text)) {
        split.text.clear();
    }
    if (prompt.speech && prompt.speech->samples.empty()) {
        prompt.speech.reset();
    }
    const bool hasWords = !split.text.empty() || prompt.speech.has_value();
    if (!hasWords && !prompt.image) {
        return Error{ErrorCode::InvalidArgument,
                     negatives.empty() ? "prompt: it has no words and no picture"
                                       : "prompt: it says what to avoid, but not what to look for"};
    }
    normalized.mode = !prompt.image ? PromptMode::TextOnly
                      : hasWords    ? PromptMode::Fused
                                    : PromptMode::ImageOnly;
    prompt.text = std::move(split.text);
    prompt.negatives = std::move(negatives);
    normalized.prompt = std::move(prompt);
    return normalized;
}

}  // namespace bifocal
