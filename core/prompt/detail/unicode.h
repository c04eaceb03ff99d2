// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::detail {

/// What a byte of ill-formed UTF-8 decodes to.
inline constexpr char32_t kReplacement = 0xFFFD;

/// The code point at `offset`, which moves behind it; one kReplacement for each ill-formed part.
/// Requires: offset < text.size().
char32_t nextCodePoint(std::string_view text, std::size_t& offset);

std::vector<char32_t> decodeUtf8(std::string_view text);

/// Requires: a scalar value (no surrogate, at most U+10FFFF), as nextCodePoint() gives it.
void appendUtf8(char32_t codePoint, std::string& out);

/// Bytes that appendUtf8() writes.
std::size_t utf8Length(char32_t codePoint);

/// Unicode's White_Space, line ends and tabs included.
bool isWhiteSpace(char32_t codePoint);

/// Whether a person would call it something written: letters, digits, emoji and other symbols.
/// Punctuation, plus, minus and the like, marks on their own and whatever shows nothing are not.
/// A code point newer than this ICU counts: it is most likely an emoji.
bool isVisibleSign(char32_t codePoint);

/// Any P category.
bool isPunctuation(char32_t codePoint);

/// Any N category.
bool isNumber(char32_t codePoint);

}  // namespace bifocal::detail
