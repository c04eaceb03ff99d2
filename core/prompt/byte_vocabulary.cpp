// SPDX-License-Identifier: Apache-2.0
#include "core/prompt/byte_vocabulary.h"

#include "core/prompt/detail/unicode.h"

#include <array>
#include <utility>

namespace bifocal {
namespace {

constexpr char32_t kFirstReplaced = 0x100;
constexpr std::size_t kReplacedCount = 68;

constexpr bool isWrittenAsItself(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// The bytes that U+0100, U+0101, … stand for.
constexpr std::array<char, kReplacedCount> replacedBytes() {
    std::array<char, kReplacedCount> bytes{};
    std::size_t count = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
        if (!isWrittenAsItself(byte)) {
            bytes[count++] = static_cast<char>(byte);
        }
    }
    return bytes;
}

constexpr std::array<char, kReplacedCount> kReplacedBytes = replacedBytes();

/// Nothing when a character stands for no byte.
std::optional<std::string> bytesOf(std::string_view written) {
    std::string bytes;
    for (std::size_t offset = 0; offset < written.size();) {
        const char32_t point = detail::nextCodePoint(written, offset);
        if (point < kFirstReplaced && isWrittenAsItself(static_cast<unsigned>(point))) {
            bytes.push_back(static_cast<char>(point));
        } else if (point >= kFirstReplaced && point < kFirstReplaced + kReplacedCount) {
            bytes.push_back(kReplacedBytes[point - kFirstReplaced]);
        } else {
            return std::nullopt;
        }
    }
    return bytes;
}

}  // namespace

Result<ByteVocabulary> ByteVocabulary::load(std::string_view lines) {
    ByteVocabulary vocabulary;
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        const std::optional<std::string> token = bytesOf(lines.substr(0, end));
        if (!token || token->empty()) {
            return Error{
                ErrorCode::Corruption,
                "vocabulary: line " + std::to_string(vocabulary.tokens_.size()) + " is no token"};
        }
        vocabulary.ids_.emplace(*token, static_cast<std::int32_t>(vocabulary.tokens_.size()));
        vocabulary.tokens_.push_back(*token);
        lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    }
    return vocabulary;
}

std::optional<std::int32_t> ByteVocabulary::find(const std::string& token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::string ByteVocabulary::decode(std::span<const std::int32_t> ids) const {
    std::string bytes;
    for (const std::int32_t id : ids) {
        if (id >= 0 && static_cast<std::size_t>(id) < tokens_.size()) {
            bytes += tokens_[static_cast<std::size_t>(id)];
        }
    }
    std::string text;
    for (std::size_t offset = 0; offset < bytes.size();) {
        detail::appendUtf8(detail::nextCodePoint(bytes, offset), text);
    }
    return text;
}

}  // namespace bifocal
