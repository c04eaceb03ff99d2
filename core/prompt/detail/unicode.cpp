// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/detail/unicode.h"

#include <cstdint>

#include <unicode/uchar.h>
#include <unicode/utf.h>
#include <unicode/utf8.h>

namespace bifocal::detail {

char32_t nextCodePoint(std::string_view text, std::size_t& offset) {
    // ICU's macro wants 32-bit offsets; a code point is at most four bytes, so a window is enough
    // and a text of any length is safe.
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data()) + offset;
    const auto length =
        static_cast<std::int32_t>(text.size() - offset < 8 ? text.size() - offset : 8);
    std::int32_t index = 0;
    UChar32 codePoint = 0;
    U8_NEXT_OR_FFFD(bytes, index, length, codePoint);
    offset += static_cast<std::size_t>(index);
    return static_cast<char32_t>(codePoint);
}

std::vector<char32_t> decodeUtf8(std::string_view text) {
    std::vector<char32_t> codePoints;
    codePoints.reserve(text.size());
    for (std::size_t offset = 0; offset < text.size();) {
        codePoints.push_back(nextCodePoint(text, offset));
    }
    return codePoints;
}

void appendUtf8(char32_t codePoint, std::string& out) {
    std::uint8_t bytes[U8_MAX_LENGTH];
    std::int32_t length = 0;
    U8_APPEND_UNSAFE(bytes, length, static_cast<std::uint32_t>(codePoint));
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

std::size_t utf8Length(char32_t codePoint) {
    return static_cast<std::size_t>(U8_LENGTH(static_cast<std::uint32_t>(codePoint)));
}

bool isWhiteSpace(char32_t codePoint) {
    return u_isUWhiteSpace(static_cast<UChar32>(codePoint)) != 0;
}

bool isVisibleSign(char32_t codePoint) {
    const auto point = static_cast<UChar32>(codePoint);
    if (codePoint == kReplacement || U_IS_UNICODE_NONCHAR(point) ||
        u_hasBinaryProperty(point, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0) {
        return false;
    }
    const std::uint32_t category = U_MASK(u_charType(point));
    if ((category & U_GC_SM_MASK) != 0) {
        // ASCII + < = > | ~ and the other spellings of plus and minus are signs of a prompt's
        // grammar or leftovers of typing; arrows and mathematics mean something.
        return codePoint > 0x7F && codePoint != 0x2212 && codePoint != 0xFF0B &&
               codePoint != 0xFE62;
    }
    constexpr std::uint32_t kVisible =
        U_GC_L_MASK | U_GC_N_MASK | U_GC_SO_MASK | U_GC_SC_MASK | U_GC_CN_MASK;
    return (category & kVisible) != 0;
}

bool isPunctuation(char32_t codePoint) {
    return (U_MASK(u_charType(static_cast<UChar32>(codePoint))) & U_GC_P_MASK) != 0;
}

bool isNumber(char32_t codePoint) {
    return (U_MASK(u_charType(static_cast<UChar32>(codePoint))) & U_GC_N_MASK) != 0;
}

}  // namespace bifocal::detail
