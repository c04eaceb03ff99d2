// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bifocal {

/// The tokens of a byte-level vocabulary (GPT-2's): each stands for a run of bytes, written in the
/// file with one visible character a byte. Bytes 0x21–0x7E, 0xA1–0xAC and 0xAE–0xFF are written as
/// the code point of the same number, the other 68 as U+0100, U+0101, … in their order.
/// Threads: compatible.
class ByteVocabulary {
public:
    /// One token a line, ends of lines are "\n" alone, the line number (from 0) is the id.
    /// Corruption, naming the line, for a character that stands for no byte, and for an empty line
    /// that is not the last.
    static Result<ByteVocabulary> load(std::string_view lines);

    std::size_t size() const { return tokens_.size(); }

    /// The id of a token by its bytes ("<|endoftext|>"); the first one of equal ones.
    std::optional<std::int32_t> find(const std::string& token) const;

    /// The tokens' bytes one after the other, as UTF-8: ill-formed parts become U+FFFD. An id
    /// outside the vocabulary stands for nothing.
    std::string decode(std::span<const std::int32_t> ids) const;

private:
    std::vector<std::string> tokens_;
    std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace bifocal
