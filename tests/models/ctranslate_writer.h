// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::models::test {

/// A variable of a CTranslate2 file to be written.
struct WrittenVariable {
    std::vector<std::uint32_t> shape;
    std::uint8_t type = 4;
    std::vector<std::uint8_t> bytes;
};

/// A CTranslate2 file to be written; what the tests damage.
struct CtranslateDraft {
    std::uint32_t version = 6;
    std::string specification = "WhisperSpec";
    std::uint32_t revision = 3;
    std::map<std::string, WrittenVariable> variables;
    std::vector<std::pair<std::string, std::string>> aliases;
};

inline void appendNumber(std::vector<std::uint8_t>& out, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) {
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

inline void appendText(std::vector<std::uint8_t>& out, const std::string& text) {
    appendNumber(out, text.size() + 1, 2);
    out.insert(out.end(), text.begin(), text.end());
    out.push_back(0);
}

inline std::vector<std::uint8_t> write(const CtranslateDraft& draft) {
    std::vector<std::uint8_t> out;
    appendNumber(out, draft.version, 4);
    appendText(out, draft.specification);
    appendNumber(out, draft.revision, 4);
    appendNumber(out, draft.variables.size(), 4);
    for (const auto& [name, variable] : draft.variables) {
        appendText(out, name);
        appendNumber(out, variable.shape.size(), 1);
        for (const std::uint32_t side : variable.shape) {
            appendNumber(out, side, 4);
        }
        appendNumber(out, variable.type, 1);
        appendNumber(out, variable.bytes.size(), 4);
        out.insert(out.end(), variable.bytes.begin(), variable.bytes.end());
    }
    appendNumber(out, draft.aliases.size(), 4);
    for (const auto& [alias, target] : draft.aliases) {
        appendText(out, alias);
        appendText(out, target);
    }
    return out;
}

}  // namespace bifocal::models::test
