// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/prompt/word_piece.h"

#include <fstream>
#include <string>

namespace bifocal::test {

/// The tokenizer of vocabulary_part.tsv; ids between its lines get names that no text can match.
inline Result<WordPieceTokenizer> partTokenizer() {
    std::ifstream in(std::string(BIFOCAL_TEST_DIR) + "/vocabulary_part.tsv");
    std::string vocabulary;
    int next = 0;
    for (std::string line; std::getline(in, line);) {
        const std::size_t tab = line.find('\t');
        for (const int id = std::stoi(line); next < id; ++next) {
            vocabulary += "\x01" + std::to_string(next) + "\n";
        }
        vocabulary += line.substr(tab + 1) + "\n";
        ++next;
    }
    return WordPieceTokenizer::load(vocabulary);
}

}  // namespace bifocal::test
