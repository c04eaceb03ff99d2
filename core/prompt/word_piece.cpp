// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/word_piece.h"

#include "core/prompt/detail/unicode.h"

#include <algorithm>
#include <limits>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

namespace bifocal {
namespace {

constexpr std::array<std::string_view, 5> kSpecialTokens{
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
constexpr std::size_t kUnknown = 1;
constexpr std::size_t kFirst = 2;
constexpr std::size_t kLast = 3;
constexpr std::size_t kLongestWord = 100;  // code points

// The reference's tables stop at Unicode 8: what came later is neither dropped nor split there.
bool isKnownToReference(char32_t codePoint) {
    UVersionInfo age;
    u_charAge(static_cast<UChar32>(codePoint), age);
    return age[0] > 0 && age[0] <= 8;
}

std::uint32_t categoryOf(char32_t codePoint) {
    return U_MASK(u_charType(static_cast<UChar32>(codePoint)));
}

bool isDropped(char32_t codePoint) {
    if (codePoint == 0 || codePoint == detail::kReplacement) {
        return true;
    }
    if (codePoint == '\t' || codePoint == '\n' || codePoint == '\r') {
        return false;
    }
    constexpr std::uint32_t kControl = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK;
    return (categoryOf(codePoint) & kControl) != 0 && isKnownToReference(codePoint);
}

bool isSpace(char32_t codePoint) {
    return detail::isWhiteSpace(codePoint);  // the control characters among it are gone by now
}

bool isCjk(char32_t codePoint) {
    constexpr std::array<std::pair<char32_t, char32_t>, 8> kRanges{{{0x4E00, 0x9FFF},
                                                                    {0x3400, 0x4DBF},
                                                                    {0x20000, 0x2A6DF},
                                                                    {0x2A700, 0x2B73F},
                                                                    {0x2B740, 0x2B81F},
                                                                    {0x2B920, 0x2CEAF},
                                                                    {0xF900, 0xFAFF},
                                                                    {0x2F800, 0x2FA1F}}};
    return std::any_of(kRanges.begin(), kRanges.end(), [codePoint](const auto& range) {
        return codePoint >= range.first && codePoint <= range.second;
    });
}

bool isAccent(char32_t codePoint) {
    switch (codePoint) {  // these changed their category after Unicode 8
        case 0x1734: return true;
        case 0x1885:
        case 0x1886:
        case 0xA9BD:
        case 0x111C9: return false;
        default: break;
    }
    return (categoryOf(codePoint) & U_GC_MN_MASK) != 0 && isKnownToReference(codePoint);
}

bool isSplitMark(char32_t codePoint) {
    if (codePoint < 0x80) {  // every printable ASCII sign that is no letter or digit
        return codePoint > ' ' && codePoint < 0x7F &&
               u_isalnum(static_cast<UChar32>(codePoint)) == 0;
    }
    if (codePoint == 0x166D || codePoint == 0x111C9) {  // punctuation in Unicode 8
        return true;
    }
    return (categoryOf(codePoint) & U_GC_P_MASK) != 0 && isKnownToReference(codePoint);
}

void appendUtf16(char32_t codePoint, std::u16string& out) {
    if (codePoint > 0xFFFF) {
        out.push_back(static_cast<char16_t>(U16_LEAD(codePoint)));
        out.push_back(static_cast<char16_t>(U16_TRAIL(codePoint)));
    } else {
        out.push_back(static_cast<char16_t>(codePoint));
    }
}

std::u16string cleaned(std::string_view text) {
    std::u16string clean;
    clean.reserve(text.size());
    for (std::size_t offset = 0; offset < text.size();) {
        const char32_t codePoint = detail::nextCodePoint(text, offset);
        if (isDropped(codePoint)) {
            continue;
        }
        if (isSpace(codePoint)) {
            clean.push_back(u' ');
        } else if (isCjk(codePoint)) {
            clean.push_back(u' ');
            appendUtf16(codePoint, clean);
            clean.push_back(u' ');
        } else {
            appendUtf16(codePoint, clean);
        }
    }
    return clean;
}

std::u16string decomposed(const std::u16string& text) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* normalizer = unorm2_getNFDInstance(&status);
    const auto length = static_cast<std::int32_t>(text.size());
    std::u16string out(text.size() * 2 + 16, u'\0');
    for (int attempt = 0; attempt < 2; ++attempt) {
        status = U_ZERO_ERROR;
        const std::int32_t needed = unorm2_normalize(normalizer,
                                                     text.data(),
                                                     length,
                                                     out.data(),
                                                     static_cast<std::int32_t>(out.size()),
                                                     &status);
        if (status != U_BUFFER_OVERFLOW_ERROR) {
            // Without its data file ICU cannot decompose; the text as it is loses only accents.
            if (U_FAILURE(status)) {
                return text;
            }
            out.resize(static_cast<std::size_t>(needed));
            return out;
        }
        out.resize(static_cast<std::size_t>(needed));
    }
    return text;
}

}  // namespace

Result<WordPieceTokenizer> WordPieceTokenizer::load(std::string_view vocabulary) {
    WordPieceTokenizer tokenizer;
    std::int32_t id = 0;
    while (!vocabulary.empty()) {
        const std::size_t end = std::min(vocabulary.find('\n'), vocabulary.size());
        std::string_view token = vocabulary.substr(0, end);
        if (!token.empty() && token.back() == '\r') {
            token.remove_suffix(1);
        }
        tokenizer.longestTokenBytes_ = std::max(tokenizer.longestTokenBytes_, token.size());
        tokenizer.vocabulary_.emplace(token, id);
        if (id == std::numeric_limits<std::int32_t>::max()) {
            return Error{ErrorCode::Corruption, "vocabulary: too many tokens"};
        }
        ++id;
        vocabulary.remove_prefix(std::min(end + 1, vocabulary.size()));
    }
    for (std::size_t index = 0; index < kSpecialTokens.size(); ++index) {
        const auto found = tokenizer.vocabulary_.find(std::string(kSpecialTokens[index]));
        const bool isNeeded = index == kUnknown || index == kFirst || index == kLast;
        if (found == tokenizer.vocabulary_.end() && isNeeded) {
            return Error{ErrorCode::Corruption,
                         "vocabulary: " + std::string(kSpecialTokens[index]) + " is missing"};
        }
        tokenizer.specials_[index] = found == tokenizer.vocabulary_.end() ? -1 : found->second;
    }
    return tokenizer;
}

TokenSequence WordPieceTokenizer::encode(std::string_view text, std::size_t limit) const {
    TokenSequence sequence;
    sequence.ids.push_back(specials_[kFirst]);
    // [CLS] included, [SEP] not yet. One id more than fits is enough to know that the text is cut.
    const std::size_t room = std::max<std::size_t>(limit, 1);
    for (std::size_t offset = 0; offset < text.size() && sequence.ids.size() <= room;) {
        const auto [begin, special] = findSpecial(text, offset);
        encodePlain(text.substr(offset, begin - offset), room, sequence.ids);
        offset = begin;
        if (special < kSpecialTokens.size()) {
            sequence.ids.push_back(specials_[special]);
            offset += kSpecialTokens[special].size();
        }
    }
    sequence.truncated = sequence.ids.size() + 1 > limit;
    if (sequence.truncated) {
        sequence.ids.resize(limit > 0 ? limit - 1 : 0);
    }
    if (limit > 0) {
        sequence.ids.push_back(specials_[kLast]);
    }
    sequence.knownCount = static_cast<std::size_t>(
        std::count_if(sequence.ids.begin(), sequence.ids.end(), [this](std::int32_t id) {
            return std::find(specials_.begin(), specials_.end(), id) == specials_.end();
        }));
    sequence.unknownCount = static_cast<std::size_t>(
        std::count(sequence.ids.begin(), sequence.ids.end(), specials_[kUnknown]));
    return sequence;
}

/// Where the next literal special token begins and which one it is; the end of the text and
/// kSpecialTokens.size() when there is none.
std::pair<std::size_t, std::size_t> WordPieceTokenizer::findSpecial(std::string_view text,
                                                                    std::size_t from) const {
    for (std::size_t at = text.find('[', from); at != std::string_view::npos;
         at = text.find('[', at + 1)) {
        for (std::size_t index = 0; index < kSpecialTokens.size(); ++index) {
            if (specials_[index] >= 0 && text.substr(at).starts_with(kSpecialTokens[index])) {
                return {at, index};
            }
        }
    }
    return {text.size(), kSpecialTokens.size()};
}

/// Appends the ids of a text without special tokens; stops once there are more than `limit`.
void WordPieceTokenizer::encodePlain(std::string_view text,
                                     std::size_t limit,
                                     std::vector<std::int32_t>& ids) const {
    const std::u16string letters = decomposed(cleaned(text));
    std::u32string word;
    const auto endWord = [&] {
        if (!word.empty()) {
            encodeWord(word, ids);
            word.clear();
        }
    };
    for (std::size_t offset = 0; offset < letters.size() && ids.size() <= limit;) {
        UChar32 point = 0;
        U16_NEXT(letters.data(), offset, letters.size(), point);
        auto codePoint = static_cast<char32_t>(point);
        if (isAccent(codePoint)) {
            continue;
        }
        codePoint = static_cast<char32_t>(u_tolower(point));
        if (isSpace(codePoint)) {
            endWord();
        } else if (isSplitMark(codePoint)) {
            endWord();
            word.push_back(codePoint);
            endWord();
        } else {
            word.push_back(codePoint);
        }
    }
    endWord();
}

/// Appends the pieces of one word, or [UNK].
void WordPieceTokenizer::encodeWord(std::u32string_view word,
                                    std::vector<std::int32_t>& ids) const {
    const std::size_t before = ids.size();
    const auto giveUp = [&] {
        ids.resize(before);
        ids.push_back(specials_[kUnknown]);
    };
    if (word.size() > kLongestWord) {
        giveUp();
        return;
    }
    std::string piece;
    for (std::size_t begin = 0; begin < word.size();) {
        piece = begin == 0 ? "" : "##";
        std::size_t end = begin;
        while (end < word.size() && (end == begin || piece.size() < longestTokenBytes_)) {
            detail::appendUtf8(word[end], piece);
            ++end;
        }
        auto found = vocabulary_.find(piece);
        while (found == vocabulary_.end() && end > begin + 1) {
            --end;
            piece.resize(piece.size() - detail::utf8Length(word[end]));
            found = vocabulary_.find(piece);
        }
        if (found == vocabulary_.end()) {
            giveUp();
            return;
        }
        ids.push_back(found->second);
        begin = end;
    }
}

}  // namespace bifocal
