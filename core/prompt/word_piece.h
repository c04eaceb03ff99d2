// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bifocal {

/// What a tokenizer gives for one text.
struct TokenSequence {
    std::vector<std::int32_t> ids;  ///< with the first and last special tokens
    std::size_t knownCount = 0;     ///< of them that are pieces of known words
    std::size_t unknownCount = 0;   ///< of them that stand for a word it does not know
    bool truncated = false;         ///< the text was longer than the limit
};

/// BERT's uncased WordPiece: clean, space CJK, strip accents (NFD, Mn removed), lower case, split
/// at white space and punctuation, greedy longest match with "##", words over 100 characters
/// unknown. Character classes are those of Unicode 8, as in the reference; the exact steps are in
/// tests/golden/README.md. Threads: compatible.
class WordPieceTokenizer {
public:
    /// One token a line, the line number (from 0) is the id. Corruption when [UNK], [CLS] or [SEP]
    /// is missing.
    static Result<WordPieceTokenizer> load(std::string_view vocabulary);

    /// [CLS] pieces… [SEP], at most `limit` ids; a text that is cut keeps both ends. Invalid UTF-8
    /// is replaced by U+FFFD and dropped. The literal texts [PAD] [UNK] [CLS] [SEP] [MASK] become
    /// their ids wherever they stand, as in the reference.
    TokenSequence encode(std::string_view text, std::size_t limit) const;

private:
    void encodePlain(std::string_view text,
                     std::size_t limit,
                     std::vector<std::int32_t>& ids) const;
    void encodeWord(std::u32string_view word, std::vector<std::int32_t>& ids) const;
    std::pair<std::size_t, std::size_t> findSpecial(std::string_view text, std::size_t from) const;

    std::unordered_map<std::string, std::int32_t> vocabulary_;
    std::array<std::int32_t, 5> specials_{};  ///< ids in the order of kSpecialTokens; −1 is absent
    std::size_t longestTokenBytes_ = 0;
};

}  // namespace bifocal
