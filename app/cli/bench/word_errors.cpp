// SPDX-License-Identifier: Apache-2.0
#include "app/cli/bench/word_errors.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace bifocal::cli {

std::vector<std::string> comparedWords(std::string_view text) {
    std::string plain;
    for (const char c : text) {
        if (c >= 'A' && c <= 'Z') {
            plain.push_back(static_cast<char>(c - 'A' + 'a'));
        } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            plain.push_back(c);
        } else if (c != '\'') {
            plain.push_back(' ');
        }
    }
    std::istringstream stream(plain);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::size_t wordErrors(const std::vector<std::string>& expected,
                       const std::vector<std::string>& actual) {
    std::vector<std::size_t> row(actual.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < expected.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < actual.size(); ++j) {
            const std::size_t change = diagonal + (expected[i] == actual[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

std::map<std::string, std::string> readTexts(std::string_view lines) {
    std::map<std::string, std::string> texts;
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string_view line = lines.substr(0, end);
        const std::size_t colon = line.find(": ");
        if (!line.starts_with(';') && colon != std::string_view::npos) {
            texts.emplace(line.substr(0, colon), line.substr(colon + 2));
        }
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    return texts;
}

}  // namespace bifocal::cli
