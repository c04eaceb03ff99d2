// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bifocal {

/// What a tokenizer gives for one text.
struct TokenSequence {
    std::vector<std::int32_t> ids;  ///< with the first and last special tokens
    bool truncated = false;         ///< the text was longer than the limit
};

/// BERT's uncased WordPiece: clean, space CJK, lower case, strip accents (NFD, Mn removed), split
/// at white space and punctuation, greedy longest match with "##", words over 100 characters
/// unknown. Threads: compatible.
class WordPieceTokenizer {
public:
    /// One token a line, the line number is the id. Corruption when a special token is missing.
    static Result<WordPieceTokenizer> load(std::string_view vocabulary);

    /// [CLS] pieces… [SEP], at most `limit` ids. Invalid UTF-8 is replaced by U+FFFD and dropped.
    TokenSequence encode(std::string_view text, std::size_t limit) const;

private:
    std::unordered_map<std::string, std::int32_t> vocabulary_;
    std::int32_t unknown_ = 0;
    std::int32_t first_ = 0;
    std::int32_t last_ = 0;
};

}  // namespace bifocal
